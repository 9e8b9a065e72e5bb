"""Atomic values: a Python value ↔ the columns type, integer, number, text of `oem.values`.

Equal values must be equal rows, whatever way they came in, and comparisons under Lorel's coercions must need no more than these
columns. So each value has one text (a timestamp is in UTC, -0.0 is 0.0), and `number` holds whatever reads as a number.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Mapping
from typing import Any

from belvedere.errors import TypeMismatch
from belvedere.languages.lorel.constants import number_of

Atom = tuple[str, int | None, float | None, str]
"""(type, integer, number, text)"""

TYPES = ("bool", "int", "real", "string", "date", "timestamp")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMERIC_START = frozenset("+-.0123456789")
_LOW, _HIGH = -(2**63), 2**63 - 1


def row_of(value: Any) -> Atom:
    """The columns of a value.

    >>> row_of(5), row_of("5.50"), row_of(True)
    (('int', 5, 5.0, '5'), ('string', None, 5.5, '5.50'), ('bool', None, None, 'true'))
    """
    if isinstance(value, str):
        return ("string", None, number_in(value), writable(value))
    if isinstance(value, bool):
        return ("bool", None, None, "true" if value else "false")
    if isinstance(value, int):
        if not _LOW <= value <= _HIGH:
            shown = f"{str(value)[:40]}…" if value.bit_length() > 128 else str(value)
            raise TypeMismatch(f"{shown} does not fit into 64 bits; give it as text or as a real number")
        return ("int", int(value), float(value), str(int(value)))
    if isinstance(value, (float, decimal.Decimal)):
        return _real(value)
    if isinstance(value, datetime.datetime):
        return ("timestamp", None, None, _timestamp(value))
    if isinstance(value, datetime.date):
        return ("date", None, None, value.isoformat())
    raise TypeMismatch(
        f"{value!r:.60} ({type(value).__name__}) is no atomic value; use bool, int, float, str, date or datetime"
        + ("; a complex object is made by tx.add_object() and edges" if isinstance(value, (dict, list, tuple)) else "")
    )


def value_of(row: Mapping[str, Any]) -> Any:
    """The Python value of a row, with its type.

    >>> value_of({"type": "date", "text": "2024-02-29", "integer": None, "number": None})
    datetime.date(2024, 2, 29)
    """
    kind, text = row["type"], row["text"]
    match kind:
        case "string":
            return text
        case "int":
            return int(row["integer"])
        case "real":
            return float(row["number"])
        case "bool":
            return text == "true"
        case "date":
            return datetime.date.fromisoformat(text)
        case "timestamp":
            return datetime.datetime.fromisoformat(text)
    raise TypeMismatch(f"{kind!r} is no type of an atomic object; they are {', '.join(TYPES)}")


def number_in(text: str) -> float | None:
    """The number that a text reads as, if it is one and nothing else.

    >>> number_in("12"), number_in("1e3"), number_in("5d"), number_in(" 5"), number_in("1e999")
    (12.0, 1000.0, None, None, None)
    """
    found = number_of(text) if text[:1] in _NUMERIC_START else None
    return None if found is None else found + 0.0


def writable(text: str) -> str:
    """The text, if it can be stored: half a surrogate pair, which JSON can spell, is no character."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as e:
            raise TypeMismatch(f"{text!r:.60} holds half a surrogate pair, which is no character; repair the text") from e
    return str(text)


def moment_in(text: str) -> datetime.date | datetime.datetime | None:
    """The date or timestamp that an ISO text is."""
    try:
        return datetime.date.fromisoformat(text) if _DATE.fullmatch(text) else datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _real(value: float | decimal.Decimal) -> Atom:
    found = float(value) + 0.0  # -0.0 + 0.0 is 0.0
    if not math.isfinite(found):
        raise TypeMismatch(f"{value} is no number that can be compared; leave it out, or give it as text")
    return ("real", None, found, repr(found))


def _timestamp(value: datetime.datetime) -> str:
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value.isoformat(timespec="microseconds")
