"""MariaDB's and MySQL's types → ours, and ours → the type a given column has when it travels there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from belvedere.algebra import types as T  # noqa: N812
from belvedere.errors import TypeMismatch
from belvedere.sources.rows import Decode

_TEXT = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json", "uuid")
_BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_SIMPLE: dict[str, T.DataType] = {
    "tinyint": T.TinyInt(), "smallint": T.SmallInt(), "mediumint": T.Int(), "int": T.Int(), "bigint": T.BigInt(),
    "float": T.Float(), "double": T.Double(), "date": T.Date(), "datetime": T.TimestampNtz(), "timestamp": T.Timestamp(),
    "year": T.SmallInt(), **dict.fromkeys(_TEXT, T.String()), **dict.fromkeys(_BYTES, T.Binary()),
}  # fmt: skip
_UNSIGNED: dict[str, T.DataType] = {
    "tinyint": T.SmallInt(), "smallint": T.Int(), "mediumint": T.Int(), "int": T.BigInt(), "bigint": T.Decimal(20, 0),
}  # fmt: skip
_THERE: dict[type[T.DataType], str] = {
    T.Boolean: "tinyint", T.TinyInt: "tinyint", T.SmallInt: "smallint", T.Int: "int", T.BigInt: "bigint", T.Double: "double",
    T.Float: "float", T.Binary: "longblob", T.Date: "date", T.TimestampNtz: "datetime(6)", T.Timestamp: "datetime(6)",
}  # fmt: skip
#: values that are not compared as we compare them: json by its text, float by a rounded value
_STRANGE = ("json", "uuid", "float", "year")


def type_of(source: str, table: str, column: str, kind: str, shown: str, precision: int | None, scale: int | None) -> T.DataType:
    """Our type for a column: DATA_TYPE, COLUMN_TYPE and the numbers of information_schema."""
    if kind in ("decimal", "numeric") and precision is not None and precision <= 38:
        return T.Decimal(precision, scale or 0)
    if "unsigned" in shown and kind in _UNSIGNED:
        return _UNSIGNED[kind]
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    raise TypeMismatch(
        f"source {source!r}: column {column!r} of table {table!r} is {shown}, which has no counterpart; change it, or leave the "
        "table out with tables=[…]"
    )


def comparable(kind: str) -> bool:
    """Whether `=` there finds at least what it finds here."""
    return kind not in _STRANGE


def there(t: T.DataType, collation: tuple[str, str] | None) -> str:
    """The type of a column that we give; a text takes the character set and collation of what it is compared with."""
    if isinstance(t, T.Decimal):
        return f"decimal({t.precision},{t.scale})"
    if isinstance(t, T.String):
        charset, order = collation or ("utf8mb4", "utf8mb4_bin")
        return f"longtext CHARACTER SET {charset} COLLATE {order}"
    if type(t) in _THERE:
        return _THERE[type(t)]
    raise TypeMismatch(f"a column of type {t} cannot be sent to MariaDB")


def decode_of(t: T.DataType) -> Decode | None:
    """From what the driver gives to what we read: its timestamps are in UTC and do not say so."""
    return _utc if isinstance(t, T.Timestamp) else None


def encode(value: Any, t: T.DataType) -> Any:
    """A value of ours for a statement."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(t, T.Timestamp):
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


def _utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
