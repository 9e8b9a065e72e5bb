"""TopK → the running sum of the weights in the order, cut at offset and limit. A row on the border keeps the part of its
weight that is inside."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.ops import TopK
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.ordering import order_by


def lower(node: TopK, to: Lowering) -> Block:
    block = to.single(to.consolidated(to.block(node.input)), "net")
    order = order_by(block, node.order, to, ties=True)
    upto = to.names.fresh("upto")
    total = exp.Window(
        this=exp.Sum(this=block.weight_or_one()), order=exp.Order(expressions=order) if order else None,
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
    )  # fmt: skip
    running = Column(upto, BigInt())
    items = [*((c, block.value(c.name)) for c in block.schema), (running, to.dialect.cast(total, BigInt()))]
    counted = to.close(to.project(block, items), "counted")
    reach = counted.value(upto)
    before = exp.Sub(this=reach, expression=counted.weight_or_one())
    low, high = build.number(node.offset), None if node.limit is None else build.number(node.offset + node.limit)
    weight: exp.Expr = exp.Sub(
        this=reach.copy() if high is None else exp.Least(this=reach.copy(), expressions=[high]),
        expression=exp.Greatest(this=before, expressions=[low]),
    )
    kept = counted.filtered(exp.GT(this=reach.copy(), expression=low.copy()))
    if high is not None:
        kept = kept.filtered(exp.LT(this=before.copy(), expression=high.copy()))
    visible = Schema(node.schema.columns)
    columns = {n: counted.value(n) for n in visible.names}
    return replace(kept, schema=visible, columns=columns, weight=to.dialect.cast(weight, BigInt()), positive=True, distinct=True)
