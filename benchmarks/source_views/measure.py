"""Every plan of a view, estimated and measured.

Steps of a batch plan do not depend on each other, so each sequence of each step is measured once a round and a plan costs the sum
of its steps. Rounds go through all sequences and paths in turn; the least counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import pyarrow as pa
from benchmarks.source_views.databases import Databases
from benchmarks.source_views.here import Here

from belvedere.changes.zset import equal
from belvedere.planning.sources.choice import Decision, choose
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.experience import Experience
from belvedere.planning.sources.graph import ViewGraph
from belvedere.planning.sources.grouping import path_plan, paths
from belvedere.planning.sources.plan import BATCH, GROUPING
from belvedere.planning.sources.search import sequences
from belvedere.planning.sources.strategies import batch_plan
from belvedere.sources.maintain.batch import batch, step
from belvedere.sources.maintain.graph import view_graph
from belvedere.sources.maintain.grouping import grouping
from belvedere.sources.maintain.prepare import prepared
from belvedere.sources.maintain.probe import probe
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import Work

PROBES = (100, 1000, 4000)

Order = tuple[str, ...]


@dataclass(frozen=True)
class Costed:
    """A plan with both figures, in seconds of queries."""

    strategy: str
    orders: tuple[Order, ...]
    estimated: float
    measured: float

    @property
    def name(self) -> str:
        return "; ".join("-".join(o) for o in self.orders)


@dataclass
class Survey:
    """All plans for one set of changes."""

    title: str
    graph: ViewGraph
    decision: Decision
    plans: list[Costed]
    #: whether all plans gave the same change of the view
    agree: bool
    at_view: float
    rows_out: int
    queries: dict[str, int] = field(default_factory=dict)

    def of(self, strategy: str) -> list[Costed]:
        return sorted((p for p in self.plans if p.strategy == strategy), key=lambda p: p.estimated)

    @property
    def best(self) -> Costed:
        return min(self.plans, key=lambda p: p.measured)

    @property
    def chosen(self) -> Costed:
        plan = self.decision.plan
        return next(p for p in self.plans if p.strategy == plan.strategy and set(p.orders) == set(plan.orders))

    @property
    def distance(self) -> float:
        """How much dearer than the best the chosen plan was."""
        return self.chosen.measured / self.best.measured - 1


def learn(databases: Databases, view: JoinView, here: Here, delay: float, rounds: int) -> Experience:
    """Probing queries."""
    known = Experience(keep=1.0)
    with databases.snapshots(delay) as (snapshots, changes):
        for _ in range(rounds):
            work = prepared(view, snapshots, changes, here, tuples=True)
            work.clock = databases.clock.now
            for asked in probe(work, PROBES):
                known.observe(asked)
    return known


def survey(
    title: str, databases: Databases, view: JoinView, here: Here, known: Experience, delay: float, rounds: int
) -> Survey:
    with databases.snapshots(delay) as (snapshots, changes):

        def fresh() -> Work:
            work = prepared(view, snapshots, changes, here, tuples=True)
            work.clock = databases.clock.now
            return work

        start = fresh()
        infos = {p.alias: snapshots[p.source].tables[p.table] for p in view.parts}
        guess = view_graph(view, infos, {a: d.num_rows for a, d in start.deltas.items()}, tuples=True)
        graph = known.applied_to(guess)
        costing = Costing(graph)
        decision = choose(graph, allowed=[BATCH, GROUPING])
        orders = {i: list(sequences(costing, i)) for i, n in enumerate(graph.nodes) if n.delta}
        ways = list(paths(costing))
        steps: dict[Order, float] = {}
        grouped: dict[Order, float] = {}
        at_view, agree, queries = 0.0, True, {BATCH: 0, GROUPING: 0}
        answer: pa.Table | None = None
        for _ in range(rounds):
            for sequence in (s for found in orders.values() for s in found):
                order = tuple(costing.names[k] for k in sequence)
                work = fresh()
                step(work, order, work.deltas[order[0]])
                seconds = sum(a.seconds for a in work.asked)
                steps[order] = min(steps.get(order, seconds), seconds)
            for way in ways:
                path = tuple(costing.names[k] for k in way)
                work, began = fresh(), databases.clock.now()
                found_rows = grouping(work, path)
                took, asked = databases.clock.now() - began, sum(a.seconds for a in work.asked)
                at_view, queries[GROUPING] = max(at_view, took - asked), len(work.asked)
                grouped[path] = min(grouped.get(path, asked), asked)
                agree = agree and (answer is None or equal(answer, found_rows))
                answer = found_rows
        work = fresh()
        whole = batch(work, [tuple(costing.names[k] for k in found[-1]) for found in orders.values()])
        queries[BATCH] = len(work.asked)
        agree = agree and (answer is None or equal(answer, whole))
    plans = [_batch(costing, steps, chosen) for chosen in product(*orders.values())]
    for way in ways:
        names = tuple(costing.names[k] for k in way)
        plans.append(Costed(GROUPING, (names,), path_plan(costing, way).seconds, grouped[names]))
    return Survey(title, graph, decision, plans, agree, at_view, whole.num_rows, queries)


def _batch(costing: Costing, steps: dict[Order, float], chosen: tuple[tuple[int, ...], ...]) -> Costed:
    orders = tuple(tuple(costing.names[k] for k in s) for s in chosen)
    return Costed(BATCH, orders, batch_plan(costing, list(chosen)).seconds, sum(steps[o] for o in orders))
