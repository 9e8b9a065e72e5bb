"""Aggregates in steps: some formulas need an aggregate's value twice, or inside of a lambda, where no aggregate may stand.

The first SELECT computes aggregates under names; a second one may derive values from them; the last one has the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sqlglot import exp

from belvedere.algebra.types import Column, DataType, Schema, Void
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering

Items: TypeAlias = list[tuple[Column, exp.Expr]]


@dataclass
class Staged:
    """What the steps before the last one compute."""

    to: Lowering
    first: Items = field(default_factory=list)
    second: Items = field(default_factory=list)

    def stage(self, value: exp.Expr, t: DataType) -> exp.Expr:
        return self._name(self.first, "list", value, t)

    def derive(self, value: exp.Expr, t: DataType) -> exp.Expr:
        return self._name(self.second, "derived", value, t)

    def _name(self, items: Items, stem: str, value: exp.Expr, t: DataType) -> exp.Expr:
        for column, known in items:
            if known == value:
                return build.column(self.to.names.column(column.name))
        column = Column(f"{stem}\0{len(items)}", t)
        items.append((column, value))
        return build.column(self.to.names.column(column.name))

    def hoist(self, value: exp.Expr) -> exp.Expr:
        """Move every aggregate inside a formula into the first step, and read it from there."""

        def swap(node: exp.Expr) -> exp.Expr:
            if isinstance(node, (exp.Filter, exp.AggFunc, exp.Window)) and isinstance(node, exp.Expr):
                return self._name(self.first, "part", node, Void())
            return node

        made = value.copy().transform(swap, copy=False)
        assert isinstance(made, exp.Expr)
        return made

    def finish(self, inner: Block, kept: Sequence[Column], values: Items) -> Block:
        """The last step over the first, with the second between them if there is one."""
        if self.second:
            columns = {**inner.columns, **{c.name: self._of(inner, v) for c, v in self.second}}
            wide = replace(inner, schema=Schema((*inner.schema.columns, *(c for c, _ in self.second))), columns=columns)
            inner = self.to.close(wide, "derived")
        columns = {**{c.name: inner.value(c.name) for c in kept}, **{c.name: self._of(inner, v) for c, v in values}}
        return replace(inner, schema=Schema((*kept, *(c for c, _ in values))), columns=columns)

    def _of(self, inner: Block, value: exp.Expr) -> exp.Expr:
        """The value with the columns of the step before qualified: the block may be joined with one that has the same."""
        own = {self.to.names.column(c.name) for c in inner.schema}

        def qualify(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and not node.table and node.name in own:
                return build.column(node.name, inner.alias)
            return node

        made = value.copy().transform(qualify, copy=False)
        assert isinstance(made, exp.Expr)
        return made
