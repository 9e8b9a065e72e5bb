"""Values: constant rows, each with weight 1. Its change is always empty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Values(Node):
    """Rows of constant scalars. No columns and one row is the relation that `select 1` reads."""

    types: Schema
    rows: tuple[tuple[Scalar, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.types) or any(s.columns for s in row):
                raise ValueError("Values: rows of constants that fit the schema")

    @cached_property
    def schema(self) -> Schema:
        return self.types

    def with_inputs(self, *inputs: Node) -> Node:
        return self

    @property
    def label(self) -> str:
        return f"Values {len(self.rows)} rows"
