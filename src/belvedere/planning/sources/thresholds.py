"""When to search for a plan again (§3.3): factors, cost functions or deltas changed beyond a threshold, or greedy does better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.graph import Direction, ViewGraph
from belvedere.planning.sources.plan import Plan
from belvedere.planning.sources.regression import CostFunction

#: a join factor that differs by more than this since the last search
FACTOR_CHANGE = 0.25
#: this share of the cost functions may differ (each by more than FACTOR_CHANGE) before the plan is searched anew
COST_SHARE = 0.20
#: deltas are other than last time if one became this many times larger or smaller
DELTA_RATIO = 4.0
#: where cost functions are compared: rows and attributes of a middling query
PROBE = (100.0, 2.0)


@dataclass(frozen=True)
class Memory:
    """A plan and what was known when it was found."""

    plan: Plan
    directions: Mapping[tuple[str, str], Direction]
    deltas: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """To keep it; of the plan what is needed to use it again."""
        directions = [
            [a, b, d.factor, d.cost.start, d.cost.per_attribute, d.cost.per_value] for (a, b), d in self.directions.items()
        ]
        orders = [list(o) for o in self.plan.orders]
        return {"strategy": self.plan.strategy, "orders": orders, "directions": directions, "deltas": dict(self.deltas)}

    @staticmethod
    def from_dict(d: Mapping[str, Any]) -> Memory:
        directions = {(a, b): Direction(factor, CostFunction(*cost)) for a, b, factor, *cost in d["directions"]}
        return Memory(Plan(d["strategy"], tuple(map(tuple, d["orders"])), ()), directions, dict(d["deltas"]))


def remember(plan: Plan, graph: ViewGraph) -> Memory:
    return Memory(plan, graph.directions(), {n.name: n.delta for n in graph.nodes})


def reason_to_search(last: Memory, costing: Costing, again: Plan, greedy_seconds: float) -> str | None:
    """Why last time's plan should not simply be used again; None if it may. `again` is that plan with today's estimates."""
    now = costing.graph.directions()
    if now.keys() != last.directions.keys():
        return "the view graph is another one"
    for node in costing.graph.nodes:
        before, after = last.deltas.get(node.name, 0.0), node.delta
        if (before == 0) != (after == 0) or max(before, after) > DELTA_RATIO * min(before, after):
            return f"{node.name} has {after:,.0f} changed rows, {before:,.0f} when the plan was found"
    for (a, b), direction in now.items():
        if _differs(last.directions[a, b].factor, direction.factor):
            return f"the join factor {a} → {b} went from {last.directions[a, b].factor:.3g} to {direction.factor:.3g}"
    changed = [k for k, d in now.items() if _differs(last.directions[k].cost.seconds(*PROBE), d.cost.seconds(*PROBE))]
    if len(changed) > COST_SHARE * len(now):
        return f"{len(changed)} of {len(now)} cost functions changed by more than {FACTOR_CHANGE:.0%}"
    if greedy_seconds < again.seconds:
        return f"the greedy plan is estimated at {greedy_seconds:.4f} s, the last plan at {again.seconds:.4f} s"
    return None


def _differs(before: float, after: float) -> bool:
    return abs(after - before) > FACTOR_CHANGE * max(abs(before), 1e-12)
