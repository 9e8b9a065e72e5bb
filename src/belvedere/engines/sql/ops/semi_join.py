"""SemiJoin → LEFT SEMI or LEFT ANTI JOIN with the right as a set: its rows, over the columns that count, of positive weight."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.ops import SemiJoin
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.ops import join


def lower(node: SemiJoin, to: Lowering) -> Block:
    left, right = to.careful(to.block(node.left), (node.on,)), members(node, to)
    if left.laterals or not left.is_plain(node.on.columns):
        left = to.close(left, "computed")
    scope = replace(left, columns={**left.columns, **right.columns})
    step = join.step(right, node.on, scope, to, side="LEFT", kind="ANTI" if node.anti else "SEMI")
    return replace(left, joins=(*left.joins, step))


def members(node: SemiJoin, to: Lowering) -> Block:
    """The right side as one relation that holds only rows with positive weight."""
    right = to.careful(to.block(node.right), (node.on,))
    if right.positive:
        return to.single(right, "members")
    used = [c for c in node.right.schema if c.name in node.on.columns]
    narrowed = to.project(right, [(c, right.value(c.name)) for c in used])
    return to.consolidated(narrowed, "members")
