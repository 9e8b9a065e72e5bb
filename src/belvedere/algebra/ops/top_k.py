"""TopK: the first `limit` rows after `offset` in an order, counted with multiplicity. Ties are broken by all columns.

The whole input is one partition: an affected-key rule with a single key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.ops.aggregate import SortKey
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class TopK(Node):
    input: Node
    order: tuple[SortKey, ...]
    limit: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        need_columns("TopK", frozenset(k.column for k in self.order), self.input)

    @cached_property
    def schema(self) -> Schema:
        return self.input.schema

    def with_inputs(self, *inputs: Node) -> Node:
        return TopK(inputs[0], self.order, self.limit, self.offset)

    @property
    def label(self) -> str:
        return f"Top {self.limit} offset {self.offset} by {', '.join(map(str, self.order))}"
