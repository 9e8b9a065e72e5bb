"""SemiJoin: rows of the left for which some (or, anti, no) row of the right makes the condition true.

The right counts as a set: what matters is whether a row with positive total weight exists. Not linear in the right:
Δ(L⋉R) = ΔL⋉R_new + A⋉R_new − A⋉R_old, with A = L_old⋉ΔR, the left rows that a change of the right can reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns, need_disjoint
from belvedere.algebra.node import Node
from belvedere.algebra.ops.share import Share
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class SemiJoin(Node):
    left: Node
    right: Node
    on: Scalar
    anti: bool = False

    def __post_init__(self) -> None:
        need_disjoint("SemiJoin", self.left, self.right)
        need_columns("SemiJoin", self.on.columns, self.left, self.right)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return SemiJoin(inputs[0], inputs[1], self.on, self.anti)

    @property
    def is_question(self) -> bool:
        """Whether all of the left is asked for, or nothing, as a part with a name of its own has rows or not."""
        return self.on.is_true and not self.anti and isinstance(self.right, Share)

    @property
    def label(self) -> str:
        return f"{'Anti' if self.anti else 'Semi'} join on {self.on}"
