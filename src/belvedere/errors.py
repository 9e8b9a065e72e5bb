"""The one exception tree. Every error that a user can meet is a BelvedereError."""

from __future__ import annotations

from typing import Any


class BelvedereError(Exception):
    """Base of all errors raised on purpose. The message says what is wrong and what to do."""


class ParseError(BelvedereError):
    """Text in one of the view languages that cannot be understood, with its position and a caret."""

    def __init__(self, message: str, *, text: str = "", line: int | None = None, column: int | None = None) -> None:
        self.message = message
        self.text = text
        self.line = line
        self.column = column
        super().__init__(self._render())

    def _render(self) -> str:
        if self.line is None or not self.text:
            return self.message
        lines = self.text.splitlines() or [""]
        source = lines[min(self.line, len(lines)) - 1]
        column = max(1, min(self.column or 1, len(source) + 1))
        start = max(0, column - 61)
        shown = source[start : start + 100]
        return f"{self.message}\n  line {self.line}, column {column}:\n  {shown}\n  {' ' * (column - 1 - start)}^"


class UnknownName(ParseError):
    """A table, column, view or function that does not exist; suggests a near one."""


class TypeMismatch(ParseError):
    """A value or an expression whose type does not fit."""


class Unsupported(ParseError):
    """A construct that the grammar allows and Belvedere does not maintain or evaluate. Names the construct."""


class KeyViolation(BelvedereError):
    """A change that would put the same key twice into a table."""


class NotIncremental(BelvedereError):
    """strategy="incremental" was asked for and the view cannot be maintained that way; says why."""


class InvalidView(BelvedereError):
    """The view's definition no longer fits its inputs; the reason says which change broke it."""


class Conflict(BelvedereError):
    """Another writer published first. Nothing of this transaction was applied; it can be retried."""


class SourceUnavailable(BelvedereError):
    """An attached database did not answer."""


class StoreError(BelvedereError):
    """The warehouse directory or its catalog cannot be used."""


class EngineError(BelvedereError):
    """An engine refused a statement while running it (division by zero, overflow, a missing Java)."""


class OutOfMemory(EngineError):
    """An engine needs more memory than it may take."""


class RefreshFailed(EngineError):
    """Views that could not be refreshed, and so are as they were, with those that read them. The others were: `reports` says."""

    def __init__(self, message: str, reports: tuple[Any, ...]) -> None:
        self.reports = reports
        super().__init__(message)


def suggest(name: str, known: list[str]) -> str:
    """`; did you mean …?` for a near name, else the known ones, else nothing.

    >>> suggest("ordres", ["orders", "items"])
    "; did you mean 'orders'?"
    """
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [k.lower() for k in known], n=1)
    if near:
        original = next(k for k in known if k.lower() == near[0])
        return f"; did you mean '{original}'?"
    if known:
        shown = ", ".join(sorted(known)[:8])
        return f"; known: {shown}{', …' if len(known) > 8 else ''}"
    return ""
