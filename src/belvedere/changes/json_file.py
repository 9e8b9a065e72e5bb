"""JSON and JSON lines. Read with `exact`, a number keeps its digits (9.50 is a decimal, not the nearest double)."""

from __future__ import annotations

import decimal
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from belvedere.changes.file_errors import broken, readable

Numbered = tuple[int | None, Any]
"""(line, row)"""


def open_text(path: Path, errors: str = "strict") -> TextIO:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors=errors, newline="")
    return path.open(encoding="utf-8-sig", errors=errors, newline="")


def json_lines(path: Path, exact: bool = True) -> Iterator[Numbered]:
    """One object per line; blank lines are skipped."""
    with readable(path, "JSON lines"), open_text(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _object(_loads(line.rstrip(), path, number, exact), path, number)


def json_rows(path: Path, exact: bool = True) -> Iterator[Numbered]:
    """An array of objects, one object, or (as Spark writes into .json) one object per line."""
    with readable(path, "JSON"), open_text(path) as file:
        first = next((line for line in file if line.strip()), "")
        rest = next((line for line in file if line.strip()), "")
    if first.lstrip().startswith("{") and rest and _complete(first):
        yield from json_lines(path, exact)
        return
    with readable(path, "JSON"), open_text(path) as file:
        tree = _loads(file.read(), path, 1, exact)
    rows = tree if isinstance(tree, list) else [tree]
    for index, row in enumerate(rows):
        yield None, _object(row, path, None, f"element {index + 1}")


def _complete(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _loads(text: str, path: Path, line: int, exact: bool) -> Any:
    try:
        return json.loads(text, parse_float=decimal.Decimal if exact else float, object_pairs_hook=_once)
    except json.JSONDecodeError as e:
        raise broken(path, line + e.lineno - 1, f"not JSON: {e.msg} at column {e.colno}") from None
    except _Twice as e:
        known = line if "\n" not in text.strip() else None
        raise broken(path, known, f"the name {e.args[0]!r} is there twice in one object") from None


def _object(row: Any, path: Path, line: int | None, which: str = "") -> dict[str, Any]:
    if not isinstance(row, dict):
        shown = json.dumps(row, default=str)[:60]
        raise broken(path, line, f"{which + ' is ' if which else ''}{shown}, where an object {{…}} was expected")
    return row


class _Twice(Exception):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [n for n, _ in pairs]
        raise _Twice(next(n for n in names if names.count(n) > 1))
    return result
