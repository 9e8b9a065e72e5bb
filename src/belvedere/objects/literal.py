"""Values of the types that have no parts, as they are kept: checked against the ranges that ODL gives its words."""

from __future__ import annotations

import datetime as dt
from typing import Any

from belvedere.errors import TypeMismatch, suggest
from belvedere.objects.types import Enum, OType, Primitive

RANGES: dict[str, tuple[int, int]] = {
    "short": (-(1 << 15), (1 << 15) - 1), "unsigned short": (0, (1 << 16) - 1), "long": (-(1 << 31), (1 << 31) - 1),
    "unsigned long": (0, (1 << 32) - 1), "long long": (-(1 << 63), (1 << 63) - 1), "octet": (0, 255),
    "time": (0, 86_400_000_000 - 1), "interval": (-(1 << 63), (1 << 63) - 1),
}  # fmt: skip
_MICROSECOND = dt.timedelta(microseconds=1)


def literal(t: OType, value: Any) -> Any:
    """A value that is given for a primitive or enum, ready for the conversion to its column; TypeMismatch if it is no such.

    >>> from belvedere.objects.types import PRIMITIVES
    >>> literal(PRIMITIVES["time"], "12:30")
    45000000000
    """
    if value is None:
        return None
    if isinstance(t, Enum):
        if value not in t.members:
            raise TypeMismatch(f"{value!r} is not a word of {t}{suggest(str(value), list(t.members))}")
        return value
    if not isinstance(t, Primitive):
        raise TypeMismatch(f"{value!r} is not a value of type {t}")
    match t.name:
        case "char":
            if not isinstance(value, str) or len(value) != 1:
                raise TypeMismatch(f"{value!r} is not a char; give one character")
        case "time":
            value = _time(value)
        case "interval":
            value = _interval(value)
        case "string" if not isinstance(value, str):
            raise TypeMismatch(f"{value!r} is not a string")
        case "boolean" if not isinstance(value, bool):
            raise TypeMismatch(f"{value!r} is not a boolean; give True or False")
        case "float" | "double" if isinstance(value, (bool, str)):
            raise TypeMismatch(f"{value!r} is not a number")
    if t.name in RANGES:
        low, high = RANGES[t.name]
        if isinstance(value, (bool, str)):
            raise TypeMismatch(f"{value!r} is not a {t}")
        try:
            fits = low <= value <= high and value == int(value)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise TypeMismatch(f"{value!r} is not a {t}: whole numbers from {low} to {high}")
        return int(value)
    return value


def _time(value: Any) -> int:
    if isinstance(value, str):
        try:
            value = dt.time.fromisoformat(value)
        except ValueError:
            raise TypeMismatch(f"{value!r} is not a time; write it as hh:mm:ss") from None
    if isinstance(value, dt.time):
        if value.tzinfo is not None:
            raise TypeMismatch(f"{value} carries a zone, and a time of day has none; drop it")
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeMismatch(f"{value!r} is not a time; give a datetime.time, hh:mm:ss, or microseconds since midnight")


def _interval(value: Any) -> int:
    if isinstance(value, dt.timedelta):
        return value // _MICROSECOND
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeMismatch(f"{value!r} is not an interval; give a datetime.timedelta, or microseconds")
