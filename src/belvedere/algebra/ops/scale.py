"""Scale: multiplies each row's weight by an integer computed from the row; 0 drops it. Linear.

Turns counts kept in columns back into multiplicities: intersect all is Scale by least(l, r).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Scale(Node):
    input: Node
    factor: Scalar

    def __post_init__(self) -> None:
        need_columns("Scale", self.factor.columns, self.input)

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Scale(inputs[0], self.factor)

    @property
    def label(self) -> str:
        return f"Scale weight by {self.factor}"
