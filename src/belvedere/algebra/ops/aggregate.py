"""Aggregate: one row of weight 1 for each group with a positive number of rows; without keys exactly one row.

Distinct is an aggregate with keys and no functions. Law: groups do not interact, so only the groups of ΔX change.
Functions come in three kinds: *linear* (a group: count, sum of exact numbers), *semilattice* (merge on insert only:
min, max), *holistic* (the rest: the group must be read again).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, DataType, Schema

AggKind = Literal["linear", "semilattice", "holistic"]


@dataclass(frozen=True)
class SortKey:
    """A column to sort by."""

    column: str
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        return f"{self.column}{' DESC' if self.descending else ''} NULLS {'FIRST' if self.nulls_first else 'LAST'}"


@dataclass(frozen=True)
class Agg:
    """A function over a group. Names are Spark's, in lower case; `count` without arguments counts rows;
    `sum0` is sum with 0 for a group without values."""

    fn: str
    args: tuple[Scalar, ...]
    type: DataType
    distinct: bool = False

    @property
    def kind(self) -> AggKind:
        if self.distinct:
            return "holistic"
        if self.fn == "count" or (self.fn in ("sum", "sum0", "avg") and self.args[0].type.is_exact):
            return "linear"
        if self.fn in ("min", "max", "bool_and", "bool_or"):
            return "semilattice"
        return "holistic"

    @property
    def columns(self) -> frozenset[str]:
        return frozenset[str]().union(*(a.columns for a in self.args))

    def __str__(self) -> str:
        return f"{self.fn}({'DISTINCT ' if self.distinct else ''}{', '.join(map(str, self.args)) or '*'})"


@dataclass(frozen=True)
class Aggregate(Node):
    input: Node
    keys: tuple[tuple[str, Scalar], ...]
    aggs: tuple[tuple[str, Agg], ...]

    def __post_init__(self) -> None:
        for _, s in self.keys:
            need_columns("Aggregate", s.columns, self.input)
        for _, a in self.aggs:
            need_columns("Aggregate", a.columns, self.input)

    @cached_property
    def schema(self) -> Schema:
        keys = tuple(Column(n, s.type) for n, s in self.keys)
        return Schema(keys + tuple(Column(n, a.type) for n, a in self.aggs))

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(n for n, _ in self.keys)

    def with_inputs(self, *inputs: Node) -> Node:
        return Aggregate(inputs[0], self.keys, self.aggs)

    @property
    def label(self) -> str:
        if not self.aggs:
            return f"Distinct {', '.join(self.key_names)}"
        keys = ", ".join(n if s.column == n else f"{s} AS {n}" for n, s in self.keys)
        return f"Aggregate by ({keys}) " + ", ".join(f"{a} AS {n}" for n, a in self.aggs)
