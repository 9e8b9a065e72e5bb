"""Join → JOIN in the same SELECT; weights multiply, so runs are joined as they are."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.ops import Join
from belvedere.algebra.scalar import Scalar
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Join, to: Lowering) -> Block:
    left, right = (to.careful(to.block(side), (node.on,)) for side in (node.left, node.right))
    if left.laterals or not left.is_plain(node.on.columns):
        left = to.close(left, "computed")
    if not right.is_single or not right.is_plain(node.on.columns):
        right = to.close(right, "joined")
    block = replace(
        left, schema=node.schema, columns={**left.columns, **right.columns}, weight=build.product(left.weight, right.weight),
        where=(*left.where, *right.where), positive=left.positive and right.positive, distinct=left.distinct and right.distinct,
        unique=left.unique | right.unique if left.unique and right.unique else frozenset(),
    )  # fmt: skip
    return replace(block, joins=(*left.joins, step(right, node.on, block, to)))


def step(right: Block, on: Scalar, scope: Block, to: Lowering, *, side: str = "", kind: str = "") -> exp.Join:
    """JOIN right ON condition, the condition over the columns of the scope."""
    if on.is_true and not side and not kind:
        return exp.Join(this=copied(right.source), kind="CROSS")
    condition = build.conjunction(to.scalar(part, scope) for part in on.conjuncts())
    return exp.Join(this=copied(right.source), side=side, kind=kind, on=condition if condition is not None else exp.true())
