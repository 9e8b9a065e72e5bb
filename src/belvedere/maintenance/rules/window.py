"""Windows: the partitions that ΔX touches, as they are now minus as they were. TopK is a window with one partition."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Negate, TopK, UnionAll, Window
from belvedere.algebra.scalar import col
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.maintenance.propagate import propagate, rule


@rule(Window)
def window(node: Window, change: Change) -> Node | None:
    delta = propagate(node.input, change)
    if delta is None:
        return None
    new, old = change.at(node.input, "new"), change.at(node.input, "old")
    if node.partition:
        scalars = [col(node.input.schema[n]) for n in node.partition]
        keys, names = keys_of(delta, scalars, change)
        pairs = list(zip(scalars, names, strict=True))
        new, old = restrict(new, keys, pairs, change), restrict(old, keys, pairs, change)
    return UnionAll((node.with_inputs(new), Negate(node.with_inputs(old))))


@rule(TopK)
def top_k(node: TopK, change: Change) -> Node | None:
    if propagate(node.input, change) is None:
        return None
    return UnionAll((node.with_inputs(change.at(node.input, "new")), Negate(node.with_inputs(change.at(node.input, "old")))))
