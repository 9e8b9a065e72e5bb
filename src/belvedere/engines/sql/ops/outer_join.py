"""OuterJoin → LEFT, RIGHT or FULL JOIN. A side that can be missing is settled first: a row whose weights cancel is no
partner and must not suppress the row with NULLs."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.ops import OuterJoin
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.ops import join


def lower(node: OuterJoin, to: Lowering) -> Block:
    left, right = (to.careful(to.block(side), (node.on,)) for side in (node.left, node.right))
    if node.kind in ("left", "full"):
        right = to.settled(right)
    if node.kind in ("right", "full"):
        left = to.settled(left)
    left, right = to.single(left, "outer_left"), to.single(right, "outer_right")
    scope = replace(left, schema=node.schema, columns={**left.columns, **right.columns})
    left_weight = _or_one(left.weight, node.kind in ("right", "full"))
    right_weight = _or_one(right.weight, node.kind in ("left", "full"))
    return replace(
        scope, joins=(join.step(right, node.on, scope, to, side=node.kind.upper()),),
        weight=build.product(left_weight, right_weight), positive=left.positive and right.positive, distinct=False,
        unique=frozenset(),
    )  # fmt: skip


def _or_one(weight: exp.Expr | None, may_miss: bool) -> exp.Expr | None:
    """The weight of a side, 1 where the side has no row."""
    if weight is None or not may_miss:
        return weight
    return exp.Coalesce(this=weight.copy(), expressions=[build.number(1)])
