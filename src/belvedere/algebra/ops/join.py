"""Join: inner join on any condition; `true` makes the cross product. Weights multiply.

Bilinear: Δ(A⋈B) = ΔA⋈B_old + A_new⋈ΔB, so unconsolidated runs may be joined as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns, need_disjoint
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Join(Node):
    left: Node
    right: Node
    on: Scalar

    def __post_init__(self) -> None:
        need_disjoint("Join", self.left, self.right)
        need_columns("Join", self.on.columns, self.left, self.right)

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.left.schema.columns + self.right.schema.columns)

    def with_inputs(self, *inputs: Node) -> Node:
        return Join(inputs[0], inputs[1], self.on)

    @property
    def label(self) -> str:
        return "Cross join" if self.on.is_true else f"Join on {self.on}"


def equi_pairs(on: Scalar, left: Schema, right: Schema) -> tuple[tuple[str, str], ...]:
    """(left column, right column) for each conjunct that says that the two are equal."""
    pairs = []
    for part in on.conjuncts():
        pair = part.equality()
        if pair is None:
            continue
        a, b = pair
        if a in left and b in right:
            pairs.append((a, b))
        elif b in left and a in right:
            pairs.append((b, a))
    return tuple(pairs)
