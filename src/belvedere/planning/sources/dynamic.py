"""The cheapest sequence of a maintenance step by dynamic programming over connected subgraphs.

A set of visited nodes can be reached in several orders. Of two orders the one that cost more *and* left more rows is forgotten:
costs rise with the rows sent and never fall, so it cannot become the better one. Whatever must cost as much as a sequence that is
known (the greedy one, or the one that always keeps the fewest rows) is forgotten too.
The result is the enumeration's, without the enumeration.
"""

from __future__ import annotations

from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.search import Sequence, fewest_rows, greedy

#: two estimates of rows that differ by less are rounding
ROUNDING = 1 + 1e-9
#: beyond so many entries in one layer (a star of twenty tables) the best sequence known is taken
MOST_ENTRIES = 50_000

Entry = tuple[float, float, Sequence]


def optimal(costing: Costing, start: int, card: float) -> tuple[float, Sequence]:
    """(seconds, sequence) of the cheapest sequence; the better of two simple ones where the graph has too many subgraphs."""
    bound, known = min(greedy(costing, start, card), fewest_rows(costing, start, card))
    least = costing.least
    layer: dict[int, list[Entry]] = {1 << start: [(0.0, card, (start,))]}
    for _ in range(costing.size - 1):
        following: dict[int, list[Entry]] = {}
        for visited, entries in layer.items():
            rest = bound - sum(least[j] for j in range(costing.size) if not visited >> j & 1)
            for target, to, fixed, per_row, factor in costing.moves(visited):
                there, limit = following.get(target), rest + least[to]
                for cost, rows, order in entries:
                    total = cost + fixed + per_row * rows
                    if total >= limit:
                        continue
                    if there is None:
                        there = following[target] = [(total, rows * factor, (*order, to))]
                    else:
                        _keep(there, total, rows * factor, order, to)
        if sum(map(len, following.values())) > MOST_ENTRIES:
            return bound, known
        layer = following
    found = [(cost, order) for entries in layer.values() for cost, _, order in entries]
    return min([*found, (bound, known)])


def _keep(entries: list[Entry], total: float, rows: float, order: Sequence, to: int) -> None:
    """Add an entry unless another is at least as good in both; drop those that it beats."""
    least = rows * ROUNDING
    for c, r, _ in entries:
        if c <= total and r <= least:
            return
    if len(entries) == 1:
        if total <= entries[0][0] and rows <= entries[0][1] * ROUNDING:
            entries.clear()
    else:
        entries[:] = [x for x in entries if not (total <= x[0] and rows <= x[1] * ROUNDING)]
    entries.append((total, rows, (*order, to)))
