"""SQLite's declared types → ours. SQLite lets any value into any column; one that does not fit is an error when it is read."""

from __future__ import annotations

import decimal
import re
from typing import Any

from belvedere.algebra import types as T  # noqa: N812
from belvedere.changes.bad_value import BadValue
from belvedere.errors import TypeMismatch
from belvedere.sources.rows import Decode

_DECLARED = re.compile(r"\s*([a-z ]+?)\s*(\(\s*([0-9]+)\s*(,\s*([0-9]+)\s*)?\))?\s*(unsigned)?\s*\Z", re.I)
_SIMPLE: dict[str, T.DataType] = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "tinyint", "mediumint", "int2", "int4", "int8"), T.BigInt()),
    **dict.fromkeys(("real", "double", "double precision", "float"), T.Double()),
    **dict.fromkeys(("text", "varchar", "char", "character", "clob", "nvarchar", "nchar", "varying character"), T.String()),
    **dict.fromkeys(("boolean", "bool"), T.Boolean()),
    **dict.fromkeys(("timestamp", "datetime"), T.TimestampNtz()),
    "blob": T.Binary(), "date": T.Date(),
}  # fmt: skip


def type_of(source: str, table: str, column: str, declared: str) -> T.DataType:
    """Our type for a declared one."""
    found = _DECLARED.match(declared or "")
    word = found[1].lower() if found else ""
    if found and word in ("decimal", "numeric") and found[3]:
        return T.Decimal(int(found[3]), int(found[5] or 0))
    if word in _SIMPLE:
        return _SIMPLE[word]
    raise TypeMismatch(
        f"source {source!r}: column {column!r} of table {table!r} is declared {declared or 'without a type'}, which has no "
        "counterpart; declare it as INTEGER, REAL, TEXT, BLOB, BOOLEAN, DATE, DATETIME or DECIMAL(p,s), or leave the table out "
        "with tables=[…]"
    )


def compares(t: T.DataType) -> bool:
    """Whether SQLite compares stored values of the type as we do: those that it has itself."""
    return isinstance(t, (T.BigInt, T.Double, T.String, T.Binary))


def decode_of(t: T.DataType) -> Decode | None:
    """From what SQLite stores to what we read."""
    if isinstance(t, T.Boolean):
        return _boolean
    if isinstance(t, T.Decimal):
        return lambda v: _decimal(v, t)
    return None


def encode(value: Any, t: T.DataType) -> Any:
    """A value of ours for a statement."""
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(t, (T.Date, T.Timestamp, T.TimestampNtz)):
        return value.isoformat()
    return value


def _boolean(value: Any) -> Any:
    return bool(value) if value in (0, 1) else value


def _decimal(value: Any, t: T.Decimal) -> Any:
    """SQLite keeps a decimal with a fraction as the nearest double: the decimal of that scale that it stands for."""
    if not isinstance(value, float):
        return value
    try:
        near = decimal.Decimal(repr(value)).quantize(decimal.Decimal(1).scaleb(-t.scale), context=decimal.Context(prec=60))
    except decimal.InvalidOperation:
        raise BadValue(value, f"a {t}") from None
    return near if float(near) == value else decimal.Decimal(repr(value))
