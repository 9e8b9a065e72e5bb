"""Questions that are answered at the view itself: conditions no source may decide, and joins with changes that are known here.

Who answers is given from outside (an engine). `Selects` is for one that is asked in SQL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import BigInt, Column, DataType, Schema
from belvedere.changes.names import WEIGHT
from belvedere.changes.zset import consolidate
from belvedere.sources.maintain.view import JoinView, Output, slot_column

ROWS = "bv_rows"

Types = Mapping[str, DataType]


class Here(Protocol):
    """An engine at the view. Rows are Z-sets over slots, whose types are given; expressions are Spark's."""

    def joined(self, inputs: Sequence[pa.Table], on: Sequence[exp.Expr], types: Types) -> pa.Table:
        """Z-sets without a common slot, joined on all conditions; weights multiply."""
        ...

    def computed(self, rows: pa.Table, outputs: Sequence[Output], types: Types) -> pa.Table:
        """Columns of the view from slots, each row with its weight."""
        ...


def filtered(here: Here, rows: pa.Table, checks: Sequence[exp.Expr], types: Types) -> pa.Table:
    """The rows for which all checks hold."""
    return here.joined([rows], checks, types) if checks and rows.num_rows else rows


def projected(here: Here, view: JoinView, rows: pa.Table) -> pa.Table:
    """The view's own columns, equal rows summed up."""
    if all(isinstance(o.expr, exp.Column) for o in view.outputs):
        arrays = [rows[o.expr.name] for o in view.outputs]
        return consolidate(pa.table([*arrays, rows[WEIGHT]], names=[*view.schema.names, WEIGHT]))
    return consolidate(here.computed(rows, view.outputs, view.types))


class Selects(ABC):
    """An engine that answers selects in Spark's dialect over nothing but the inputs."""

    @abstractmethod
    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table: ...

    def joined(self, inputs: Sequence[pa.Table], on: Sequence[exp.Expr], types: Types) -> pa.Table:
        names = [n for t in inputs for n in t.column_names if n != WEIGHT]
        weight: exp.Expr = slot_column(WEIGHT, "t0")
        for i in range(1, len(inputs)):
            weight = exp.Mul(this=weight, expression=slot_column(WEIGHT, f"t{i}"))
        select = exp.Select().select(*map(slot_column, names), exp.alias_(weight, WEIGHT, quoted=True))
        for i in range(len(inputs)):
            table = exp.to_table(f"{ROWS}{i}").as_(f"t{i}", table=True)
            select = select.from_(table) if i == 0 else select.join(table, join_type="cross")
        if on:
            select = select.where(*[c.copy() for c in on])
        schema = Schema((*(Column(n, types[n]) for n in names), Column(WEIGHT, BigInt())))
        return self.ask(select, {f"{ROWS}{i}": t for i, t in enumerate(inputs)}, schema)

    def computed(self, rows: pa.Table, outputs: Sequence[Output], types: Types) -> pa.Table:
        columns = [exp.alias_(o.expr.copy(), f"o{i}", quoted=True) for i, o in enumerate(outputs)]
        select = exp.Select().select(*columns, slot_column(WEIGHT)).from_(exp.to_table(ROWS))
        schema = Schema((*(Column(f"o{i}", o.type) for i, o in enumerate(outputs)), Column(WEIGHT, BigInt())))
        return self.ask(select, {ROWS: rows}, schema).rename_columns([*(o.name for o in outputs), WEIGHT])
