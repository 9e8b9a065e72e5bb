"""Positive: the rows of a Z-set whose weights sum to more than 0, each once with that sum: of a delta, what is there now.

Not linear. Used on deltas only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Positive(Node):
    input: Node

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Positive(inputs[0])
