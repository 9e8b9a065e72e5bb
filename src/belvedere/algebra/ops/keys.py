"""Keys: the distinct values of some expressions over the rows present, whatever their weights; each with weight 1.

Used on deltas only: the keys that a change can touch. A key too many costs time, never correctness.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, Schema


@dataclass(frozen=True)
class Keys(Node):
    input: Node
    items: tuple[tuple[str, Scalar], ...]

    def __post_init__(self) -> None:
        for _, s in self.items:
            need_columns("Keys", s.columns, self.input)

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Column(n, s.type) for n, s in self.items))

    def with_inputs(self, *inputs: Node) -> Node:
        return Keys(inputs[0], self.items)

    @property
    def label(self) -> str:
        return "Keys " + ", ".join(f"{s} AS {n}" for n, s in self.items)
