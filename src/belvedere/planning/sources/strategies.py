"""The plans of the other strategies: batch, sequential, recompute, and the local mirror."""

from __future__ import annotations

from collections.abc import Callable

from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.dynamic import optimal
from belvedere.planning.sources.plan import BATCH, MIRROR, RECOMPUTE, SEQUENTIAL, Plan, Query
from belvedere.planning.sources.search import Sequence

Search = Callable[[Costing, int, float], tuple[float, Sequence]]


def batch(costing: Costing, search: Search = optimal) -> Plan:
    """Equation 2: a maintenance step for every delta, n-1 queries each, in the order that the search finds."""
    orders = [search(costing, i, n.delta)[1] for i, n in enumerate(costing.graph.nodes) if n.delta > 0]
    return batch_plan(costing, orders)


def sequential(costing: Costing, search: Search = optimal) -> Plan:
    """One changed row at a time, as it was done before batches: n-1 queries for each."""
    orders = [search(costing, i, 1.0)[1] for i, n in enumerate(costing.graph.nodes) if n.delta > 0]
    return batch_plan(costing, orders, one_by_one=True)


def batch_plan(costing: Costing, orders: list[Sequence], *, one_by_one: bool = False) -> Plan:
    """The plan that these sequences make, one for each delta."""
    queries: list[Query] = []
    for order in orders:
        delta = costing.graph.nodes[order[0]].delta
        queries += _step(costing, order, 1.0 if one_by_one else delta, delta if one_by_one else 1.0)
    named = tuple(tuple(costing.names[k] for k in order) for order in orders)
    return Plan(SEQUENTIAL if one_by_one else BATCH, named, tuple(queries))


def _step(costing: Costing, order: Sequence, card: float, times: float) -> list[Query]:
    queries: list[Query] = []
    visited, start = 1 << order[0], costing.names[order[0]]
    for to in order[1:]:
        e = costing.extension(visited, to)
        version = "new" if to < order[0] else "old"
        seconds = e.fixed + e.per_row * card
        out = card * e.factor
        queries.append(Query("step", start, e.origins, costing.names[to], version, card, e.attributes, out, seconds, times))
        card, visited = out, visited | 1 << to
    return queries


def recompute(costing: Costing) -> Plan:
    """Read every table whole, join at the view."""
    graph = costing.graph
    queries: list[Query] = []
    for n in graph.nodes:
        values = n.cardinality * n.attributes
        into = [d.cost for (_, to), d in graph.directions().items() if to == n.name]
        start = sum(c.start for c in into) / len(into) if into else 0.0
        # a value that comes costs what the network takes, or where that is unknown as much as one that goes
        rate = graph.network.get(n.source) or (sum(c.per_value for c in into) / len(into) if into else graph.local.per_value)
        queries.append(Query("read", n.name, (), n.name, "new", 0.0, n.attributes, n.cardinality, start + rate * values))
    return Plan(RECOMPUTE, (), (*queries, _join_here(costing)))


def mirror(costing: Costing) -> Plan:
    """Every table kept here: nobody is asked, the storage is paid. Costs the join of the deltas with the copies."""
    graph = costing.graph
    rows = sum(n.delta for n in graph.nodes)
    width = sum(n.attributes for n in graph.nodes)
    work = Query("join", "", graph.names, "", "", rows, width, rows, graph.local.seconds(rows * len(graph.nodes), width))
    stored = sum(n.cardinality * n.attributes for n in graph.nodes)
    return Plan(MIRROR, (), (work,), stored)


def _join_here(costing: Costing) -> Query:
    graph = costing.graph
    rows = sum(n.cardinality for n in graph.nodes)
    width = sum(n.attributes for n in graph.nodes)
    return Query("join", "", graph.names, "", "", rows, width, rows, graph.local.seconds(rows, width))
