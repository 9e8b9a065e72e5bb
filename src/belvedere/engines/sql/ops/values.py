"""Values → constant SELECTs; a relation without rows keeps its types."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Values
from belvedere.algebra.types import BigInt
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Values, to: Lowering) -> Block:
    names = [to.names.column(n) for n in node.schema.names]
    query: exp.Expr | None = None
    for row in node.rows:
        items = []
        for column, name, value in zip(node.schema, names, row, strict=True):
            made = to.dialect.scalar(value, {}, to.names)
            items.append(build.alias(to.dialect.cast(made, column.type), name))
        if not items:
            items.append(build.alias(to.dialect.cast(build.number(1), BigInt()), build.WEIGHT))
        select = exp.Select(expressions=items)
        query = select if query is None else exp.Union(this=query, expression=select, distinct=False)
    if query is None:
        query = empty(to, node)
    weighted = not names
    return to.read(to.define("constants", query), node.schema, weighted=weighted, positive=True, distinct=False)


def empty(to: Lowering, node: Values) -> exp.Expr:
    items = [build.alias(to.dialect.cast(exp.Null(), c.type), to.names.column(c.name)) for c in node.schema]
    if not items:
        items = [build.alias(to.dialect.cast(build.number(1), BigInt()), build.WEIGHT)]
    return exp.Select(expressions=items, where=exp.Where(this=exp.false()))
