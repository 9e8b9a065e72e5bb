"""Explode → LATERAL VIEW (Spark) or a lateral UNNEST (DuckDB)."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.ops import Explode
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Explode, to: Lowering) -> Block:
    block = to.ready(to.careful(to.block(node.input), (node.collection,)), "computed")
    collection = to.scalar(node.collection, block)
    alias = to.names.fresh("elements")
    added = [*([node.position] if node.position else []), *node.names]
    position = to.names.column(node.position) if node.position else None
    names = tuple(to.names.column(n) for n in node.names)
    joins, laterals = to.dialect.explode(collection, node.collection.type, alias, names, position, node.outer)
    columns = {**block.columns, **{n: build.column(to.names.column(n), alias) for n in added}}
    made = replace(
        block, schema=node.schema, columns=columns, joins=(*block.joins, *joins), laterals=(*block.laterals, *laterals),
        distinct=block.distinct and node.position is not None, unique=frozenset(),
    )  # fmt: skip
    return to.close(made, "exploded")
