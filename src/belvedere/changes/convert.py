"""One Python value → the value that Arrow stores for a type, or BadValue. Nothing is rounded, cut or guessed.

`converter(t)` compiles a type once into a function, so that a column of many values pays for the dispatch once.
"""

from __future__ import annotations

import decimal
import json
import math
import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from belvedere.algebra import types as T  # noqa: N812 - the short name keeps the tables below readable
from belvedere.changes.bad_value import BadValue
from belvedere.changes.convert_nested import array_of, map_of, struct_of

Convert = Callable[[Any], Any]

_WHOLE = re.compile(r"[+-]?[0-9]+\Z")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)\Z", re.I)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?)?\Z"
)
_BITS: dict[type[T.DataType], int] = {T.TinyInt: 8, T.SmallInt: 16, T.Int: 32, T.BigInt: 64}
_EXACT = decimal.Context(prec=200, traps=[decimal.InvalidOperation, decimal.Inexact, decimal.Overflow])


def converter(t: T.DataType) -> Convert:
    """The function that takes a value other than None; None is NULL in every type."""
    match t:
        case T.Integral():
            return _integral(t)
        case T.Float() | T.Double():
            return _fractional(t)
        case T.Decimal():
            return _decimal(t)
        case T.Array(element=e):
            return array_of(t, nullable(e))
        case T.Map(key=k, value=v):
            return map_of(t, converter(k), nullable(v))
        case T.Struct():
            return struct_of(t, {n: nullable(ft) for n, ft in t.fields})
        case _:
            return _SIMPLE[type(t)]


def nullable(t: T.DataType) -> Convert:
    convert = converter(t)
    return lambda value: None if value is None else convert(value)


def unwrap(value: Any) -> Any:
    """numpy scalars as the Python values they hold; anything else unchanged."""
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return value.item()
    return value


def _number(value: Any) -> Any:
    """int, float or Decimal out of whatever means a number; None for the rest (bool is not a number)."""
    value = unwrap(value)
    if isinstance(value, str):
        text = value.strip()
        if _WHOLE.match(text):
            return int(text)
        if _NUMBER.match(text):
            return decimal.Decimal(text)
        return float(text) if _NOT_FINITE.match(text) else None
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return None
    return value


def _integral(t: T.DataType) -> Convert:
    bits = _BITS[type(t)]
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    expected = f"a {t}" if not isinstance(t, T.Int) else "an int"

    def convert(value: Any) -> int:
        number = value if type(value) is int else _number(value)
        if number is None:
            hint = "true and false are not numbers" if isinstance(unwrap(value), bool) else ""
            raise BadValue(value, expected, hint)
        if not isinstance(number, int):
            if not math.isfinite(number) or number != math.trunc(number):
                raise BadValue(value, expected, "it has a fraction or is not finite; round it first")
            number = int(number)
        if not low <= number <= high:
            raise BadValue(value, expected, f"the range is {low} to {high}")
        return number

    return convert


def _fractional(t: T.DataType) -> Convert:
    single = isinstance(t, T.Float)

    def convert(value: Any) -> float:
        number = value if type(value) is float else _number(value)
        if number is None:
            raise BadValue(value, f"a {t}")
        finite = number.is_finite() if isinstance(number, decimal.Decimal) else isinstance(number, int) or math.isfinite(number)
        try:
            result = float(number)
            if single and finite:
                struct.pack("<f", result)
        except OverflowError:
            raise BadValue(value, f"a {t}", "it is out of range") from None
        if finite and math.isinf(result):
            raise BadValue(value, f"a {t}", "it is out of range")
        if isinstance(number, int) and int(result) != number:
            raise BadValue(value, f"a {t}", "a whole number of that size loses digits; use bigint or decimal")
        return result + 0.0  # -0.0 becomes 0.0: SQL holds them equal, so a bag could not say which one to delete

    return convert


def _decimal(t: T.Decimal) -> Convert:
    step = decimal.Decimal(1).scaleb(-t.scale)
    limit = decimal.Decimal(10) ** (t.precision - t.scale)

    def convert(value: Any) -> decimal.Decimal:
        number = value if type(value) is decimal.Decimal else _number(value)
        if number is None:
            raise BadValue(value, f"a {t}")
        if isinstance(number, float):
            number = decimal.Decimal(repr(number))
        number = decimal.Decimal(number)
        if not number.is_finite():
            raise BadValue(value, f"a {t}", "decimals have no NaN and no infinity")
        if number.copy_abs() >= limit:
            raise BadValue(value, f"a {t}", f"at most {t.precision - t.scale} digits before the point fit")
        try:
            exact = number.quantize(step, context=_EXACT)
        except decimal.DecimalException:
            raise BadValue(value, f"a {t}", f"at most {t.scale} digits after the point fit; round it first") from None
        return exact if exact else exact.copy_abs()

    return convert


def _boolean(value: Any) -> bool:
    value = unwrap(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise BadValue(value, "a boolean", "give True or False" if isinstance(value, int) else "")


def _string(value: Any) -> str:
    value = unwrap(value)
    if not isinstance(value, str):
        raise BadValue(value, "a string", "convert it with str() if that is meant")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadValue(value, "a string", "it holds half a surrogate pair, which UTF-8 cannot write") from None
    return str(value)


def _binary(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise BadValue(value, "a binary", "give bytes")


def _date(value: Any) -> date:
    value = unwrap(value)
    if isinstance(value, datetime):
        if value.tzinfo is None and value == datetime(value.year, value.month, value.day) and not getattr(value, "nanosecond", 0):
            return value.date()
        raise BadValue(value, "a date", "it carries a time of day; take .date() of it")
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _DATE.match(value.strip()):
        try:
            return date.fromisoformat(value.strip())
        except ValueError:
            raise BadValue(value, "a date", "there is no such day") from None
    raise BadValue(value, "a date", "write it as YYYY-MM-DD")


def _moment(value: Any, expected: str) -> datetime:
    """A datetime out of a datetime, a date (midnight) or ISO text; naive stays naive."""
    original, value = value, unwrap(value)
    if isinstance(value, datetime):
        if getattr(value, "nanosecond", 0):
            raise BadValue(original, expected, "it is finer than a microsecond; round it first")
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, str) and _TIMESTAMP.match(value.strip()):
        try:
            return datetime.fromisoformat(value.strip().replace(" +", "+").replace(" -", "-").replace(" Z", "Z"))
        except ValueError:
            raise BadValue(original, expected, "there is no such time") from None
    raise BadValue(original, expected, "write it as YYYY-MM-DD hh:mm:ss, with at most six digits for the fraction")


def _timestamp(value: Any) -> datetime:
    moment = _moment(value, "a timestamp")
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise BadValue(value, "a timestamp", "in UTC it leaves the years 1 to 9999") from None


def _timestamp_ntz(value: Any) -> datetime:
    moment = _moment(value, "a timestamp_ntz")
    if moment.tzinfo is not None:
        raise BadValue(value, "a timestamp_ntz", "it carries a zone; use the type timestamp, or drop the zone")
    return moment


def _variant(value: Any) -> str:
    """JSON text in one canonical form, so that equal values are equal rows."""
    try:
        tree = json.loads(value) if isinstance(value, str) else value
        return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise BadValue(value, "a variant", "give JSON text, or dicts, lists, numbers, strings and None") from None


def _void(value: Any) -> None:
    raise BadValue(value, "NULL", "the column has the type void, which holds nothing else")


_SIMPLE: dict[type[T.DataType], Convert] = {
    T.Boolean: _boolean, T.String: _string, T.Binary: _binary, T.Date: _date, T.Timestamp: _timestamp,
    T.TimestampNtz: _timestamp_ntz, T.Variant: _variant, T.Void: _void,
}  # fmt: skip
