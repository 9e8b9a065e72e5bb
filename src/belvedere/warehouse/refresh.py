"""Bringing views up to date: what changed, does it matter, how to go about it, do it, report it.

One Refresher serves one commit. Views are worked on in dependency order; what one stage gains is what the next one reads.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import gets
from belvedere.errors import BelvedereError, EngineError, NotIncremental
from belvedere.maintenance.known import planned, usable
from belvedere.maintenance.stage_delta import Facts, StageDelta
from belvedere.maintenance.stages import Stage
from belvedere.planning.choice import Choice, Option
from belvedere.planning.cost import Work
from belvedere.planning.estimate import cheapest, rows_read
from belvedere.store.commit import Commit
from belvedere.store.model import SMALL
from belvedere.store.publish import THIS_EPOCH
from belvedere.warehouse.ability import able_engines, summary
from belvedere.warehouse.ahead import Ahead
from belvedere.warehouse.closures import run_closure
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.graph_views.graphic import Graphic
from belvedere.warehouse.graph_views.relevance import EDGES
from belvedere.warehouse.graph_views.sharing import FEW, too_shared
from belvedere.warehouse.inputs import Inputs, look
from belvedere.warehouse.lately import Chosen, Ways, asked
from belvedere.warehouse.rebuild import document, rebuild
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Asking, Refresh, Step, with_asked
from belvedere.warehouse.resolve import Overlay, Resolver, Shared
from belvedere.warehouse.run import is_large, run_stage
from belvedere.warehouse.schemas.leaves import TransitionResolver, add_leaves
from belvedere.warehouse.schemas.readers import anew_reason, moving
from belvedere.warehouse.schemas.settle import settle
from belvedere.warehouse.schemas.transition import Transition
from belvedere.warehouse.weigh import weigh
from belvedere.warehouse.widen import Widening, widen, widening

STRATEGIES = ("auto", "incremental", "recompute")
NONE: Mapping[str, StageDelta] = {}


#: ways to a stage's delta, and the one that was taken
_Picked = tuple[tuple[StageDelta, ...], StageDelta]


@dataclass(frozen=True)
class _Weighed:
    """What changed for a view, and how to go about it."""

    definition: Definition
    inputs: Inputs
    resolver: Resolver
    choice: Choice
    picked: _Picked | None
    #: the plans of its first stages
    plans: dict[str, StageDelta]


@dataclass
class Refresher:
    """Refreshes views inside one commit, on top of an overlay that it adds to. The registry sees that overlay."""

    core: Core
    registry: Registry
    commit: Commit
    overlay: Overlay
    reports: list[Refresh] = field(default_factory=list)
    #: definitions whose documents are new: they need not be compiled again once these are published
    compiled: list[Definition] = field(default_factory=list)
    #: what was asked of databases for each view before its turn
    asked: Mapping[str, tuple[Asking, ...]] = field(default_factory=dict)
    #: what was begun before its turn
    ahead: Ahead = field(default_factory=Ahead)
    #: for the history of a schema: what the change at hand comes from
    _why: str = ""
    #: the engine that was asked for
    _wish: str | None = None
    #: the ways to a stage's delta that were last compared, and the one that was taken
    _picked: _Picked | None = None
    #: views that were looked at before their turn
    _weighed: dict[str, _Weighed] = field(default_factory=dict)
    #: by the epoch that a view was brought up to
    _resolvers: dict[int, Resolver] = field(default_factory=dict)
    _scans: Shared = field(default_factory=dict)
    #: whether a part of the view at hand was worked out together with others
    _together: bool = False

    def __post_init__(self) -> None:
        #: what its epochs hold is asked for once
        self._store = self.core.store.remembering()

    def refresh(self, name: str, strategy: str = "auto", engine: str | None = None) -> Refresh:
        """One view; what it reads must be up to date in this commit already."""
        if strategy not in STRATEGIES:
            raise NotIncremental(f"strategy={strategy!r} is not known; use one of {', '.join(STRATEGIES)}")
        began, later = time.perf_counter(), self._any_done
        self._why = "changed data"
        self._wish = engine
        self.ahead.spared, self.ahead.together = 0.0, False
        self._together = False
        weighed = self._weighed.get(name)
        definition = weighed.definition if weighed is not None else self.registry.definition(name)
        try:
            report = with_asked(self._refresh(definition, strategy, engine), self.asked.get(name, ()))
        except EngineError as e:
            raise EngineError(f"view {name!r} cannot be refreshed: {e}") from e
        report = self._kept_meaning(definition, report)
        if definition.schema is not None and report.strategy != "none":
            settled = settle(self.core, self.registry, self.commit, self.overlay, definition.schema, self._why)
            report = replace(report, rows_read=report.rows_read + settled.rows_read)
        asking = sum(a.seconds for a in report.asked)
        # what was done ahead would have taken its time, and the cost model learns from that
        report = report.but(seconds=time.perf_counter() - began + asking + self.ahead.spared)
        self.reports.append(report)
        if report.strategy != "none":
            self.commit.put_doc("pin", name, {"epoch": THIS_EPOCH})
            self.commit.record(f"refresh:{name}", report.record())
            if not self._together:  # what it would have taken alone is not known
                seen = self.core.experience(name)
                seen.add(
                    report.strategy, report.rows_in, report.seconds, report.expected, later=later,
                    fetches=report.estimated_fetches, deleting=report.deleting,
                )  # fmt: skip
                self.commit.record("refresh", {"engine": report.engine, "rows_read": report.rows_read,
                                              "rows_written": report.rows_written, "seconds": report.seconds})  # fmt: skip
        return report

    def _resolver(self, since: int) -> Resolver:
        """What views that were brought up to the same epoch read is found once for all of them."""
        if since not in self._resolvers:
            until, overlay = self.commit.base, self.overlay
            self._resolvers[since] = Resolver(self._store, until=until, since=since, overlay=overlay, shared=self._scans)
        return self._resolvers[since]

    @property
    def _any_done(self) -> bool:
        return any(r.strategy != "none" for r in self.reports)

    def expect(self, names: Iterable[str]) -> None:
        """These views will be begun: what the run log says of what they read and keep is asked once for all of them."""
        known = self.registry.all_collections()
        expected: dict[int, set[int]] = {self.commit.base: set()}
        for name in names:
            mark = self._store.doc("pin", name, self.commit.base)
            with suppress(BelvedereError):
                plan = self.registry.definition(name).plan
                read = {known[n].id for n in plan.reads if n in known}
                expected[self.commit.base] |= read
                if mark is not None:
                    own = {known[s.name].id for s in plan.stages if s.name in known}
                    expected.setdefault(mark["epoch"], set()).update(read, own)
        self._store.expect(expected)

    def begin(self, name: str, strategy: str, engine: str | None) -> None:
        """Note what the view's refresh will ask of an engine first, to be done together with that of others. What it reads must
        be up to date."""
        d = self.registry.definition(name)
        mark = self._store.doc("pin", name, self.commit.base)
        if d.schema is not None or d.graph is not None or mark is None:
            return
        since: int = mark["epoch"]
        if moving(self._store, self.registry, d, since) is not None or anew_reason(self._store, self.registry, d, None):
            return
        inputs = look(self._store, self.registry, self.overlay, d, since, self.commit.base)
        if not inputs.relevant or inputs.blocked:
            return
        resolver = self._resolver(since)
        choice = self._choose(d, inputs, resolver, strategy, engine)
        weighed = self._weighed[name] = _Weighed(d, inputs, resolver, choice, self._picked, {})
        chosen = choice.chosen
        if chosen.strategy != "incremental" or (chosen.engine == "spark" and not self.core.spark_started):
            return
        for stage, plan in self._at_first(d, inputs, resolver, chosen.engine):
            weighed.plans[stage.name] = plan
            self.ahead.begin(stage.name, plan.node, self.core.engine(chosen.engine), resolver)

    def start(self) -> None:
        """Do together what was begun."""
        self.ahead.start()
        self.ahead.make_ready(self.commit, self.registry.collection)

    def _at_first(self, d: Definition, inputs: Inputs, resolver: Resolver, engine: str) -> list[tuple[Stage, StageDelta]]:
        """The stages that can be done at the same time, since none of them reads what another one gains."""
        facts, own = inputs.facts(), {s.name for s in d.plan.stages}
        found: list[tuple[Stage, StageDelta]] = []
        for stage in d.plan.stages:
            if stage.reads & own:
                continue
            plan = self._plan(d, stage, facts, inputs, resolver, engine, first=not found)
            if plan is not None and (plan.closure is not None or is_large(plan.node, resolver)):
                break
            if plan is not None:
                found.append((stage, plan))
        return found

    def _kept_meaning(self, d: Definition, report: Refresh) -> Refresh:
        """Where a name in the text means another table now, and the view does not feel it, that is written down all the same:
        from now on the name follows this one."""
        before = self.registry.document(d.name)["uses"]
        others = any(k in before and "id" in u and before[k].get("id") != u["id"] for k, u in d.uses.items())
        if not others or report.strategy == "recompute" or any(c is d for c in self.compiled):
            return report
        self.commit.touch(d.plan.reads)
        self.commit.touch([d.name], kind="pin")
        self.commit.put_doc("view", d.name, document(self.registry, d))
        self.compiled.append(d)
        if report.strategy != "none":
            return report
        return replace(report, strategy="incremental", reason="a name in its text means another table now; its rows are the same")

    def _refresh(self, d: Definition, strategy: str, engine: str | None) -> Refresh:
        weighed = self._weighed.pop(d.name, None)
        if weighed is not None:
            self.commit.touch(d.plan.reads)
            self.commit.touch([d.name], kind="pin")
            self._picked = weighed.picked
            return self._chosen(d, weighed.inputs, weighed.resolver, weighed.choice, weighed.plans)
        mark = self._store.doc("pin", d.name, self.commit.base)
        since = int(mark["epoch"]) if mark else self.commit.base
        resolver = self._resolver(since)
        moved = moving(self._store, self.registry, d, since) if strategy != "recompute" else None
        broken = anew_reason(self._store, self.registry, d, moved)
        if moved is not None:
            self._why = moved.reason
        if isinstance(moved, Transition) and not broken:
            return self._moved(d, moved, since, strategy, engine)
        added: Widening | None = None
        if broken and strategy != "recompute":
            added = widening(self._store, self.registry, d, since)
        if broken and added is None:
            if strategy == "incremental":
                raise NotIncremental(f"view {d.name!r} must be computed anew: {broken}")
            return self._rebuild(d, engine, broken)
        if added is not None:
            widen(self.registry, self.commit, self.overlay, d, added)
        inputs = look(self._store, self.registry, self.overlay, d, since, self.commit.base)
        if added is not None and not inputs.relevant:
            return Refresh(d.name, since, "incremental", "none", str(added))
        if not inputs.relevant and strategy != "recompute":
            return Refresh(d.name, since, "none", "none", inputs.why_not or "nothing that it reads changed")
        self.commit.touch(d.plan.reads)
        self.commit.touch([d.name], kind="pin")
        choice = self._choose(d, inputs, resolver, strategy, engine)
        if d.graph is not None and strategy == "auto" and choice.chosen.strategy == "incremental":
            # a graph view has many small statements to maintain it, and what that takes is learned from doing it
            slower = self._slower(d, d.graph, inputs) or self._shared(d.graph, inputs, resolver)
            if slower is not None:
                choice = replace(self._choose(d, inputs, resolver, "recompute", engine), reason=slower)
        report = self._chosen(d, inputs, resolver, choice)
        return report if d.graph is None else _with_fetches(report, d.graph, inputs)

    def _chosen(
        self, d: Definition, inputs: Inputs, resolver: Resolver, choice: Choice, plans: Mapping[str, StageDelta] = NONE
    ) -> Refresh:
        """Do what was chosen; some plans may be known."""
        if choice.chosen.strategy == "incremental":
            return self._incremental(d, inputs, resolver, choice, plans)
        report = self._rebuild(d, choice.chosen.engine, choice.reason)
        return replace(report, rows_in=inputs.rows, estimate=choice.chosen.seconds, expected=choice.chosen.expected)

    def _rebuild(self, d: Definition, engine: str | None, reason: str) -> Refresh:
        return rebuild(self.core, self.registry, self.commit, self.overlay, d, engine, reason, wish=self._wish)

    def _slower(self, d: Definition, graphic: Graphic, inputs: Inputs) -> str | None:
        """Why it is better to compute a Lorel view anew, as what it took lately tells."""
        felt, known = inputs.felt, self.core.experience(d.name)
        fetches = None if felt is None else felt.fetches(graphic)
        trying = felt is not None and felt.model(graphic).recompute() >= FEW
        return known.against_maintenance(inputs.rows, fetches, deleting=bool(inputs.deleting), trying=trying)

    def _shared(self, graphic: Graphic, inputs: Inputs, resolver: Resolver) -> str | None:
        """Why it is better to compute a Lorel view anew than to follow what so many objects share."""
        if inputs.felt is None:
            return None
        return too_shared(self.core, graphic, inputs.felt, self.registry.collection(EDGES), resolver)

    def _moved(self, d: Definition, moved: Transition, since: int, strategy: str, engine: str | None) -> Refresh:
        """From the branches of another catalog to those of this one, with all that changed in the data meanwhile."""
        leaves = moved.leaves
        resolver = TransitionResolver(
            self.core, self._store, until=self.commit.base, since=since, overlay=self.overlay, leaves=leaves
        )
        inputs = look(self._store, self.registry, self.overlay, d, since, self.commit.base)
        if inputs.blocked and strategy != "incremental":
            return self._rebuild(d, engine, "; ".join(inputs.blocked.values()))
        add_leaves(inputs, leaves, resolver)
        self.commit.touch(d.plan.reads)
        self.commit.touch([d.name], kind="pin")
        over = d if moved.plan is None else replace(d, plan=moved.plan)
        if inputs.relevant:
            # where only the names in what it reads have changed, it may still be cheaper to compute it
            choice = self._choose(over, inputs, resolver, "incremental" if d.schema is not None else strategy, engine)
            if choice.chosen.strategy == "recompute":
                return self._rebuild(d, choice.chosen.engine, moved.reason)
            words = moved.reason if moved.plan is not None else f"{moved.reason}; and a change of the data"
            report = replace(self._incremental(over, inputs, resolver, choice), reason=words)
        else:
            report = Refresh(d.name, since, "incremental", "none", moved.reason)
        self.commit.put_doc("view", d.name, document(self.registry, d))
        self.compiled.append(d)
        return report

    def _incremental(
        self, d: Definition, inputs: Inputs, resolver: Resolver, choice: Choice, plans: Mapping[str, StageDelta] = NONE
    ) -> Refresh:
        facts = inputs.facts()
        steps: list[Step] = []
        written = size = 0
        alone = choice.chosen.engine == "spark" and self._begin_alone(d, inputs, resolver)
        for stage in d.plan.stages:
            plan = plans.get(stage.name) or self._plan(d, stage, facts, inputs, resolver, choice.chosen.engine, first=not steps)
            if plan is None:
                continue
            target = self.registry.collection(stage.name)
            rows_in = sum(inputs.size.get(n, self.overlay.rows(n)) for n in stage.reads if n in facts.changed)
            if plan.closure is not None:
                step, runs = run_closure(
                    self.core, self.commit, self.overlay, target, plan, resolver, choice.chosen.engine, rows_in=rows_in
                )
            else:
                step, runs = run_stage(
                    self.core, self.commit, self.overlay, target, plan.node, plan.rule, resolver, choice.chosen.engine,
                    rows_in=rows_in, wish=self._wish, ahead=self.ahead,
                )  # fmt: skip
            self._together |= self.ahead.together and not alone
            steps.append(step)
            written += sum(r.rows for r in runs)
            size += sum(r.bytes for r in runs)
            if runs and stage is not d.plan.stages[-1]:
                inserting = d.schema is None or any(r.deletes < r.rows for r in runs)
                deleting = inputs.coarse or any(r.deletes for r in runs)
                facts = facts.plus(stage, deleting=deleting, inserting=inserting)
        return summary(d, "incremental", choice, steps, inputs.rows, written, size)

    def _begin_alone(self, d: Definition, inputs: Inputs, resolver: Resolver) -> bool:
        """Let Spark do several stages of the view by one statement, unless it has been begun together with others."""
        if any(self.ahead.has(s.name) for s in d.plan.stages):
            return False
        first = self._at_first(d, inputs, resolver, "spark")
        if len(first) > 1:
            for stage, plan in first:
                self.ahead.begin(stage.name, plan.node, self.core.spark, resolver)
            self.ahead.start()
        return True

    def _plan(
        self, d: Definition, stage: Stage, facts: Facts, inputs: Inputs, resolver: Resolver, engine: str, *, first: bool
    ) -> StageDelta | None:
        """The way to a stage's delta; None if there is nothing to do for it. Spark keeps no statements prepared, and each part of
        one takes its time there: it gets no more than it needs."""
        plans = (planned if engine == "spark" else usable)(d.plan, stage, facts)
        if not plans or (stage.by_insertion and self._untouched(stage, facts, resolver)):
            return None
        known = self._picked if first else None  # what a stage gains may make another way the cheaper one
        if known and known[0] is plans:
            return known[1]
        return cheapest(plans, resolver.size, inputs.rows, self.core.beside(resolver))

    @staticmethod
    def _untouched(stage: Stage, facts: Facts, resolver: Resolver) -> bool:
        """A stage that is empty, and whose rows come of insertions only, when there are none."""
        return not (stage.reads & facts.inserting) and resolver(stage.get()).is_empty

    def _choose(self, d: Definition, inputs: Inputs, resolver: Resolver, strategy: str, engine: str | None) -> Choice:
        why_not, allowed = inputs.blocked, self.core.allowed(engine)
        if strategy == "incremental" and not why_not and len(allowed) == 1 and inputs.rows < SMALL:
            self._picked = None
            # nothing to weigh; of many rows, what they were expected to take is wanted all the same, to learn from
            return Choice(Option("incremental", allowed[0], 0.0, 0.0), "the only way allowed", ())
        whole = 0 if strategy == "incremental" else self._whole(d, inputs, resolver)
        if d.graph is not None or why_not or inputs.rows >= SMALL:
            return self._weigh(d, inputs, resolver, self._ways(d, inputs, resolver, strategy, engine, whole))
        costs, wanted = self.core.costs(), asked(d, inputs, whole, strategy, engine)
        known = self.core.lately.find(d, wanted)
        if known is not None and known.costs is not costs and not known.is_old:
            known = replace(known, costs=costs, choice=self._weigh(d, inputs, resolver, known.ways), again=known.again + 1)
            self.core.lately.keep(known)
        elif known is None or known.costs is not costs:
            ways = self._ways(d, inputs, resolver, strategy, engine, whole)
            known = Chosen(d, costs, wanted, ways, self._weigh(d, inputs, resolver, ways))
            self.core.lately.keep(known)
        self._picked = known.ways.picked
        return known.choice

    def _whole(self, d: Definition, inputs: Inputs, resolver: Resolver) -> int:
        """The rows that its stages would read if it were computed anew."""

        def measure() -> int:
            return sum(resolver.size(n) for s in d.plan.stages for n in gets(s.definition))

        return measure() if inputs.rows >= SMALL else self.core.lately.whole(d, inputs.rows, measure)

    def _ways(self, d: Definition, inputs: Inputs, resolver: Resolver, strategy: str, engine: str | None, whole: int) -> Ways:
        self._picked = None
        work: dict[str, Work] = {}
        engines: dict[str, Sequence[str]] = {}
        why_not: dict[str, str] = dict(inputs.blocked)
        allowed = self.core.allowed(engine)
        if strategy != "recompute" and not why_not:
            estimate, able = self._estimate(d, inputs, resolver, allowed)
            if inputs.felt is not None and d.graph is not None:
                estimate = inputs.felt.fetches(d.graph)
            work["incremental"], engines["incremental"] = Work(estimate), able
        if strategy == "incremental" and why_not:
            raise NotIncremental(f"view {d.name!r}: {'; '.join(why_not.values())}")
        if strategy != "incremental":
            work["recompute"] = Work(whole)
            engines["recompute"] = able_engines(self.core, [s.definition for s in d.plan.stages], allowed)
        return Ways(work, engines, why_not, self._picked)

    def _weigh(self, d: Definition, inputs: Inputs, resolver: Resolver, ways: Ways) -> Choice:
        later = bool(self._weighed) or self._any_done
        return weigh(self.core, d, inputs, resolver, ways.work, ways.engines, ways.why_not, later=later)

    def _estimate(self, d: Definition, inputs: Inputs, resolver: Resolver, allowed: Sequence[str]) -> tuple[float, Sequence[str]]:
        total = 0.0
        nodes: list[Node] = []
        self._picked = None
        facts, beside = inputs.facts(), self.core.beside(resolver)
        for stage in d.plan.stages:
            plans = usable(d.plan, stage, facts)
            if plans:
                plan = cheapest(plans, resolver.size, inputs.rows, beside)
                if not nodes:
                    self._picked = (plans, plan)
                total += sum(rows_read(node, resolver.size, inputs.rows, beside) for _, node in plan.named)
                nodes += [node for _, node in plan.named]
                # a stage's own delta may take rows away whatever its inputs do; assume it
                facts = facts.plus(stage, deleting=True)
        return total, able_engines(self.core, nodes, allowed)


def _with_fetches(report: Refresh, graphic: Graphic, inputs: Inputs) -> Refresh:
    """What the paper's model expected of the way that was taken, where it knew the updates, and what was fetched."""
    felt, expected = inputs.felt, None
    if felt is not None:
        expected = felt.fetches(graphic) if report.strategy == "incremental" else felt.model(graphic).recompute()
    fetches = sum(s.fetched for s in report.steps)
    return replace(report, estimated_fetches=expected, fetches=fetches, deleting=bool(inputs.deleting))
