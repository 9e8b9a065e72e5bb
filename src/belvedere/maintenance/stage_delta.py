"""The change of one stage: from the changes of what it reads, and its own old state where that is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Agg,
    Aggregate,
    Closure,
    Consolidate,
    Explode,
    Filter,
    Get,
    Join,
    Keys,
    Negate,
    Project,
    Share,
    Tally,
    TopK,
    UnionAll,
    Values,
    Window,
    gets,
    keep,
)
from belvedere.algebra.scalar import col, compare, integer
from belvedere.maintenance import rules as _rules
from belvedere.maintenance.change import Change, Fanout
from belvedere.maintenance.closures import ClosurePlans, closure_plans
from belvedere.maintenance.extremes import at_risk, has_extremes, merged, without
from belvedere.maintenance.gathered import gathered, gathering, members
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.maintenance.plain import is_plain, plain_delta
from belvedere.maintenance.propagate import propagate
from belvedere.maintenance.stages import Stage
from belvedere.maintenance.state import MERGE, State
from belvedere.maintenance.support import Updated, new_values, replanted
from belvedere.maintenance.topmost import topmost
from belvedere.maintenance.values_only import Moved, moved

assert _rules  # importing the package registers the rules


@dataclass(frozen=True)
class StageDelta:
    """A plan whose result is the stage's delta, and in a few words why it is so. `way` names it where there are several:
    "plant" the delta in the definition, or join it with the "support" that the stage keeps."""

    node: Node
    rule: str
    way: str = "plant"
    #: does it read more than deltas and the stage's own rows?
    reads_base: bool = True
    #: of a closure: all that the procedure runs; `node` is the change that sets it off
    closure: ClosurePlans | None = None

    @property
    def named(self) -> tuple[tuple[str, Node], ...]:
        """The statements, with a word for each where there are several."""
        return (("", self.node),) if self.closure is None else self.closure.named


@dataclass(frozen=True)
class Facts:
    """What changed: collections; those that lose rows, and that gain rows; the columns that updates set, where nothing came or
    went; and those in which all that came and went differs, where the rest is there as before, if not as often."""

    changed: frozenset[str]
    deleting: frozenset[str]
    inserting: frozenset[str]
    updated: Updated = field(default_factory=dict)
    exchanged: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: how many rows a lookup finds, for the order of joins
    fanout: Fanout | None = field(default=None, compare=False)

    def plus(self, stage: Stage, *, deleting: bool, inserting: bool = True) -> Facts:
        """A stage changed too."""
        one = frozenset({stage.name})
        found = moved(stage.definition, {n: self._moved(n) for n in stage.reads & self.changed})
        known = {} if found is None else {stage.name: found.columns}
        exactly = found is not None and found.exactly
        return Facts(
            self.changed | one,
            self.deleting | one if deleting else self.deleting,
            self.inserting | one if inserting else self.inserting,
            {**self.updated, **known} if exactly else self.updated,
            self.exchanged if exactly else {**self.exchanged, **known},
            self.fanout,
        )

    def _moved(self, name: str) -> Moved | None:
        columns = self.updated.get(name)
        if columns is not None:
            return Moved(columns, exactly=True)
        return Moved(self.exchanged[name], exactly=False) if name in self.exchanged else None


def ways(stage: Stage, facts: Facts) -> tuple[StageDelta, ...]:
    """All ways to the stage's delta, the preferred first; none if nothing that it reads changed."""
    changed = felt(stage, facts)
    plant = stage_delta(stage, changed, facts.deleting, facts.fanout)
    if plant is None:
        return ()
    first = _first_rows(stage, changed, facts)
    if first is not None:
        return first, plant
    if not stage.support:
        return (plant,)
    change = Change.of(stage.definition, changed | {stage.name}, facts.deleting, facts.inserting, facts.fanout)
    values = new_values(stage.definition, stage.get(), stage.support, change, facts.updated)
    if values is not None:
        words = "the support of the changed objects gets their new values"
        return StageDelta(Consolidate(values), words, "support", reads_base=False), plant
    change = Change.of(stage.definition, changed | {stage.name}, facts.deleting, facts.inserting, facts.fanout)
    again = replanted(stage.definition, stage.get(), stage.support, change)
    if again is None:
        return (plant,)
    gone = not (changed & facts.inserting)
    words = "the rows that the deleted objects support go" if gone else "their support goes, what they are now is planted"
    support = StageDelta(Consolidate(again), words, "support", reads_base=not gone)
    return (support, plant) if gone else (plant, support)


def felt(stage: Stage, facts: Facts) -> frozenset[str]:
    """What it reads that changed, without updates of columns that it does not read: they are the same rows to it."""
    found = set()
    for leaf in gets(stage.definition):
        columns = facts.updated.get(leaf.name)
        if leaf.name in facts.changed and (columns is None or columns & set(leaf.columns)):
            found.add(leaf.name)
    return frozenset(found)


def stage_delta(
    stage: Stage, changed: frozenset[str], deleting: frozenset[str] | None = None, fanout: Fanout | None = None
) -> StageDelta | None:
    """The delta planted in the definition; None if nothing that the stage reads changed."""
    if not (stage.reads & changed):
        return None
    change = Change.of(stage.definition, changed | {stage.name}, deleting, fanout=fanout)
    if isinstance(stage.definition, Closure):
        return _closure(stage, stage.definition, change)
    if stage.kind == "aggregate" and stage.state is not None:
        plan = _aggregate(stage, stage.state, change)
    elif stage.kind == "affected":
        plan = _affected(stage, change)
    else:
        plain = is_plain(stage.definition)
        delta = plain_delta(stage.definition, change) if plain else propagate(stage.definition, change)
        plan = None if delta is None else StageDelta(delta, "the delta passes through; joins look up its keys")
    if plan is None:
        return None
    return StageDelta(Consolidate(plan.node), plan.rule)


def _closure(stage: Stage, definition: Closure, change: Change) -> StageDelta | None:
    plans = closure_plans(definition, stage.get(), change)
    first = plans.steps if plans.steps is not None else plans.seeds
    words = "what went with no other way to it is removed, what can be reached now is added"
    return None if first is None else StageDelta(first, words, closure=plans)


def _aggregate(stage: Stage, state: State, change: Change) -> StageDelta | None:
    node = state.aggregate
    delta = propagate(node.input, change)
    if delta is None:
        return None
    if state.linear:
        return StageDelta(_linear(stage, state, delta, change), "old state plus tally of the delta")
    if state.mergeable and _inserts_only(node.input, change):
        return StageDelta(_merged(stage, state, delta, change), "insertions only: old state merged with the delta's")
    if has_extremes(state):
        words = "old state, the delta and what came; groups that may have lost an extreme are evaluated again"
        return StageDelta(_extremes(stage, state, delta, change), words)
    held = gathering(state)
    if held is not None:
        return StageDelta(_regathered(stage, state, held, delta, change), "what groups hold, and the members that come and go")
    return StageDelta(_again(stage, state, delta, change), "groups that the delta touches are evaluated again")


def _old(stage: Stage, keys: Node, names: tuple[str, ...], change: Change) -> Node:
    """The stage's own rows for some keys, as they were."""
    own = stage.get().at("old")
    pairs = [(col(own.schema[n]), k) for n, k in zip(stage.keys, names, strict=True)] if names else []
    return change.share(Consolidate(restrict(own, keys, pairs, change)), "old")


def _minus(new: Node, old: Node) -> Node:
    return UnionAll((new, Negate(old)))


def _linear(stage: Stage, state: State, delta: Node, change: Change) -> Node:
    node = state.aggregate
    tally = change.share(Tally(delta, node.keys, state.summands()), "tally")
    keys, names = keys_of(tally, [col(tally.schema[n]) for n in node.key_names], change)
    old = _old(stage, keys, names, change)
    by = tuple((n, col(node.schema[n])) for n in node.key_names)
    sums = tuple((n, col(node.schema[n])) for n, _ in node.aggs)
    new: Node = Tally(UnionAll((old, tally)), by, sums)
    if node.keys:
        new = Filter(new, compare(">", col(node.schema[state.size]), integer(0)))
    return _minus(new, old)


def _merged(stage: Stage, state: State, delta: Node, change: Change) -> Node:
    node = state.aggregate
    part = change.share(Aggregate(delta, node.keys, node.aggs), "part")
    keys, names = keys_of(part, [col(part.schema[n]) for n in node.key_names], change)
    old = _old(stage, keys, names, change)
    by = tuple((n, col(node.schema[n])) for n in node.key_names)
    merged = tuple((n, Agg(MERGE[a.fn], (col(node.schema[n]),), a.type)) for n, a in node.aggs)
    return _minus(Aggregate(UnionAll((old, part)), by, merged), old)


def _extremes(stage: Stage, state: State, delta: Node, change: Change) -> Node:
    node = state.aggregate
    # rows that agree in what groups are made of cancel, and there is less to compare
    used = frozenset[str]().union(*(s.columns for _, s in node.keys), *(a.columns for _, a in node.aggs))
    delta = change.share(Consolidate(keep(delta, tuple(n for n in delta.schema.names if n in used))), "rows")
    scalars = [s for _, s in node.keys]
    keys, names = keys_of(delta, scalars, change)
    old = _old(stage, keys, names, change)
    lost = at_risk(state, old, delta, change)
    risky, theirs = keys_of(lost, [col(lost.schema[n]) for n in node.key_names], change)
    now = restrict(change.at(node.input, "new"), risky, list(zip(scalars, theirs, strict=True)), change)
    calm = without(merged(state, old, delta), risky, theirs, node.key_names)
    return _minus(UnionAll((calm, node.with_inputs(now))), old)


def _regathered(stage: Stage, state: State, held: str, delta: Node, change: Change) -> Node:
    part, member = members(state, held, delta, change)
    keys, names = keys_of(part, [col(part.schema[n]) for n in state.aggregate.key_names], change)
    old = _old(stage, keys, names, change)
    return _minus(gathered(state, held, part, member, old), old)


def _again(stage: Stage, state: State, delta: Node, change: Change) -> Node:
    node = state.aggregate
    scalars = [s for _, s in node.keys]
    keys, names = keys_of(delta, scalars, change)
    now = restrict(change.at(node.input, "new"), keys, list(zip(scalars, names, strict=True)), change)
    return _minus(node.with_inputs(now), _old(stage, keys, names, change))


def _affected(stage: Stage, change: Change) -> StageDelta | None:
    node = stage.definition
    if stage.by_insertion:
        return _groups(stage, change)
    delta = propagate(node.inputs[0], change)
    if delta is None:
        return None
    if isinstance(node, Window):
        return _partitions(stage, node, delta, change)
    now = change.at(node.inputs[0], "new")
    old = Consolidate(stage.get().at("old"))
    return StageDelta(_minus(node.with_inputs(now), old), "one partition: its stored input is read again")


def _first_rows(stage: Stage, changed: frozenset[str], facts: Facts) -> StageDelta | None:
    """Where a stage holds the first rows in an order: without reading the others, as far as that is possible."""
    node = stage.definition
    if not isinstance(node, TopK) or node.limit is None or node.offset:
        return None
    change = Change.of(node, changed | {stage.name}, facts.deleting, fanout=facts.fanout)
    delta = propagate(node.input, change)
    if delta is None:
        return None
    old = change.share(Consolidate(stage.get().at("old")), "old")
    now = topmost(node, old, delta, change.at(node.input, "new"), change)
    return StageDelta(Consolidate(_minus(now, old)), "the first rows there were, and the change; others if one may move up")


def _partitions(stage: Stage, node: Window, delta: Node, change: Change) -> StageDelta:
    """A window keeps all columns of its input, so what is stored of a partition is its input as it was."""
    scalars = [col(node.input.schema[n]) for n in node.partition]
    delta = change.share(Consolidate(delta), "rows")
    keys, names = keys_of(delta, scalars, change) if scalars else (delta, ())
    old = _old(stage, keys, names, change)
    now = Consolidate(UnionAll((keep(old, node.input.schema.names), delta)))
    return StageDelta(_minus(node.with_inputs(now), old), "partitions that the delta touches, from what is stored of them")


def _groups(stage: Stage, change: Change) -> StageDelta | None:
    """Groups of one leaf's rows by columns that keep their names: those that the delta touches, looked up once."""
    node = stage.definition
    (leaf,) = gets(node)
    delta = propagate(leaf, change)
    if delta is None:
        return None
    keys, names = keys_of(delta, [col(leaf.schema[k]) for k in stage.keys], change)
    pairs = [(col(node.schema[k]), n) for k, n in zip(stage.keys, names, strict=True)]
    now = restrict(change.at(node, "new"), keys, pairs, change)
    return StageDelta(_minus(now, _old(stage, keys, names, change)), "groups that the delta touches, again")


def _inserts_only(node: Node, change: Change) -> bool:
    """The delta of this node has no negative weights: nothing was deleted, and nothing in between turns a sign."""
    allowed = (Get, Filter, Project, Explode, UnionAll, Join, Values, Share, Consolidate, Keys)
    for n in node.walk():
        if not isinstance(n, allowed):
            return False
        if isinstance(n, Get) and n.name in change.deleting:
            return False
    return True
