"""UnionAll: the sum of Z-sets. Linear: Δ(A+B) = ΔA+ΔB. Columns go by position; the first input names them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class UnionAll(Node):
    parts: tuple[Node, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("UnionAll: at least one input")
        for p in self.parts[1:]:
            if [c.type for c in p.schema] != [c.type for c in self.parts[0].schema]:
                raise ValueError(f"UnionAll: types differ: ({self.parts[0].schema}) and ({p.schema})")

    @cached_property
    def inputs(self) -> tuple[Node, ...]:
        return self.parts

    @cached_property
    def schema(self) -> Schema:
        return self.parts[0].schema

    def with_inputs(self, *inputs: Node) -> Node:
        return UnionAll(inputs)

    @property
    def label(self) -> str:
        return "Union all"
