"""A view as stages and a tail.

A stage is a stored collection defined by algebra over tables and earlier stages. Every aggregate, window, top-k and closure is
the root of one; so is the number of rows of a relation that only has to exist; so is the view's own result, unless it is a linear
tail over the last stage, which is evaluated on reading. What depends on a user's function or a parameter is always stored: the
view must not change, nor its readers' deltas, by another function or value before it is computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Agg,
    Aggregate,
    Closure,
    Explode,
    Filter,
    Get,
    Project,
    Scale,
    SemiJoin,
    TopK,
    Window,
    gets,
    keep,
)
from belvedere.algebra.rewrite import rewrite
from belvedere.algebra.scalar import Scalar, col, compare, integer
from belvedere.algebra.types import Array, BigInt, Map, Struct, Variant
from belvedere.maintenance.state import State, split
from belvedere.maintenance.support import Keyed, Leaf, supported

Kind = Literal["bag", "aggregate", "affected", "closure"]


@dataclass(frozen=True)
class Stage:
    """`definition` yields exactly the stored columns; rows are looked up by `keys`, and stored in the order of `sort`."""

    name: str
    kind: Kind
    definition: Node
    keys: tuple[str, ...]
    sort: tuple[str, ...]
    state: State | None = None
    #: where the stage keeps the identities behind its rows: what its columns are
    support: tuple[Leaf, ...] = ()
    #: rows come of insertions only: while it is empty, deletions need no look
    by_insertion: bool = False

    def get(self) -> Get:
        schema = self.definition.schema
        return Get(self.name, schema, schema.names)

    @cached_property
    def reads(self) -> frozenset[str]:
        return frozenset(g.name for g in gets(self.definition))


@dataclass(frozen=True)
class ViewPlan:
    stages: tuple[Stage, ...]
    tail: Node
    #: plans of maintenance made so far, by what changed
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    #: how often a combination of changes was served by a plan for more
    uses: dict[Any, int] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def reads(self) -> frozenset[str]:
        """What it reads that is not its own."""
        own = {s.name for s in self.stages}
        return frozenset(n for s in self.stages for n in s.reads if n not in own)

    def forget(self) -> None:
        """Plans are to be made anew."""
        self.known.clear()
        self.uses.clear()


def compile_view(name: str, node: Node, keyed: Keyed | None = None, beside: Closure | None = None) -> ViewPlan:
    """Cut a definition into stages; stages are called name$1, name$2, … With `keyed` (the keys of what it reads), a stage that
    only selects, joins and projects keeps the identities behind its rows. A closure `beside` it becomes a stage as well, with
    whatever the two have in common."""
    cutter = _Cutter(name, keyed or {})
    top = cutter.cut(rewrite(node))
    if beside is not None:
        cutter.cut(rewrite(beside))
    if not (cutter.stages and _is_tail(top, cutter.stages[-1].name)):
        top = cutter.bag(top)
    return ViewPlan(tuple(cutter.stages), top)


def _is_tail(node: Node, stage: str) -> bool:
    match node:
        case Get(name=name):
            return name == stage
        case Project(input=i) | Filter(input=i) | Scale(input=i) | Explode(input=i):
            return not any(s.from_outside for s in _scalars(node)) and _is_tail(i, stage)
        case _:
            return False


def _scalars(node: Node) -> tuple[Scalar, ...]:
    match node:
        case Project(items=items):
            return tuple(s for _, s in items)
        case Filter(condition=s) | Scale(factor=s) | Explode(collection=s):
            return (s,)
        case _:
            return ()


def _linear_over_leaf(node: Node) -> bool:
    match node:
        case Get():
            return True
        case Project(input=i) | Filter(input=i):
            return _linear_over_leaf(i)
        case _:
            return False


class _Cutter:
    def __init__(self, view: str, keyed: Keyed) -> None:
        self.view = view
        self.keyed = keyed
        self.stages: list[Stage] = []
        self._done: dict[Node, Node] = {}

    def cut(self, node: Node) -> Node:
        """The node over stages. A part that is used more than once is cut once."""
        if node not in self._done:
            self._done[node] = self._cut(node)
        return self._done[node]

    def _cut(self, node: Node) -> Node:
        node = node.with_inputs(*(self.cut(i) for i in node.inputs)) if node.inputs else node
        match node:
            case Aggregate(input=i, keys=keys, aggs=aggs):
                used = frozenset[str]().union(*(s.columns for _, s in keys))
                named = keep(i, tuple(n for n in i.schema.names if n in used))
                if not aggs and self.keyed and (below := self.supported(named, bare=False)) is not None:
                    node = Aggregate(below, keys, aggs)  # distinct: each derivation is kept, with what it comes from
                state = split(node)
                stage = self.add("aggregate", state.aggregate, state.aggregate.key_names, state)
                return Project(stage.get(), state.visible)
            case Window(partition=partition):
                return self.add("affected", node, partition).get()
            case TopK(input=i):
                if not _linear_over_leaf(i):
                    node = node.with_inputs(self.bag(i))
                return self.add("affected", node, ()).get()
            case Closure():
                return keep(self.add("closure", node.with_rank(), ("node", "src")).get(), node.schema.names)
            case SemiJoin(left=a, right=b, on=on, anti=anti) if not on.columns & frozenset(b.schema.names):
                return SemiJoin(a, self.any(b, a), on, anti)
            case _:
                return node

    def any(self, node: Node, beside: Node) -> Node:
        """One row if the node has rows, else none: as good where only that counts, and no need to read the node again."""
        number = 1
        while f"_rows{number}" in beside.schema:
            number += 1
        count = Aggregate(node, (), ((f"_rows{number}", Agg("count", (), BigInt())),))
        state = split(count)
        counted = Project(self.add("aggregate", state.aggregate, (), state).get(), state.visible)
        return Filter(counted, compare(">", col(counted.schema[f"_rows{number}"]), integer(0)))

    def bag(self, node: Node) -> Node:
        below = self.supported(node)
        return self.add("bag", node, ()).get() if below is None else below

    def supported(self, node: Node, *, bare: bool = True) -> Node | None:
        """The node over a stage that keeps its support; None if it has none. Where groups are made of it, groups that give it no
        value (`bare`) do not count: who belongs to one is said by the rows that change."""
        # a group is known by its keys, as an object is by its identity
        groups = {s.name: tuple(s.definition.schema[k] for k in s.keys) for s in self.stages if s.kind == "aggregate" and s.keys}
        found = supported(rewrite(node), {**self.keyed, **groups}, frozenset(groups)) if self.keyed else None
        if found is None or sum(bare or bool(x.carried) or x.name not in groups for x in found.leaves) < 2:
            return None  # over a single collection its delta alone is enough
        stage = self.add("bag", found.definition, (), support=found.leaves)
        return Project(stage.get(), found.head)

    def add(
        self, kind: Kind, definition: Node, keys: tuple[str, ...], state: State | None = None, support: tuple[Leaf, ...] = ()
    ) -> Stage:
        """A new stage, or one that there is: what a view asks for twice is kept once. A smaller definition that gives the same
        columns is as good."""
        # an aggregate is over partial values here, which say what they mean: they must stay as they are
        definition = keep(rewrite(definition, off=frozenset({"split_distinct"})), definition.schema.names)
        if isinstance(definition, Aggregate) and state is not None:
            state = State(definition, state.visible, state.size)
        sortable = tuple(c.name for c in definition.schema if not isinstance(c.type, (Array, Map, Struct, Variant)))
        sort = tuple(k for k in keys if k in sortable) or sortable[:2]
        stage = Stage(f"{self.view}${len(self.stages) + 1}", kind, definition, keys, sort, state, support)
        known = next((s for s in self.stages if replace(stage, name=s.name) == s), None)
        if known is not None:
            return known
        self.stages.append(stage)
        return stage
