"""Negate: −X, every weight with the other sign. Linear. Appears in changes, never in a view's definition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Negate(Node):
    input: Node

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Negate(inputs[0])
