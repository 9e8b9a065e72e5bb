"""Consolidate → GROUP BY all columns HAVING the weights do not cancel; Positive → HAVING their sum is above 0."""

from __future__ import annotations

from belvedere.algebra.ops import Consolidate, Positive
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Consolidate, to: Lowering) -> Block:
    return to.consolidated(to.block(node.input), positive=False)


def positive(node: Positive, to: Lowering) -> Block:
    return to.consolidated(to.block(node.input), positive=True)
