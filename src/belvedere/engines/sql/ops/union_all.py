"""UnionAll → UNION ALL of the parts' SELECTs, by position."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import UnionAll
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: UnionAll, to: Lowering) -> Block:
    if len(node.parts) == 1:
        return to.block(node.parts[0])
    blocks = [to.block(p) for p in node.parts]
    names = [to.names.column(n) for n in node.schema.names]
    query: exp.Expr | None = None
    for block in blocks:
        items = [build.alias(block.value(n), out) for n, out in zip(block.schema.names, names, strict=True)]
        items.append(build.alias(to.weight_value(block), build.WEIGHT))
        select = to.frame(block, items)
        query = select if query is None else exp.Union(this=query, expression=select, distinct=False)
    assert query is not None
    positive = all(b.positive for b in blocks)
    return to.read(to.define("all_rows", query), node.schema, weighted=True, positive=positive, distinct=False)
