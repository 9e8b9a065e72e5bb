"""Conditions that refuse rows of NULLs: true of none in which some columns are all NULL.

An outer join pads what finds no partner with NULLs. A condition above it that refuses such rows, as `x = (select min(…) …)` does,
makes it an inner join, which changes with half the lookups and a fraction of the statement: nothing has to be known of what finds
no partner.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from belvedere.algebra.scalar import Scalar

#: expressions that are NULL as soon as one of their operands is
_STRICT = (
    exp.Paren, exp.Cast, exp.TryCast, exp.Neg, exp.Not, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod,
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like,
)  # fmt: skip


def refuses(parts: Iterable[Scalar], names: Iterable[str]) -> bool:
    """Whether one of the conditions is true of no row in which all these columns are NULL."""
    columns = frozenset(names)
    return any(part.columns & columns and _never_true(part.expr, columns) for part in parts)


def _never_true(node: exp.Expr, columns: frozenset[str]) -> bool:
    inner = node.unnest()
    match inner:
        case exp.And():
            return any(_never_true(side, columns) for side in (inner.left, inner.right))
        case exp.Or():
            return all(_never_true(side, columns) for side in (inner.left, inner.right))
        case exp.Not():
            negated = inner.this.unnest()
            if isinstance(negated, exp.Is) and isinstance(negated.expression, exp.Null):
                return _is_null(negated.this, columns)
            return _is_null(negated, columns)
        case exp.Between():
            return any(_is_null(inner.args[k], columns) for k in ("this", "low", "high"))
        case _:
            return _is_null(inner, columns)


def _is_null(node: exp.Expr, columns: frozenset[str]) -> bool:
    """Whether it is NULL wherever all the columns are."""
    match node:
        case exp.Column():
            return node.name in columns
        case exp.In(expressions=[_, *_]) | exp.Between():
            return _is_null(node.this, columns)
        case _ if isinstance(node, _STRICT):
            return any(_is_null(node.args[k], columns) for k in ("this", "expression") if isinstance(node.args.get(k), exp.Expr))
        case _:
            return False
