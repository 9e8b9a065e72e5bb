"""Consolidate: one row for each distinct row, with the sum of the weights; rows of sum 0 vanish. The same Z-set.

The identity on Z-sets, so linear; it is there for what follows it: a reader that needs final weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Consolidate(Node):
    input: Node

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Consolidate(inputs[0])
