"""Filter: keeps the rows for which the condition is true (not NULL). Linear: Δσ(X) = σ(ΔX)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Filter(Node):
    input: Node
    condition: Scalar

    def __post_init__(self) -> None:
        need_columns("Filter", self.condition.columns, self.input)

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Filter(inputs[0], self.condition)

    @property
    def label(self) -> str:
        return f"Filter {self.condition}"
