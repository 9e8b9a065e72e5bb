"""The order in which a maintenance step visits the nodes: the paper's enumeration (Fig 7) and greedy search (Fig 8).

A sequence starts at the node whose delta it maintains; each later node is joined by an edge with one that was visited. Edges that
end in the same node are taken together, so it is nodes that are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator

from belvedere.planning.sources.costing import Costing

Sequence = tuple[int, ...]


def sequences(costing: Costing, start: int) -> Iterator[Sequence]:
    """All valid sequences. Each call works on its own copy of what was visited."""

    def extend(visited: int, so_far: Sequence) -> Iterator[Sequence]:
        if visited == costing.full:
            yield so_far
            return
        for to in costing.next_nodes(visited):
            yield from extend(visited | 1 << to, (*so_far, to))

    yield from extend(1 << start, (start,))


def enumerated(costing: Costing, start: int, card: float) -> tuple[float, Sequence]:
    """The cheapest of all sequences, each costed when it is complete."""
    return min((costing.sequence_cost(s, card), s) for s in sequences(costing, start))


def greedy(costing: Costing, start: int, card: float) -> tuple[float, Sequence]:
    """Always the cheapest next query; of equal ones the one that returns least."""
    total, visited, order = 0.0, 1 << start, [start]
    while visited != costing.full:
        price, factor, visited, to = min((f + p * card, s, m, j) for m, j, f, p, s in costing.moves(visited))
        total, card = total + price, card * factor
        order.append(to)
    return total, tuple(order)


def fewest_rows(costing: Costing, start: int, card: float) -> tuple[float, Sequence]:
    """Always the query that leaves the fewest rows: bad where queries are dear, but never a product that explodes."""
    total, visited, order = 0.0, 1 << start, [start]
    while visited != costing.full:
        factor, price, visited, to = min((s, f + p * card, m, j) for m, j, f, p, s in costing.moves(visited))
        total, card = total + price, card * factor
        order.append(to)
    return total, tuple(order)
