"""A value that does not fit its type, and how the user is told: which table, row, column, value and what was expected.

Converters raise `BadValue` without knowing where they are; whoever walks the rows knows, and turns it into `TypeMismatch`.
"""

from __future__ import annotations

from collections.abc import Callable

from belvedere.errors import TypeMismatch

Locate = Callable[[int], str]
"""Row index (from 0) → how the user calls that row: "row 3", or "line 4" in a file."""


def by_row(index: int) -> str:
    return f"row {index + 1}"


def show(value: object) -> str:
    """A value for a message: its repr, cut if long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


class BadValue(Exception):
    """Raised by converters. `path` grows outward: `[2]`, then `.items[2]`."""

    def __init__(self, value: object, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.value = value
        self.expected = expected
        self.hint = hint
        self.path = ""

    def inside(self, step: str) -> BadValue:
        self.path = step + self.path
        return self


def mismatch(bad: BadValue, what: str, column: str, where: str) -> TypeMismatch:
    hint = f"; {bad.hint}" if bad.hint else ""
    return TypeMismatch(f"{what}, {where}, column {column}{bad.path}: {show(bad.value)} is not {bad.expected}{hint}")
