"""Tally → GROUP BY with weighted sums. Keys stay as long as a row names them, even when everything cancels."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Tally
from belvedere.algebra.types import Column
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Tally, to: Lowering) -> Block:
    used = {c for _, s in (*node.keys, *node.sums) for c in s.columns}
    rows = to.careful(to.block(node.input), (s for _, s in (*node.keys, *node.sums)))
    block = to.plain(rows, "computed", used)
    keys = [(Column(n, s.type), to.dialect.groupable(to.scalar(s, block), s.type, to.names)) for n, s in node.keys]
    summands = [(Column(n, s.type), to.scalar(s, block)) for n, s in node.sums]
    rows = to.ready(to.project(block, [*keys, *summands]), "rows")
    if any(to.dialect.needs_units(c.type) for c, _ in summands):
        rows = to.ready(to.units(rows, "units", signed=True), "units")
    sums = [(c, _sum(rows.value(c.name), c, rows, to)) for c, _ in summands]
    return to.grouped(rows, [n for n, _ in node.keys], sums, "tallied")


def _sum(value: exp.Expr, column: Column, rows: Block, to: Lowering) -> exp.Expr:
    total = to.dialect.sum_exact(value, column.type, rows.weight, column.type, build.filtered)
    return to.dialect.cast(exp.Coalesce(this=total, expressions=[build.number(0)]), column.type)
