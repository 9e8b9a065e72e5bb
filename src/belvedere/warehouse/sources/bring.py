"""The change of one remote join, by the strategy that is estimated to cost least, or by the one that is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from belvedere.changes.zset import add, consolidate, negate
from belvedere.errors import NotIncremental
from belvedere.maintenance.remote import RemoteJoin
from belvedere.planning.sources.choice import CHOICES, Decision, choose
from belvedere.planning.sources.plan import BATCH, GROUPING, RECOMPUTE, SEQUENTIAL
from belvedere.sources.maintain.batch import batch, sequential
from belvedere.sources.maintain.graph import view_graph
from belvedere.sources.maintain.grouping import grouping
from belvedere.sources.maintain.here import Here
from belvedere.sources.maintain.prepare import prepared
from belvedere.sources.maintain.probe import probe
from belvedere.sources.maintain.recompute import recompute
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import Asked, Work
from belvedere.sources.source import LogLost, Snapshot, worth_moving
from belvedere.warehouse.report import Asking
from belvedere.warehouse.sources.learned import Learned, per_source
from belvedere.warehouse.sources.sites import Sites

#: what may be asked for by name
STRATEGIES = (SEQUENTIAL, BATCH, GROUPING)
#: rows sent around to learn from before the first refresh, and the most queries for it
PROBES = (10, 100)
MOST_PROBES = 60


@dataclass(frozen=True)
class Brought:
    """`delta` of the remote join's rows; `moved`: there is something new to keep of it."""

    delta: pa.Table
    learned: Learned
    asking: Asking
    moved: bool


class Bringing:
    """One remote join and the states of its sources."""

    def __init__(self, join: RemoteJoin, view: JoinView, sites: Sites, here: Here) -> None:
        self.join, self.view, self.here = join, view, here
        self.sites = {p.source: sites.site(p.source) for p in view.parts}
        self.snapshots: Mapping[str, Snapshot] = {n: s.snapshot for n, s in self.sites.items()}
        self.began = time.perf_counter()

    def first(self, known: Learned, reason: str) -> Brought:
        """All rows, with a few questions to learn what questions cost."""
        work = prepared(self.view, self.snapshots, {}, self.here)
        rows = recompute(work)
        if len(self.view.parts) > 1 and not known.experience.fits:
            probe(work, PROBES, MOST_PROBES)
        return self._brought(rows, work, known, RECOMPUTE, reason, 0, True)

    def follow(self, known: Learned, stored: Callable[[], pa.Table], strategy: str) -> Brought:
        """What changed since the recorded positions. `stored` gives the rows that are kept, if all is read anew."""
        try:
            changes = self._changes(known)
        except LogLost as e:
            if strategy not in ("auto", RECOMPUTE):
                raise NotIncremental(f"{self.join.name.split('$')[0]!r} must be computed anew: {e}") from e
            return self._anew(known, stored, str(e))
        if strategy == RECOMPUTE:
            return self._anew(known, stored, "asked for")
        work = prepared(self.view, self.snapshots, changes, self.here)
        due = sum(d.num_rows for d in work.deltas.values())
        if not due:
            raw = any(c.num_rows for c in changes.values())
            said = "the changes cannot matter to it" if raw else "nothing that it reads changed"
            return self._brought(self._none(), work, known, "none", said, 0, raw or self._far(known))
        if len(self.view.parts) == 1:
            [alias] = work.deltas
            return self._brought(batch(work, [(alias,)]), work, known, BATCH, "one table: its changes are enough", due, True)
        decision = self._decide(known, work, strategy)
        known = replace(known, memory=decision.memory)
        if decision.plan.strategy == RECOMPUTE:
            return self._anew(known, stored, _why(decision), due)
        run = _run(decision, work)
        return self._brought(run, work, known, decision.plan.strategy, decision.reason, due, True, decision.plan.seconds)

    def _changes(self, known: Learned) -> dict[tuple[str, str], pa.Table]:
        return {
            (p.source, p.table): self.sites[p.source].changes(p.table, known.positions.get(p.source, {})) for p in self.view.parts
        }

    def _far(self, known: Learned) -> bool:
        """Does a server keep much of its log for a position that nothing has happened since?"""
        return any(worth_moving(known.positions.get(n, {}), s.position()) for n, s in self.snapshots.items())

    def _decide(self, known: Learned, work: Work, strategy: str) -> Decision:
        infos = {p.alias: self.snapshots[p.source].tables[p.table] for p in self.view.parts}
        graph = view_graph(self.view, infos, {a: d.num_rows for a, d in work.deltas.items()})
        allowed = {"auto": CHOICES, "incremental": STRATEGIES}.get(strategy, (strategy,))
        return choose(known.experience.applied_to(graph), known.memory, allowed=allowed)

    def _anew(self, known: Learned, stored: Callable[[], pa.Table], reason: str, due: int = 0) -> Brought:
        work = prepared(self.view, self.snapshots, {}, self.here)
        rows = recompute(work)
        delta = consolidate(add(rows, negate(stored()).select(rows.column_names)))
        return self._brought(delta, work, known, RECOMPUTE, reason, due, True)

    def _none(self) -> pa.Table:
        empty = prepared(self.view, self.snapshots, {}, self.here)
        return batch(empty, [])

    def _brought(
        self, delta: pa.Table, work: Work, known: Learned, strategy: str, reason: str, due: int, moved: bool,
        estimate: float | None = None,
    ) -> Brought:  # fmt: skip
        for a in work.asked:
            known.experience.observe(a)
        asked: list[Asked] = [a for a in work.asked if a.kind != "probe"]
        rows = {p.alias: float(self.snapshots[p.source].tables[p.table].rows) for p in self.view.parts}
        positions = {n: s.position() for n, s in self.snapshots.items()}
        kept = replace(known, positions=positions, rows=rows, asked=asked or known.asked)
        asking = Asking(
            self.join.name, strategy, reason, per_source(asked), due, delta.num_rows, time.perf_counter() - self.began, estimate,
            len(work.asked) - len(asked),
        )  # fmt: skip
        return Brought(delta, kept, asking, moved)


def _why(decision: Decision) -> str:
    """Reading everything is no small thing: what it is estimated at, and what else was."""
    others = [p for p in decision.others if p.strategy in STRATEGIES]
    beside = f", {others[0].strategy} at {others[0].seconds:.4f} s" if others else ""
    return f"{decision.reason}: reading the tables whole at {decision.plan.seconds:.4f} s{beside}"


def _run(decision: Decision, work: Work) -> pa.Table:
    plan = decision.plan
    match plan.strategy:
        case "grouping":
            return grouping(work, plan.orders[0])
        case "sequential":
            return sequential(work, plan.orders)
        case _:
            return batch(work, plan.orders)
