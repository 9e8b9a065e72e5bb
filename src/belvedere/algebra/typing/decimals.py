"""Spark's rules for the precision and scale of decimals (`spark.sql.decimalOperations.allowPrecisionLoss` on)."""

from __future__ import annotations

from belvedere.algebra.types import BigInt, DataType, Decimal, Int, SmallInt, TinyInt

MAX = 38
MIN_ADJUSTED_SCALE = 6

_OF_INTEGRAL: dict[type[DataType], Decimal] = {
    TinyInt: Decimal(3, 0), SmallInt: Decimal(5, 0), Int: Decimal(10, 0), BigInt: Decimal(20, 0),
}  # fmt: skip


def of_integral(t: DataType) -> Decimal:
    """The decimal that holds every value of an integer type."""
    return _OF_INTEGRAL[type(t)]


def of_literal(digits: str) -> Decimal:
    """The type of a decimal literal.

    >>> str(of_literal("0.05")), str(of_literal("120.50")), str(of_literal("5."))
    ('decimal(2,2)', 'decimal(5,2)', 'decimal(1,0)')
    """
    whole, _, fraction = digits.partition(".")
    unscaled = (whole + fraction).lstrip("0")
    precision = max(len(unscaled), len(fraction), 1)
    return Decimal(min(precision, MAX), min(len(fraction), MAX))


def adjust(precision: int, scale: int) -> Decimal:
    """Cap the precision; digits after the point give way first, down to six of them."""
    if precision <= MAX:
        return Decimal(precision, scale)
    whole = precision - scale
    return Decimal(MAX, max(MAX - whole, min(scale, MIN_ADJUSTED_SCALE)))


def add(a: Decimal, b: Decimal) -> Decimal:
    scale = max(a.scale, b.scale)
    return adjust(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def multiply(a: Decimal, b: Decimal) -> Decimal:
    return adjust(a.precision + b.precision + 1, a.scale + b.scale)


def divide(a: Decimal, b: Decimal) -> Decimal:
    scale = max(MIN_ADJUSTED_SCALE, a.scale + b.precision + 1)
    return adjust(a.precision - a.scale + b.scale + scale, scale)


def remainder(a: Decimal, b: Decimal) -> Decimal:
    scale = max(a.scale, b.scale)
    return adjust(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def wider(a: Decimal, b: Decimal) -> Decimal:
    """The type that holds the values of both, preferring whole digits where 38 are not enough."""
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    if precision <= MAX:
        return Decimal(precision, scale)
    return Decimal(MAX, max(0, scale - (precision - MAX)))


def sum_of(t: Decimal) -> Decimal:
    return Decimal(min(MAX, t.precision + 10), t.scale)


def average_of(t: Decimal) -> Decimal:
    return Decimal(min(MAX, t.precision + 4), min(MAX, t.scale + 4))
