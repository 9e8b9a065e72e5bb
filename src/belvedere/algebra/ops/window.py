"""Window: adds columns computed over the partition of each row. Only the partitions that ΔX touches change.

Rows of weight n are n rows. Ties in the order are broken by all other columns, so that the result is a function of the
input bag.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.ops.aggregate import SortKey
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, Schema


@dataclass(frozen=True)
class WindowCall:
    """A function call (`row_number()`, `sum(x)`, `lag(x, 1)`) and its frame clause in SQL, or None for the default."""

    call: Scalar
    frame: str | None = None


@dataclass(frozen=True)
class Window(Node):
    input: Node
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    calls: tuple[tuple[str, WindowCall], ...]

    def __post_init__(self) -> None:
        used = {*self.partition, *(k.column for k in self.order)}.union(*(c.call.columns for _, c in self.calls))
        need_columns("Window", frozenset(used), self.input)

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.input.schema.columns + tuple(Column(n, c.call.type) for n, c in self.calls))

    def with_inputs(self, *inputs: Node) -> Node:
        return Window(inputs[0], self.partition, self.order, self.calls)

    @property
    def label(self) -> str:
        calls = ", ".join(f"{c.call} AS {n}" for n, c in self.calls)
        return f"Window {calls} over ({', '.join(self.partition)}; {', '.join(map(str, self.order))})"
