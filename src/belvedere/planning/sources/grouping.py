"""The grouping strategy: along a path through all nodes, scroll up, scroll down, and the remaining conditions at the view.

With k1…kn the path, scroll up sends to k(i+1) what began at k1…ki: row j of the matrix has grown by the factors from kj to ki.
Scroll down starts from what scroll up left of each row (kj…kn) and sends to k(i-1) what began at ki…kn.

    up,   query to k(i+1):  Σ_{j≤i} |Δkj| · ∏_{s=j+1..i} S(k(s-1) → ks)
    down, query to k(i-1):  Σ_{j≥i} |Δkj| · ∏_{s=j+1..n} S(k(s-1) → ks) · ∏_{s=i..j-1} S(k(s+1) → ks)
    remaining:              Σ_j     |Δkj| · ∏_{s=j+1..n} S(k(s-1) → ks) · ∏_{s=1..j-1} S(k(s+1) → ks)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.graph import KEYS
from belvedere.planning.sources.plan import GROUPING, Plan, Query

#: paths that are looked at; a dense graph of ten nodes has millions
MOST_PATHS = 20_000


def paths(costing: Costing) -> Iterator[tuple[int, ...]]:
    """All Hamiltonian paths, each in both directions. None for a star."""

    def extend(visited: int, so_far: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if visited == costing.full:
            yield so_far
            return
        if _cut_off(costing, visited, so_far[-1]):
            return
        for to in range(costing.size):
            if costing.near[so_far[-1]] >> to & 1 and not visited >> to & 1:
                yield from extend(visited | 1 << to, (*so_far, to))

    for start in range(costing.size):
        yield from extend(1 << start, (start,))


def _cut_off(costing: Costing, visited: int, end: int) -> bool:
    """Whether some unvisited node can no longer be reached from the end of the path."""
    reached, todo = 0, costing.near[end] & ~visited
    while todo:
        lowest = todo & -todo
        reached |= lowest
        todo = (todo | costing.near[lowest.bit_length() - 1]) & ~visited & ~reached
    return (reached | visited) != costing.full


def path_plan(costing: Costing, path: tuple[int, ...]) -> Plan:
    """The queries of one grouping path with their estimates. Phases without rows ask nothing."""
    names = [costing.names[k] for k in path]
    deltas = [costing.graph.nodes[k].delta for k in path]
    up, rows = _scroll_up(costing, names, deltas)
    down, left = _scroll_down(costing, names, rows)
    queries = up + down
    joined = {frozenset(pair) for pair in pairwise(names)}
    if any(frozenset((e.left, e.right)) not in joined for e in costing.graph.edges):
        width = sum(n.attributes for n in costing.graph.nodes)
        seconds = costing.graph.local.seconds(left, width)
        queries.append(Query("remaining", "", tuple(names), "", "", left, width, left, seconds))
    return Plan(GROUPING, (tuple(names),), tuple(queries))


def _scroll_up(costing: Costing, names: list[str], deltas: list[float]) -> tuple[list[Query], list[float]]:
    """The queries, and for each row of the matrix how many rows it has at the end of the path."""
    rows = list(deltas)
    queries: list[Query] = []
    for i in range(len(names) - 1):
        sent = sum(rows[: i + 1])
        query = _query(costing, "up", names[: i + 1], names[i + 1], "old", sent)
        factor = query.rows_out / sent if sent else 0.0
        rows[: i + 1] = [r * factor for r in rows[: i + 1]]
        queries += [query] if sent else []
    return queries, rows


def _scroll_down(costing: Costing, names: list[str], rows: list[float]) -> tuple[list[Query], float]:
    rows = list(rows)
    queries: list[Query] = []
    for i in range(len(names) - 1, 0, -1):
        sent = sum(rows[i:])
        query = _query(costing, "down", names[i:][::-1], names[i - 1], "new", sent)
        factor = query.rows_out / sent if sent else 0.0
        rows[i:] = [r * factor for r in rows[i:]]
        queries += [query] if sent else []
    return queries, sum(rows)


def _query(costing: Costing, kind: str, carried: list[str], to: str, version: str, rows: float) -> Query:
    """One query along the path edge from the node visited last; `carried` are all nodes whose attributes the rows hold."""
    origin = carried[-1]
    hop = costing.hop((origin,), to)
    visited = sum(1 << costing.number[n] for n in carried)
    width = costing.width(visited, (origin,), to)
    node = costing.graph.node(to)
    back = (1 if costing.graph.carry == KEYS else width) + node.attributes
    out = rows * hop.factor
    moved = costing.graph.network.get(node.source, 0.0) * (rows * width + out * back)
    return Query(kind, origin, (origin,), to, version, rows, width, out, hop.cost.seconds(rows, width) + moved)


def best_grouping(costing: Costing) -> Plan | None:
    """The cheapest grouping plan among the first paths found; None where no path goes through all nodes."""
    best: Plan | None = None
    for count, path in enumerate(paths(costing)):
        if count >= MOST_PATHS:
            break
        plan = path_plan(costing, path)
        if best is None or plan.seconds < best.seconds:
            best = plan
    return best
