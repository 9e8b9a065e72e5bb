"""Share: a name for a part of a plan that is used more than once, so that an engine computes it once. The identity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Share(Node):
    """Two Shares of the same name in one plan hold equal inputs."""

    input: Node
    name: str

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return Share(inputs[0], self.name)

    @property
    def label(self) -> str:
        return f"Share {self.name}"
