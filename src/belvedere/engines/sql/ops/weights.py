"""Negate and Scale: what only touches the weight."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.ops import Negate, Scale
from belvedere.algebra.types import BigInt
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def negate(node: Negate, to: Lowering) -> Block:
    block = to.block(node.input)
    weight = exp.Neg(this=build.paren(to.weight_value(block)))
    return replace(block, weight=weight, positive=False)


def scale(node: Scale, to: Lowering) -> Block:
    """Weight times the factor; a factor of 0 or NULL drops the row."""
    block = to.careful(to.block(node.input), (node.factor,))
    block = to.plain(block, "computed", node.factor.columns)
    factor = to.dialect.cast(to.scalar(node.factor, block), BigInt())
    kept = block.filtered(exp.NEQ(this=factor, expression=build.number(0)))
    return replace(kept, weight=build.product(block.weight, factor.copy()), positive=False)
