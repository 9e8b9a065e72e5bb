"""A failing case → a smaller one that fails the same way: fewer transactions, changes and edges, and a simpler view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.fuzzing.failure import Failure
from tests.fuzzing.shrinking import smallest
from tests.lorel.oracle.graph import Graph, Unfit
from tests.lorelfuzz.case import Case, ViewSpec
from tests.lorelfuzz.changes import applied
from tests.lorelfuzz.features import bound, starts

from belvedere.languages.lorel.syntax import And, Exists, ForAll, Group, Not, Or, Path, View

Try = Callable[[Case], Failure | None]


def shrink(failure: Failure, run: Try, seconds: float = 60.0) -> Failure:
    """The smallest failure found in the time given."""
    return smallest(failure, candidates, lambda case: run(case) if sound(case) else None, seconds)


def sound(case: Case) -> bool:
    """Whether every change fits, and no view uses a variable that is bound nowhere or a name that is not there to begin with."""
    graph = case.graph
    try:
        for t in case.transactions:
            graph = applied(graph, t.changes)
    except Unfit:
        return False
    known = case.graph.names.keys() | case.graph.objects
    return bool(case.views) and all(starts(v.view) <= bound(v.view) | known for v in case.views)


def candidates(case: Case, view: str) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    if view and len(case.views) > 1:
        yield case.keep(lambda v: v.name == view)
    ts = case.transactions
    yield from (replace(case, transactions=ts[:n]) for n in range(len(ts)))
    yield from (replace(case, transactions=ts[:n] + ts[n + 1 :]) for n in reversed(range(len(ts))))
    for n, t in enumerate(ts):
        for k in range(len(t.changes)):
            fewer = replace(t, changes=t.changes[:k] + t.changes[k + 1 :])
            yield replace(case, transactions=(*ts[:n], fewer, *ts[n + 1 :]))
    for n, v in enumerate(case.views):
        for other in plainer(v):
            yield replace(case, views=(*case.views[:n], other, *case.views[n + 1 :]))
    yield from (replace(case, graph=g) for g in thinner(case.graph))


def thinner(graph: Graph) -> Iterator[Graph]:
    """Without an edge, or without a name but the first."""
    for e in sorted(graph.edges):
        less = graph.copy()
        less.edges.remove(e)
        less.collect()
        yield less
    for name in list(graph.names)[1:]:
        less = graph.copy()
        del less.names[name]
        yield less


def plainer(v: ViewSpec) -> Iterator[ViewSpec]:
    for field, plain in (("reader", False), ("asked", False), ("verify", False), ("mode", "deferred")):
        if getattr(v, field) != plain:
            yield replace(v, **{field: plain})
    yield from (replace(v, view=w) for w in simpler(v.view))


def simpler(view: View) -> Iterator[View]:
    q = view.query
    for n in range(len(view.with_)):
        yield replace(view, with_=view.with_[:n] + view.with_[n + 1 :])
    if q.where is not None:
        yield replace(view, query=replace(q, where=None))
    for n in range(len(q.items)):
        if len(q.items) > 1:
            yield replace(view, query=replace(q, items=q.items[:n] + q.items[n + 1 :]))
    for n in range(len(q.ranges)):
        if len(q.ranges) > 1:
            yield replace(view, query=replace(q, ranges=q.ranges[:n] + q.ranges[n + 1 :]))
    yield from (replace(view, query=smaller) for smaller in less(q))
    yield from (replace(view, with_=smaller) for smaller in less(view.with_))


def less(tree: Any) -> Iterator[Any]:
    """The tree with one part of it made simpler."""
    match tree:
        case And() | Or():
            yield from tree.parts
        case Not():
            yield tree.condition
        case Exists(condition=c) | ForAll(condition=c) if c is not None:
            yield Exists(None, tree.domain)
        case Path(steps=steps) if len(steps) > 1:
            yield from (replace(tree, steps=steps[:n] + steps[n + 1 :]) for n in range(len(steps)))
        case Group(alternatives=alternatives) if len(alternatives) > 1:
            yield from (replace(tree, alternatives=(a,)) for a in alternatives)
        case Group(alternatives=((only,),)) if tree.variable is None:
            yield only
    if isinstance(tree, tuple):
        for n, part in enumerate(tree):
            yield from ((*tree[:n], smaller, *tree[n + 1 :]) for smaller in less(part))
    elif is_dataclass(tree) and not isinstance(tree, type):
        for f in fields(tree):
            for smaller in less(getattr(tree, f.name)):
                yield replace(tree, **{f.name: smaller})
