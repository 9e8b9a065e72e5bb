"""What the command prints: tables for people, JSON for programs. Nothing else in the room prints."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from belvedere.cli.changefile import BINARY

NUMBERS = (int, float, decimal.Decimal)
WIDE = 400


def console() -> Console:
    """Made anew each time, so that it follows a redirected stdout; a pipe has no width that could cut a value."""
    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else WIDE)


def count(number: int, thing: str) -> str:
    """
    >>> count(1, "row"), count(2_000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def say(message: str) -> None:
    """One line for a person, on stdout."""
    console().print(Text(message))


def note(message: str) -> None:
    """An aside that must not mix with the data on stdout."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(message, style="dim"))


def plain(value: Any) -> Any:
    """A value as JSON can hold it; what JSON lacks becomes text that the loader reads back."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case decimal.Decimal():
            return format(value, "f")
        case datetime.datetime() | datetime.date():
            return value.isoformat()
        case bytes():
            return {BINARY: base64.b64encode(value).decode("ascii")}
        case Mapping():
            return {str(k): plain(v) for k, v in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(v) for v in value]
        case _:
            return str(value)


def cell(value: Any) -> str:
    """A value in a table.

    >>> cell(None), cell(True), cell(1234567), cell({"a": [1]})
    ('NULL', 'true', '1234567', '{"a": [1]}')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case bytes():
            return "0x" + value.hex()
        case dict() | list() | tuple():
            return json.dumps(plain(value), ensure_ascii=False)
        case _:
            return str(plain(value))


def show_json(document: Any) -> None:
    typer.echo(json.dumps(plain(document), ensure_ascii=False, indent=2))


def show_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None, *, empty: str = "no rows") -> None:
    """Rows as a table. Numbers to the right; all columns that some row has if none are named."""
    if not rows:
        say(empty)
        return
    names = list(columns) if columns is not None else list(dict.fromkeys(n for row in rows for n in row))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in names:
        numeric = all(isinstance(r.get(name), NUMBERS) or r.get(name) is None for r in rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(row.get(name)), style="dim" if row.get(name) is None else "") for name in names))
    console().print(table)


def listing(rows: Iterable[Mapping[str, Any]], *, as_json: bool, empty: str) -> None:
    """A list, in the form asked for. In JSON an empty list is an empty list."""
    collected = list(rows)
    if as_json:
        show_json(collected)
    else:
        show_rows(collected, empty=empty)
