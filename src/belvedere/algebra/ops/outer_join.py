"""OuterJoin: left, right or full. L⟕R = (L⋈R) + (L▷R) with NULLs for R's columns; the change rule is that sum's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from belvedere.algebra.check import need_columns, need_disjoint
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema

OuterKind = Literal["left", "right", "full"]


@dataclass(frozen=True)
class OuterJoin(Node):
    left: Node
    right: Node
    on: Scalar
    kind: OuterKind

    def __post_init__(self) -> None:
        need_disjoint("OuterJoin", self.left, self.right)
        need_columns("OuterJoin", self.on.columns, self.left, self.right)

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.left.schema.columns + self.right.schema.columns)

    def with_inputs(self, *inputs: Node) -> Node:
        return OuterJoin(inputs[0], inputs[1], self.on, self.kind)

    @property
    def label(self) -> str:
        return f"{self.kind.capitalize()} join on {self.on}"
