"""Filter → WHERE of the same SELECT, where the columns it reads are plain."""

from __future__ import annotations

from belvedere.algebra.ops import Filter
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Filter, to: Lowering) -> Block:
    block = to.careful(to.block(node.input), (node.condition,))
    block = to.plain(block, "computed", node.condition.columns)
    return block.filtered(to.scalar(node.condition, block))
