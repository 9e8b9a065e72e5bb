"""Tally: for each key the weighted sums Σ w·x of exact numbers. One row of weight 1 for each key present; without keys
exactly one row. NULL counts as 0.

Linear: Tally(X+Y) is the keywise sum of Tally(X) and Tally(Y), with negative weights too. That is why the state of a linear
aggregate can be brought up to date from the old state and the delta alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, Schema


@dataclass(frozen=True)
class Tally(Node):
    """`sums` gives name → summand; the sum has the summand's own type and raises where it does not fit."""

    input: Node
    keys: tuple[tuple[str, Scalar], ...]
    sums: tuple[tuple[str, Scalar], ...]

    def __post_init__(self) -> None:
        for _, s in (*self.keys, *self.sums):
            need_columns("Tally", s.columns, self.input)
        for n, s in self.sums:
            if not s.type.is_exact:
                raise ValueError(f"Tally: {n} is {s.type}, and only exact numbers add up exactly")

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Column(n, s.type) for n, s in (*self.keys, *self.sums)))

    def with_inputs(self, *inputs: Node) -> Node:
        return Tally(inputs[0], self.keys, self.sums)

    @property
    def label(self) -> str:
        keys = ", ".join(n if s.column == n else f"{s} AS {n}" for n, s in self.keys)
        return f"Tally by ({keys}) " + ", ".join(f"{s} AS {n}" for n, s in self.sums)
