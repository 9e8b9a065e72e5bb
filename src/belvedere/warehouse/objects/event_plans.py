"""For each event that matters to a view in OQL: the plans of its stages, with what they would read, and the one that is taken.

They come from the same rules, and are compared by the same estimate, as those of a refresh: what is shown is what runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.languages.oql.events import Event
from belvedere.maintenance.known import planned
from belvedere.maintenance.stage_delta import StageDelta
from belvedere.maintenance.stages import Stage, ViewPlan
from belvedere.objects.model import ObjectModel
from belvedere.planning.estimate import cheapest, rows_read
from belvedere.warehouse.objects.event_facts import facts_of
from belvedere.warehouse.resolve import Resolver


@dataclass(frozen=True)
class StageWays:
    """The ways to one stage's change, and the one of them that is taken."""

    stage: Stage
    ways: tuple[tuple[StageDelta, float], ...]
    taken: StageDelta

    def __str__(self) -> str:
        others = [f"{p.way} {n:,.0f}" for p, n in self.ways if p is not self.taken]
        mine = next(f"{p.way} {n:,.0f} rows" for p, n in self.ways if p is self.taken)
        return f"{self.stage.name} {mine}{''.join(f', not {o}' for o in others)}"


def event_plans(
    plan: ViewPlan, event: Event, model: ObjectModel, resolver: Resolver, rows: int, beside: Callable[[Get], float]
) -> list[StageWays]:
    """Stage by stage, for so many changed rows; what a lookup looks at `beside` what it finds is as for a refresh."""
    reads: dict[str, set[str]] = {}
    for leaf in (g for s in plan.stages for g in gets(s.definition) if g.name in plan.reads):
        reads.setdefault(leaf.name, set()).update(leaf.columns)
    facts = facts_of(event, model, reads)

    def size(leaf: Get) -> int:
        """A change that has not come yet has the size that is reckoned with."""
        return max(rows, resolver.size(leaf)) if leaf.version == "delta" else resolver.size(leaf)

    found: list[StageWays] = []
    for stage in plan.stages:
        ways = planned(plan, stage, facts)
        if ways:
            taken = cheapest(ways, size, rows, beside)
            found.append(StageWays(stage, tuple((w, rows_read(w.node, size, rows, beside)) for w in ways), taken))
            facts = facts.plus(stage, deleting=True)
    return found


class Numbered:
    """Plans that are shown once and named by a number: many events have the same."""

    def __init__(self, sql: Callable[[Node], str]) -> None:
        self._sql = sql
        self._numbers: dict[tuple[str, Node], int] = {}
        self.shown: list[dict[str, str | int]] = []

    def number(self, stage: Stage, way: StageDelta) -> int:
        key = (stage.name, way.node)
        if key not in self._numbers:
            made = self._numbers[key] = len(self._numbers) + 1
            self.shown.append(
                {"number": made, "stage": stage.name, "way": way.way, "rule": way.rule, "algebra": str(way.node),
                 "sql": self._sql(way.node)}
            )  # fmt: skip
        return self._numbers[key]
