"""Project → the SELECT list. A column that is computed below and computed with above closes the SELECT below."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.ops import Project
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Project, to: Lowering) -> Block:
    block = to.careful(to.block(node.input), (s for _, s in node.items))
    computed = {n for _, s in node.items if s.column is None for n in s.columns}
    block = to.plain(block, "computed", computed)
    made = to.project(block, [(c, to.scalar(s, block)) for c, (_, s) in zip(node.schema, node.items, strict=True)])
    kept = {s.column for _, s in node.items}
    return replace(made, distinct=block.distinct and kept >= set(block.schema.names))
