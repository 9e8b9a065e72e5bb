"""Comparisons of atomic values as Lorel makes them: two numbers as numbers, a string and a number as numbers if the string reads
as one, equal types as they are, and anything else is false, whatever the comparison."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from tests.lorel.oracle.graph import Value

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def kind(value: Value) -> str:
    """The type by its name in `oem.values`; bool is an int and a timestamp a date to Python, not to us."""
    for kinds, name in ((bool, "bool"), (int, "int"), (float, "real"), (str, "string"), (datetime, "timestamp"), (date, "date")):
        if isinstance(value, kinds):
            return name
    raise TypeError(f"no atomic value: {value!r}")


def number(value: Value) -> float | None:
    """The value as a number, or None."""
    match kind(value):
        case "int" | "real":
            return float(value)  # type: ignore[arg-type]
        case "string" if NUMBER.fullmatch(str(value)):
            found = float(str(value))
            return found if math.isfinite(found) else None
    return None


def compare(op: str, left: Value, right: Value) -> bool:
    holds = OPERATORS[op]
    kinds = kind(left), kind(right)
    if kinds[0] == kinds[1]:
        return holds(_plain(left), _plain(right))
    if {*kinds} <= {"int", "real", "string"}:
        a, b = number(left), number(right)
        return a is not None and b is not None and holds(a, b)
    return False


def _plain(value: Value) -> Any:
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) and value.tzinfo else value


def text(value: Value) -> str:
    """The value as `oem.values` writes it."""
    match kind(value):
        case "bool":
            return "true" if value else "false"
        case "real":
            return repr(float(value) + 0.0)  # type: ignore[arg-type]
        case "date":
            return value.isoformat()  # type: ignore[union-attr]
        case "timestamp":
            return _plain(value).isoformat(timespec="microseconds")
    return str(value)
