"""Atomic values and how they compare: Lorel's coercions, once, in plain Python.

int with real: as reals. A string with a number: both as numbers, and false if the string is none. Two of one type: as they
are. Any other two: false, whatever the operator.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: a string that reads as a number; nothing may stand around it
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
#: the same for an engine, which must not be asked for \d or \.
NUMBER_PATTERN = "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Constant:
    """An atomic value with its type: bool, int, real, string, date or timestamp."""

    type: str
    value: bool | int | float | str | dt.date | dt.datetime

    @staticmethod
    def of(value: bool | int | float | str | dt.date | dt.datetime) -> Constant:
        """
        >>> Constant.of(True).type, Constant.of(5).type, Constant.of("5").type
        ('bool', 'int', 'string')
        """
        return Constant(type_of(value), value)

    @property
    def text(self) -> str:
        """The value as the column `text` of oem.values holds it."""
        match self.value:
            case bool():
                return "true" if self.value else "false"
            case dt.datetime():
                return self.value.isoformat(timespec="microseconds")
            case dt.date():
                return self.value.isoformat()
            case float():
                return repr(self.value)
            case _:
                return str(self.value)

    @property
    def number(self) -> float | None:
        """The value as a number, where it is one or reads as one."""
        return number_of(self.value)


def type_of(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "real"
        case str():
            return "string"
        case dt.datetime():
            return "timestamp"
        case dt.date():
            return "date"
    raise TypeError(f"no atomic value: {value!r}")


def number_of(value: object) -> float | None:
    """
    >>> number_of("5e1"), number_of("5d"), number_of(" 5"), number_of("1e999"), number_of(True)
    (50.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        if NUMBER.fullmatch(value) is None or not math.isfinite(float(value)):
            return None
        return float(value)
    return float(value)


def satisfies(value: object, op: str, constant: object) -> bool:
    """Whether `value op constant` is true.

    >>> satisfies("10", ">", 9), satisfies("ten", "!=", 9), satisfies("a_b", "like", "a%"), satisfies(3, "like", "3")
    (True, False, True, False)
    """
    if op == "like":
        return isinstance(value, str) and isinstance(constant, str) and fits(value, constant)
    a, b = type_of(value), type_of(constant)
    if a == b:
        return OPERATORS[op](value, constant)
    x, y = number_of(value), number_of(constant)
    return x is not None and y is not None and OPERATORS[op](x, y)


def fits(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern, in which `%` stands for any text and everything else for itself."""
    return re.fullmatch(".*".join(re.escape(p) for p in pattern.split("%")), text, re.S) is not None
