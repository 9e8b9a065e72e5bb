"""A lookup and its branch for NULL keys, put together again.

Engines skip data on `=` only, so a plan looks up NULL keys in a branch of its own (`maintenance/lookup.py`). Over rows in memory
there is nothing to skip, and each operator costs more than its rows.
Law: L ⋉(a = k) K + σ(a is null)(L) ⋉(a <=> k) σ(k is null)(K) = L ⋉(a <=> k) K.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, SemiJoin, UnionAll
from belvedere.algebra.scalar import Scalar, null_test


def in_one_branch(node: Node) -> Node:
    """The plan with such pairs of branches as one; a node remembers it."""
    known: Node | None = node.__dict__.get("_in_one_branch")
    if known is None:
        known = node.__dict__["_in_one_branch"] = node.transform(_joined)
    return known


def _joined(node: Node) -> Node:
    match node:
        case UnionAll(
            parts=(
                SemiJoin(left=a, right=keys, on=equal, anti=False),
                SemiJoin(left=Filter(input=b, condition=none), right=Filter(input=others, condition=no_key), on=same, anti=False),
            )
        ) if a == b and keys == others and _is_branch(equal, same, null_test(none), null_test(no_key)):
            return SemiJoin(a, keys, same)
        case _:
            return node


def _is_branch(equal: Scalar, same: Scalar, column: str | None, key: str | None) -> bool:
    """Whether the conditions are the same but for the first part: `column = key` in one, `column <=> key` in the other."""
    mine, theirs = equal.conjuncts(), same.conjuncts()
    if column is None or key is None or not mine or len(mine) != len(theirs) or mine[1:] != theirs[1:]:
        return False
    first, other = mine[0].expr, theirs[0].expr
    plain = isinstance(first, exp.EQ) and isinstance(other, exp.NullSafeEQ)
    return plain and _names(first) == _names(other) == (column, key)


def _names(pair: exp.Expr) -> tuple[str | None, str | None]:
    left, right = pair.this.unnest(), pair.expression.unnest()
    return (left.name if isinstance(left, exp.Column) else None, right.name if isinstance(right, exp.Column) else None)
