"""Which strategy, which order: the cheapest of all, or the one of last time while nothing has changed enough (§3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from belvedere.errors import BelvedereError
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.graph import ViewGraph
from belvedere.planning.sources.grouping import best_grouping, path_plan
from belvedere.planning.sources.plan import BATCH, GROUPING, MIRROR, RECOMPUTE, SEQUENTIAL, Plan
from belvedere.planning.sources.search import greedy
from belvedere.planning.sources.strategies import batch, batch_plan, mirror, recompute, sequential
from belvedere.planning.sources.thresholds import Memory, reason_to_search, remember

NO_PATH = "grouping is not possible: no path goes through every table once (as in a star)"
#: what `choose` may take by itself; a mirror is chosen when a source is attached
CHOICES = (BATCH, GROUPING, SEQUENTIAL, RECOMPUTE)


@dataclass(frozen=True)
class Decision:
    """The plan that was chosen, the others, why, and what to remember for next time."""

    graph: ViewGraph
    plan: Plan
    others: tuple[Plan, ...]
    reason: str
    memory: Memory
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        return {
            "plan": self.plan.to_dict(), "others": [p.to_dict() for p in self.others], "reason": self.reason,
            "notes": list(self.notes),
        }  # fmt: skip


def choose(graph: ViewGraph, last: Memory | None = None, *, allowed: Iterable[str] = CHOICES) -> Decision:
    """The cheapest plan of the allowed strategies for the deltas of the graph."""
    allowed = tuple(allowed)
    unknown = [a for a in allowed if a not in (*CHOICES, MIRROR)]
    if unknown or not allowed:
        raise BelvedereError(f"unknown strategy {', '.join(unknown) or '(none)'}; use one of {', '.join(CHOICES)}")
    costing = Costing(graph)
    if last is not None and last.plan.strategy in allowed:
        why = reason_to_search(last, costing, _again(last, costing), _greedy_cost(costing))
        if why is None:
            return Decision(graph, _again(last, costing), (), "as last time: nothing has changed enough to search again", last)
    else:
        why = "first plan"
    plans, notes = _all(costing, allowed)
    plan = min(plans, key=lambda p: p.seconds)
    others = sorted((p for p in plans if p is not plan), key=lambda p: p.seconds)
    if MIRROR not in allowed:
        others.append(mirror(costing))
    return Decision(graph, plan, tuple(others), f"{why}: cheapest by estimate", remember(plan, graph), tuple(notes))


def _all(costing: Costing, allowed: tuple[str, ...]) -> tuple[list[Plan], list[str]]:
    plans: list[Plan] = []
    notes: list[str] = []
    if BATCH in allowed:
        plans.append(batch(costing))
    if GROUPING in allowed:
        found = best_grouping(costing)
        if found is None:
            notes.append(NO_PATH)
        else:
            plans.append(found)
    if SEQUENTIAL in allowed:
        plans.append(sequential(costing))
    if RECOMPUTE in allowed:
        plans.append(recompute(costing))
    if MIRROR in allowed:
        plans.append(mirror(costing))
    if not plans:
        raise BelvedereError(f"{NO_PATH}; use another strategy: {BATCH}, {SEQUENTIAL} or {RECOMPUTE}")
    return plans, notes


def _again(last: Memory, costing: Costing) -> Plan:
    """Last time's orders with today's estimates. A delta that had no order then gets the greedy one."""
    number = costing.number
    if last.plan.strategy == GROUPING:
        return path_plan(costing, tuple(number[n] for n in last.plan.orders[0]))
    if last.plan.strategy == RECOMPUTE:
        return recompute(costing)
    if last.plan.strategy == MIRROR:
        return mirror(costing)
    known = {order[0]: tuple(number[n] for n in order) for order in last.plan.orders}
    one_by_one = last.plan.strategy == SEQUENTIAL
    orders = [
        known.get(n.name) or greedy(costing, i, 1.0 if one_by_one else n.delta)[1]
        for i, n in enumerate(costing.graph.nodes)
        if n.delta > 0
    ]
    return batch_plan(costing, orders, one_by_one=one_by_one)


def _greedy_cost(costing: Costing) -> float:
    return sum(greedy(costing, i, n.delta)[0] for i, n in enumerate(costing.graph.nodes) if n.delta > 0)
