"""Questions that are answered at the view itself: conditions no source may decide, and joins with changes that are known here.

Who answers is given from outside (an engine), by the same method as a source's snapshot has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import BigInt, Column, DataType, Schema
from belvedere.changes.names import WEIGHT
from belvedere.changes.zset import consolidate
from belvedere.sources.maintain.view import JoinView, Output, slot_column

ROWS, LEFT, RIGHT = "bv_rows", "bv_left", "bv_right"


class Here(Protocol):
    """An engine at the view: the select is in Spark's dialect, over nothing but the inputs."""

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table: ...


def filtered(here: Here, rows: pa.Table, checks: Sequence[exp.Expr], schema: Schema) -> pa.Table:
    """The rows for which all checks hold."""
    if not checks or not rows.num_rows:
        return rows
    columns = [slot_column(n) for n in rows.column_names]
    select = exp.Select().select(*columns).from_(exp.to_table(ROWS)).where(*[c.copy() for c in checks])
    return here.ask(select, {ROWS: rows}, schema)


def joined(here: Here, left: pa.Table, right: pa.Table, on: Sequence[exp.Expr], types: Mapping[str, DataType]) -> pa.Table:
    """Two Z-sets without a common slot, joined; weights multiply."""
    names = [n for n in (*left.column_names, *right.column_names) if n != WEIGHT]
    weight = exp.Mul(this=slot_column(WEIGHT, "l"), expression=slot_column(WEIGHT, "r"))
    columns: list[exp.Expr] = [*map(slot_column, names), exp.alias_(weight, WEIGHT, quoted=True)]
    select = exp.Select().select(*columns).from_(exp.to_table(LEFT).as_("l", table=True))
    select = select.join(exp.to_table(RIGHT).as_("r", table=True), on=exp.and_(*[c.copy() for c in on]) if on else exp.true())
    schema = Schema((*(Column(n, types[n]) for n in names), Column(WEIGHT, BigInt())))
    return here.ask(select, {LEFT: left, RIGHT: right}, schema)


def projected(here: Here, view: JoinView, rows: pa.Table) -> pa.Table:
    """The view's own columns, equal rows summed up."""
    weighted = Schema((*view.schema.columns, Column(WEIGHT, BigInt())))
    if all(isinstance(o.expr, exp.Column) for o in view.outputs):
        arrays = [rows[o.expr.name] for o in view.outputs]
        return consolidate(pa.table([*arrays, rows[WEIGHT]], names=[*view.schema.names, WEIGHT]))
    columns = [_named(o, i) for i, o in enumerate(view.outputs)]
    select = exp.Select().select(*columns, slot_column(WEIGHT)).from_(exp.to_table(ROWS))
    inner = Schema((*(Column(f"o{i}", o.type) for i, o in enumerate(view.outputs)), Column(WEIGHT, BigInt())))
    return consolidate(here.ask(select, {ROWS: rows}, inner).rename_columns(list(weighted.names)))


def _named(output: Output, number: int) -> exp.Expr:
    return exp.alias_(output.expr.copy(), f"o{number}", quoted=True)
