"""Batch and sequential maintenance: equation 2, one step for every changed part.

Step i joins ΔRi with the new state of the parts before it and the old state of those after it; summed over i that is exactly the
new view minus the old one. A condition is applied as soon as all its parts are visited.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from belvedere.algebra.types import to_arrow
from belvedere.changes.zset import add
from belvedere.errors import BelvedereError
from belvedere.sources.maintain.here import projected
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import NEW, OLD, Work, visit

Orders = Sequence[Sequence[str]]


def batch(work: Work, orders: Orders) -> pa.Table:
    """The change of the view. `orders`: for each changed part the parts in the order in which they are visited, itself first."""
    return _summed(work, [step(work, o, work.deltas[o[0]]) for o in _complete(work, orders)])


def sequential(work: Work, orders: Orders) -> pa.Table:
    """The same, one changed row at a time."""
    results: list[pa.Table] = []
    for order in _complete(work, orders):
        delta = work.deltas[order[0]]
        results += [step(work, order, delta.slice(i, 1)) for i in range(delta.num_rows)]
    return _summed(work, results)


def _complete(work: Work, orders: Orders) -> list[Sequence[str]]:
    """The orders of parts that changed; refuses plans that forget one."""
    names = [p.alias for p in work.view.parts]
    given = {o[0]: o for o in orders}
    changed = [n for n in names if work.deltas[n].num_rows]
    for n in changed:
        if n not in given or sorted(given[n]) != sorted(names):
            raise BelvedereError(f"the plan has no order that starts at {n} and visits {', '.join(names)} once each")
    return [given[n] for n in changed]


def step(work: Work, order: Sequence[str], rows: pa.Table) -> pa.Table:
    """One line of equation 2: changed rows of the first part, joined with all others in this order."""
    names = [p.alias for p in work.view.parts]
    start = names.index(order[0])
    visited: frozenset[str] = frozenset(order[:1])
    for to in order[1:]:
        if not rows.num_rows:
            break
        grown = visited | {to}
        now = [c for c in work.view.within(grown) if c not in work.view.within(visited)]
        # as the planner has it: edges join two parts
        origins = sorted({p for c in now if len(c.parts) == 2 for p in c.parts} - {to}) or sorted(visited)
        version = NEW if names.index(to) < start else OLD
        [rows] = visit(work, [rows], origins, to, version, "step", now)
        visited = grown
    return rows


def _summed(work: Work, results: Sequence[pa.Table]) -> pa.Table:
    """All steps together, as columns of the view."""
    whole = empty_rows(work.view)
    complete = [r.select(whole.column_names) for r in results if r.num_rows]
    return projected(work.here, work.view, add(whole, *complete))


def empty_rows(view: JoinView) -> pa.Table:
    return pa.schema([pa.field(c.name, to_arrow(c.type)) for c in view.weighted(view.slots)]).empty_table()
