"""The statements by which the closure of a stage is maintained: the changes of its seeds and steps, and five lookups.

They are algebra like all plans of maintenance; what is looked up comes as leaves in memory, of names that no collection has. The
procedure (`reach.py`) says in which order they run and how often. A lookup asks by the node alone, which is what leaves are
sorted by, and so may find rows of other states: whoever asks leaves those out.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Consolidate, Get
from belvedere.algebra.scalar import col
from belvedere.algebra.types import Column, Int, Schema, String
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import restrict
from belvedere.maintenance.propagate import propagate

#: leaves whose rows are given by whoever runs the plan; no collection's name begins so
GIVEN = "\0given"
NODES, ROWS = f"{GIVEN} nodes", f"{GIVEN} rows"


@dataclass(frozen=True)
class ClosurePlans:
    """What changed (None: nothing), and what can be asked: each over the leaf of nodes, or of rows (src, state, node)."""

    seeds: Node | None
    steps: Node | None
    #: seeds as they are now at given nodes; steps as they are now from and into given nodes
    seeds_at: Node
    steps_from: Node
    steps_into: Node
    #: stored rows as they were, at given nodes and by themselves
    rows_at: Node
    ranks: Node
    #: for the rare case that lookups take longer than reading it all: the steps as they are now, the rows as they were
    every_step: Node
    every_row: Node

    @property
    def named(self) -> tuple[tuple[str, Node], ...]:
        """The statements, in the order in which they may run, but for those that read everything."""
        every = (
            ("the change of its seeds", self.seeds), ("the change of its steps", self.steps),
            ("rows at nodes", self.rows_at), ("rows by themselves", self.ranks), ("seeds at nodes", self.seeds_at),
            ("steps into nodes", self.steps_into), ("steps from nodes", self.steps_from),
        )  # fmt: skip
        return tuple((word, node) for word, node in every if node is not None)


def closure_plans(definition: Closure, own: Get, change: Change) -> ClosurePlans:
    """The plans for a change of the stage that stores this closure, ranked, as `own`."""
    seeds, steps = propagate(definition.seeds, change), propagate(definition.steps, change)
    _, _, node = definition.seeds.schema.names
    _, begin, _, end = definition.steps.schema.names
    stored = own.at("old")
    now_seeds, now_steps = change.at(definition.seeds, "new"), change.at(definition.steps, "new")
    return ClosurePlans(
        seeds=None if seeds is None else Consolidate(seeds),
        steps=None if steps is None else Consolidate(steps),
        seeds_at=_at(now_seeds, node, change),
        steps_from=_at(now_steps, begin, change),
        steps_into=_at(now_steps, end, change),
        rows_at=_at(stored, "node", change),
        ranks=_by_row(stored, change),
        every_step=Consolidate(now_steps),
        every_row=Consolidate(stored),
    )


def _at(node: Node, column: str, change: Change) -> Node:
    """The rows with a given node in a column."""
    key = change.fresh("k")
    given = Get(NODES, Schema.of(**{key: "string"}), ("node",), "delta")
    return Consolidate(restrict(node, given, [(col(node.schema[column]), key)], change, nulls=False))


def _by_row(own: Get, change: Change) -> Node:
    """Stored rows for given ones; the node comes first, as in the order that they are stored in."""
    names = {column: change.fresh("k") for column in ("node", "src", "state")}
    types = Schema.of(**{names["src"]: "string", names["state"]: "int", names["node"]: "string"})
    given = Get(ROWS, types, ("src", "state", "node"), "delta")
    pairs = [(col(own.schema[column]), key) for column, key in names.items()]
    return Consolidate(restrict(own, given, pairs, change, nulls=False))


def given_schema(name: str) -> Schema:
    """The columns of a leaf whose rows are given, with ids."""
    if name == NODES:
        return Schema((Column("node", String(), 1),))
    return Schema((Column("src", String(), 1), Column("state", Int(), 2), Column("node", String(), 3)))
