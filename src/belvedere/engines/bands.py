"""Rows compared with one value of everything, such as an average: when it moves, those between the old and the new one count.

The condition is that of `maintenance/rules/threshold.py`: x lies between the ends of a band, or a sum is not 0 and then every row
counts. Where x is a plain column, or one that is widened without a loss, the band says which values of it are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import DataType, Date, Decimal, Integral, Schema, to_arrow

#: more digits than a number of 38 can need
EXACT = Context(prec=80)


@dataclass(frozen=True)
class Band:
    """A column, and the columns of the other side that hold the ends and the sum."""

    column: str
    low: str
    high: str
    sum: str


def band(on: Scalar, rows: Schema, ends: Schema) -> Band | None:
    """What a join's condition says about a column of its rows, if it is one of this kind.

    >>> from belvedere.algebra.types import parse_schema
    >>> from belvedere.algebra.typing import scalar
    >>> rows, ends = parse_schema("x int, y string"), parse_schema("low int, high int, sum bigint")
    >>> both = parse_schema("x int, y string, low int, high int, sum bigint")
    >>> band(scalar("(x >= low and x <= high) or sum <> 0", both), rows, ends)
    Band(column='x', low='low', high='high', sum='sum')
    >>> band(scalar("x >= low and x <= high", both), rows, ends) is None
    True
    """
    either = on.expr.unnest()
    if not isinstance(either, exp.Or):
        return None
    inside, other = either.left.unnest(), either.right.unnest()
    if not (isinstance(inside, exp.And) and isinstance(other, exp.NEQ)):
        return None
    least, most = inside.left.unnest(), inside.right.unnest()
    if not (isinstance(least, exp.GTE) and isinstance(most, exp.LTE) and least.left == most.left):
        return None
    column = _column(least.left.unnest(), rows)
    found = [e.unnest() for e in (least.right, most.right, other.left)]
    if column is None or not all(isinstance(e, exp.Column) and e.name in ends for e in found):
        return None
    zero = other.right.unnest()
    zero = zero.this.unnest() if isinstance(zero, exp.Cast) else zero
    if not (isinstance(zero, exp.Literal) and not zero.is_string and zero.this == "0"):
        return None
    if not all(_exact(ends[e.name].type) or ends[e.name].type == rows[column].type for e in found[:2]):
        return None
    return Band(column, *(e.name for e in found))


def within(scalar: Scalar) -> str | None:
    """The column whose value an expression has wherever it is not NULL, if it is of numbers or days: where the expression lies
    between two ends, so does the column.

    >>> from belvedere.algebra.types import parse_schema
    >>> from belvedere.algebra.typing import scalar as typed
    >>> schema = parse_schema("n bigint, x decimal(38,2), y decimal(38,2)")
    >>> within(typed("case when n = 0 then null else cast(x as decimal(30,2)) end", schema))
    'x'
    >>> [within(typed(text, schema)) for text in ("cast(x as decimal(30,1))", "case when n = 0 then y else x end", "x + 1")]
    [None, None, None]
    """
    return _within(scalar.expr)


def _within(e: exp.Expr) -> str | None:
    x = e.unnest()
    if isinstance(x, exp.Column):
        t = x.meta.get("t")
        return x.name if t is not None and (_exact(t) or isinstance(t, Date)) else None
    if isinstance(x, exp.Cast):
        t, wide = x.this.unnest().meta.get("t"), x.meta.get("t")
        return _within(x.this) if t is not None and wide is not None and _keeps(t, wide) else None
    if isinstance(x, exp.Case) and x.this is None:
        values = [v for v in (*(branch.args["true"] for branch in x.args["ifs"]), x.args.get("default")) if not _is_null(v)]
        found = {_within(v) for v in values}
        return found.pop() if len(found) == 1 else None
    return None


def _is_null(e: exp.Expr | None) -> bool:
    x = None if e is None else e.unnest()
    return x is None or isinstance(x, exp.Null) or (isinstance(x, exp.Cast) and _is_null(x.this))


def _keeps(t: DataType, wide: DataType) -> bool:
    """Whether a value is the same as one of the other type, if it has a place there at all."""
    return _exact(t) and _exact(wide) and _digits(wide)[1] >= _digits(t)[1]


def least_and_most(t: DataType, low: Any, high: Any) -> tuple[Any, Any]:
    """The ends as values of the column's type, a little outside if it has none that is equal."""
    if not isinstance(t, Decimal):
        return (low, high) if isinstance(t, Date) else (_whole(t, low, ROUND_FLOOR), _whole(t, high, ROUND_CEILING))
    return _fitted(t, low, ROUND_FLOOR), _fitted(t, high, ROUND_CEILING)


def _column(x: exp.Expr, rows: Schema) -> str | None:
    """The column that is compared, as it is or as a number with more digits."""
    wide = x.meta.get("t")
    inner = x.this.unnest() if isinstance(x, exp.Cast) else x
    if not isinstance(inner, exp.Column) or inner.name not in rows:
        return None
    t = rows[inner.name].type
    if isinstance(t, Date):
        return inner.name if inner is x else None
    if not _exact(t):
        return None
    return inner.name if inner is x or (wide is not None and _widens(t, wide)) else None


def _exact(t: DataType) -> bool:
    return isinstance(t, (Integral, Decimal))


def _widens(t: DataType, wide: DataType) -> bool:
    """Whether every value of one type is one of the other, too."""
    if not (_exact(t) and _exact(wide)):
        return False
    digits, scale = _digits(t)
    more, other = _digits(wide)
    if isinstance(wide, Integral):
        return scale == 0 and (isinstance(t, Integral) and digits <= more)
    return other >= scale and more - other >= digits - scale


def _digits(t: DataType) -> tuple[int, int]:
    """(all digits that a value can need, those after the point)"""
    if isinstance(t, Decimal):
        return t.precision, t.scale
    return len(str(_greatest(t))), 0


def _greatest(t: DataType) -> int:
    return int(2 ** (to_arrow(t).bit_width - 1) - 1)


def _whole(t: DataType, value: Any, rounding: str) -> int:
    found = int(EXACT.create_decimal(value).to_integral_value(rounding, EXACT))
    return max(-_greatest(t) - 1, min(_greatest(t), found))


def _fitted(t: Decimal, value: Any, rounding: str) -> Any:
    """A number with the digits after the point that the type has; its ends, where it has no place for it."""
    unit = EXACT.create_decimal((0, (1,), -t.scale))
    greatest = EXACT.create_decimal((0, (9,) * t.precision, -t.scale))  # nothing here depends on the context of the caller
    found = EXACT.create_decimal(value).quantize(unit, rounding, EXACT)
    return max(greatest.copy_negate(), min(greatest, found))
