"""A failing case → a smaller one that fails the same way: fewer transactions, changes, tables and rows, and a simpler view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzzing.failure import Failure
from tests.fuzzing.shrinking import smallest
from tests.schemafuzz.case import Case, Transaction, ViewSpec
from tests.schemafuzz.changes import Insert, Unfit
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.ranges import Avoid, Invalid
from tests.schemafuzz.tree import Query, names_used

Try = Callable[[Case], Failure | None]


def shrink(failure: Failure, run: Try, seconds: float = 60.0) -> Failure:
    """The smallest failure found in the time given."""
    return smallest(failure, candidates, lambda case: run(case) if sound(case) else None, seconds)


def sound(case: Case) -> bool:
    """Whether every change fits and every view means something to begin with."""
    references = [(v, Reference(v.query, v.name)) for v in case.views]
    world = case.world
    try:
        if any(isinstance(r.state(world), Invalid) for _, r in references):
            return False
        for t in case.transactions:
            for c in t.changes:
                world = c.apply(world)
            for v, r in references:
                if t.refresh or v.mode == "immediate":
                    r.state(world)
    except (Unfit, Avoid, StopIteration, KeyError, AssertionError):
        return False
    return True


def candidates(case: Case, view: str) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    if view and len(case.views) > 1:
        yield case.keep(lambda v: v.name == view)
    ts = case.transactions
    yield from (replace(case, transactions=ts[:n]) for n in range(len(ts)))
    yield from (replace(case, transactions=ts[:n] + ts[n + 1 :]) for n in reversed(range(len(ts))))
    for n, t in enumerate(ts):
        for fewer in lighter(t):
            yield replace(case, transactions=(*ts[:n], fewer, *ts[n + 1 :]))
    for t in case.world.tables:
        yield replace(case, world=case.world.without(t))
    for n, v in enumerate(case.views):
        for other in plainer(v):
            yield replace(case, views=(*case.views[:n], other, *case.views[n + 1 :]))
    for t in case.world.tables:
        for r in range(len(t.rows)):
            yield replace(case, world=case.world.with_table(replace(t, rows=t.rows[:r] + t.rows[r + 1 :])))
        if t.key:
            yield replace(case, world=case.world.with_table(replace(t, key=())))
        for at in range(len(t.columns)):
            less = replace(
                t, columns=t.columns[:at] + t.columns[at + 1 :], rows=tuple(r[:at] + r[at + 1 :] for r in t.rows), key=()
            )
            if less.columns and not case.transactions:
                yield replace(case, world=case.world.with_table(less))


def lighter(t: Transaction) -> Iterator[Transaction]:
    for n in range(len(t.changes)):
        yield replace(t, changes=t.changes[:n] + t.changes[n + 1 :])
    for n, c in enumerate(t.changes):
        if isinstance(c, Insert) and len(c.rows) > 1:
            for r in range(len(c.rows)):
                fewer = replace(c, rows=c.rows[:r] + c.rows[r + 1 :])
                yield replace(t, changes=(*t.changes[:n], fewer, *t.changes[n + 1 :]))


def plainer(v: ViewSpec) -> Iterator[ViewSpec]:
    if v.reader:
        yield replace(v, reader=False)
    if v.above is not None:
        yield replace(v, above=None)
    if v.mode != "deferred":
        yield replace(v, mode="deferred")
    if v.verify:
        yield replace(v, verify=False)
    yield from (replace(v, query=q) for q in simpler(v.query))


def simpler(q: Query) -> Iterator[Query]:
    for n in range(len(q.where)):
        yield replace(q, where=q.where[:n] + q.where[n + 1 :])
    if q.having is not None:
        yield replace(q, having=None)
    if q.distinct:
        yield replace(q, distinct=False)
    used = names_used((q.select, q.where, q.group or (), q.having or (), q.header or (), tuple(i.range for i in q.items)))
    for n, i in enumerate(q.items):
        if i.var not in used:
            yield replace(q, items=q.items[:n] + q.items[n + 1 :])
    if q.group is None and len(q.select) > 1:
        for n in range(len(q.select)):
            if q.header is None:
                yield replace(q, select=q.select[:n] + q.select[n + 1 :])
            elif q.header.pivot != n:
                attrs = q.header.attrs[:n] + q.header.attrs[n + 1 :]
                yield replace(q, select=q.select[:n] + q.select[n + 1 :], header=replace(q.header, attrs=attrs))
