"""Linear operators pass a delta on: Δ(op X) = op(ΔX)."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Explode, Filter, Negate, Scale, Share, UnionAll, renamed
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import propagate, rule


@rule(Filter)
@rule(Explode)
@rule(Scale)
@rule(Negate)
@rule(Consolidate)
def linear(node: Node, change: Change) -> Node | None:
    delta = propagate(node.inputs[0], change)
    return None if delta is None else node.with_inputs(delta)


@rule(UnionAll)
def union_all(node: UnionAll, change: Change) -> Node | None:
    deltas = tuple(d for p in node.parts if (d := propagate(p, change)) is not None)
    if not deltas:
        return None
    first = renamed(deltas[0], node.schema.names)
    return first if len(deltas) == 1 else UnionAll((first, *deltas[1:]))


@rule(Share)
def share(node: Share, change: Change) -> Node | None:
    return propagate(node.input, change)
