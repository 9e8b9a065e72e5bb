"""Inner join of n inputs: Δ = Σ_i R1_new ⋈ … ⋈ R(i-1)_new ⋈ ΔRi ⋈ R(i+1)_old ⋈ … ⋈ Rn_old.

Each term starts from its delta and reaches the other inputs from there.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Join, UnionAll
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import reach
from belvedere.maintenance.ordering import flatten, ordered
from belvedere.maintenance.propagate import propagate, rule


@rule(Join)
def join(node: Join, change: Change) -> Node | None:
    inputs, conditions = flatten(node)
    terms = []
    for i, x in enumerate(inputs):
        delta = propagate(x, change)
        if delta is None:
            continue
        before = [change.at(y, "new") for y in inputs[:i]]
        after = [change.at(y, "old") for y in inputs[i + 1 :]]
        terms.append(ordered(delta, before + after, conditions, node.schema.names, change, reach))
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))
