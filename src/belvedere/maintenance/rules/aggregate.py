"""Aggregates without stored state: the groups that ΔX touches, as they are now minus as they were."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Negate, UnionAll
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.maintenance.propagate import propagate, rule


@rule(Aggregate)
def aggregate(node: Aggregate, change: Change) -> Node | None:
    delta = propagate(node.input, change)
    if delta is None:
        return None
    scalars = [s for _, s in node.keys]
    keys, names = keys_of(delta, scalars, change)
    pairs = list(zip(scalars, names, strict=True))
    new, old = (restrict(change.at(node.input, v), keys, pairs, change) for v in ("new", "old"))
    return UnionAll((node.with_inputs(new), Negate(node.with_inputs(old))))
