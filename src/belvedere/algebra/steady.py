"""Conditions that mean the same wherever they are decided: made of columns, constants, comparisons and logic, and of casts that
only give an exact number more room."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import BigInt, DataType, Decimal, Int, Integral, SmallInt, TinyInt

_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_STEADY = (
    *_COMPARISONS, exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.And, exp.Or, exp.Not, exp.Is,
    exp.In, exp.Between,
)  # fmt: skip

#: digits of the largest whole numbers
_WHOLE: dict[type[DataType], int] = {TinyInt: 3, SmallInt: 5, Int: 10, BigInt: 19}


def steady(condition: Scalar) -> bool:
    """Whether it has a value whatever its columns hold, and reads nothing else."""
    return not condition.from_outside and _is_steady(condition.expr)


def compared(condition: Scalar) -> tuple[str, str] | None:
    """(a, b) if it compares two plain columns, widened or not, by anything but <>."""
    if not isinstance(condition.expr, _COMPARISONS) or isinstance(condition.expr, exp.NEQ):
        return None
    left, right = unwidened(condition.expr.this), unwidened(condition.expr.expression)
    return (left.name, right.name) if isinstance(left, exp.Column) and isinstance(right, exp.Column) else None


def unwidened(node: exp.Expr) -> exp.Expr:
    """What is behind parentheses and widening casts: compared with another exact number it is the same."""
    while True:
        if isinstance(node, exp.Paren) or (isinstance(node, exp.Cast) and _widens(node)):
            node = node.this
        else:
            return node


def _is_steady(node: exp.Expr) -> bool:
    if isinstance(node, exp.Neg | exp.Cast):
        inner = unwidened(node)
        if inner is not node:
            return _is_steady(inner)
        return isinstance(node.this, exp.Literal)  # fails for all rows or for none
    return isinstance(node, _STEADY) and all(map(_is_steady, node.iter_expressions()))


def _widens(node: exp.Cast) -> bool:
    before, after = node.this.unnest().meta.get("t"), node.meta.get("t")
    if isinstance(node, exp.TryCast) or not isinstance(before, Integral | Decimal) or not isinstance(after, Integral | Decimal):
        return False
    (whole, part), (room, rest) = _digits(before), _digits(after)
    if isinstance(before, Decimal) and isinstance(after, Integral):
        return part == 0 and whole < room
    return whole <= room and part <= rest


def _digits(t: Integral | Decimal) -> tuple[int, int]:
    """Digits before and after the point that there is room for."""
    return (t.precision - t.scale, t.scale) if isinstance(t, Decimal) else (_WHOLE[type(t)], 0)
