"""Which type two types have in common, and which type may stand in for which: Spark's ANSI rules."""

from __future__ import annotations

from functools import reduce

from belvedere.algebra.types import (
    Array,
    BigInt,
    Binary,
    Boolean,
    DataType,
    Date,
    Decimal,
    Double,
    Float,
    Fractional,
    Int,
    Integral,
    Map,
    SmallInt,
    String,
    Struct,
    Timestamp,
    TimestampNtz,
    TinyInt,
    Variant,
    Void,
)
from belvedere.algebra.typing import decimals

_NUMBERS: tuple[type[DataType], ...] = (TinyInt, SmallInt, Int, BigInt, Float, Double)
_DATES: tuple[type[DataType], ...] = (Date, TimestampNtz, Timestamp)
_ATOMIC = (Integral, Fractional, Decimal, Boolean, Date, Timestamp, TimestampNtz, String, Binary)


def is_atomic(t: DataType) -> bool:
    return isinstance(t, _ATOMIC)


def common(a: DataType, b: DataType) -> DataType | None:
    """The type to which both are cast where one type is needed: comparisons, case, coalesce, union.

    >>> from belvedere.algebra.types import parse_type as t
    >>> [str(common(t(a), t(b))) for a, b in [("int", "bigint"), ("int", "float"), ("int", "decimal(5,2)"), ("string", "int")]]
    ['bigint', 'double', 'decimal(12,2)', 'bigint']
    """
    if a == b or isinstance(b, Void):
        return a
    if isinstance(a, Void):
        return b
    for one, other in ((a, b), (b, a)):
        found = _ordered(one, other)
        if found is not None:
            return found
    return _nested(a, b)


def _ordered(a: DataType, b: DataType) -> DataType | None:
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        top = _NUMBERS[max(_NUMBERS.index(type(a)), _NUMBERS.index(type(b)))]
        return Double() if top is Float else top()
    if type(a) in _DATES and type(b) in _DATES:
        return _DATES[max(_DATES.index(type(a)), _DATES.index(type(b)))]()
    if isinstance(a, Decimal):
        if isinstance(b, Decimal):
            return decimals.wider(a, b)
        if isinstance(b, Integral):
            return decimals.wider(a, decimals.of_integral(b))
        if isinstance(b, Fractional):
            return Double()
    if isinstance(a, String):
        if isinstance(b, Integral):
            return BigInt()
        if isinstance(b, (Fractional, Decimal)):
            return Double()
        if is_atomic(b):
            return b
    return None


def _nested(a: DataType, b: DataType) -> DataType | None:
    match a, b:
        case Array(element=x), Array(element=y):
            inner = common(x, y)
            return Array(inner) if inner is not None else None
        case Map(key=k, value=v), Map(key=k2, value=v2):
            key, value = common(k, k2), common(v, v2)
            return Map(key, value) if key is not None and value is not None else None
        case Struct(fields=f), Struct(fields=g) if [n.lower() for n, _ in f] == [n.lower() for n, _ in g]:
            types = [common(x, y) for (_, x), (_, y) in zip(f, g, strict=True)]
            known = [t for t in types if t is not None]
            return Struct(tuple((n, t) for (n, _), t in zip(f, known, strict=True))) if len(known) == len(types) else None
        case _:
            return None


def common_of(types: list[DataType]) -> DataType | None:
    """The common type of any number of types, folded from the left with strings first, as Spark does it."""
    if not types:
        return Void()
    ordered = [t for t in types if isinstance(t, String)] + [t for t in types if not isinstance(t, String)]

    def step(acc: DataType | None, t: DataType) -> DataType | None:
        return common(acc, t) if acc is not None else None

    first: DataType | None = ordered[0]
    return reduce(step, ordered[1:], first)


def castable(a: DataType, b: DataType) -> bool:
    """Whether `cast(a as b)` is allowed at all with ANSI on."""
    if a == b or isinstance(a, Void) or isinstance(b, String):
        return True
    if isinstance(a, Variant) or isinstance(b, Variant):
        return True
    if isinstance(a, String):
        return is_atomic(b)
    if a.is_numeric:
        return b.is_numeric or isinstance(b, (Boolean, Timestamp)) or (isinstance(a, Integral) and isinstance(b, Binary))
    if isinstance(a, Boolean):
        return b.is_numeric
    if type(a) in _DATES:
        return type(b) in _DATES or (isinstance(a, Timestamp) and b.is_numeric)
    match a, b:
        case Array(element=x), Array(element=y):
            return castable(x, y)
        case Map(key=k, value=v), Map(key=k2, value=v2):
            return castable(k, k2) and castable(v, v2)
        case Struct(fields=f), Struct(fields=g):
            return len(f) == len(g) and all(castable(x, y) for (_, x), (_, y) in zip(f, g, strict=True))
        case _:
            return False


def storable(a: DataType, b: DataType) -> bool:
    """Whether a value of type a may be assigned to a column of type b (Spark's ANSI store assignment)."""
    if isinstance(a, String) and is_atomic(b) and not isinstance(b, String):
        return False
    if isinstance(b, String) and not is_atomic(a):
        return isinstance(a, (Void, Variant))
    if type(a) in _DATES and b.is_numeric:
        return False
    if a.is_numeric and isinstance(b, (Timestamp, Boolean, Binary)):
        return False
    if isinstance(a, Boolean) and b.is_numeric:
        return False
    return castable(a, b)


def orderable(t: DataType) -> bool:
    """Whether values can be compared and sorted."""
    return not t.contains(Map) and not t.contains(Variant)


def groupable(t: DataType) -> bool:
    """Whether values can be keys of a group (maps can, since Spark 4)."""
    return not t.contains(Variant)
