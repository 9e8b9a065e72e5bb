"""PostgreSQL's types → ours, and ours → the type a given column has when it travels there."""

from __future__ import annotations

from belvedere.algebra import types as T  # noqa: N812
from belvedere.errors import TypeMismatch

_SIMPLE: dict[str, T.DataType] = {
    "bool": T.Boolean(), "int2": T.SmallInt(), "int4": T.Int(), "int8": T.BigInt(), "float4": T.Float(), "float8": T.Double(),
    "text": T.String(), "varchar": T.String(), "bpchar": T.String(), "name": T.String(), "uuid": T.String(), "json": T.String(),
    "jsonb": T.String(), "bytea": T.Binary(), "date": T.Date(), "timestamp": T.TimestampNtz(), "timestamptz": T.Timestamp(),
}  # fmt: skip
_THERE: dict[type[T.DataType], str] = {
    T.Boolean: "bool", T.TinyInt: "int2", T.SmallInt: "int2", T.Int: "int4", T.BigInt: "int8", T.Float: "float4",
    T.Double: "float8", T.String: "text", T.Binary: "bytea", T.Date: "date", T.TimestampNtz: "timestamp",
    T.Timestamp: "timestamptz",
}  # fmt: skip
#: compared by other rules than ours, or not at all with text
_STRANGE = frozenset(("bpchar", "uuid", "json", "jsonb", "name"))
_HEADER = 4


def type_of(source: str, table: str, column: str, name: str, kind: str, modifier: int, shown: str) -> T.DataType:
    """Our type for a column: `name` and `kind` of pg_type (its base, if it is a domain), `modifier` of pg_attribute."""
    if kind == "e":
        return T.String()
    if name == "numeric" and modifier >= _HEADER:
        precision, scale = (modifier - _HEADER) >> 16 & 0xFFFF, (modifier - _HEADER) & 0x7FF
        if precision <= 38 and scale <= precision:
            return T.Decimal(precision, scale)
    if name in _SIMPLE:
        return _SIMPLE[name]
    if name.startswith("_") and name[1:] in _SIMPLE:
        return T.Array(_SIMPLE[name[1:]])
    hint = "give it a precision and scale, as in numeric(18,2)" if name == "numeric" else "change it, or leave the table out"
    raise TypeMismatch(f"source {source!r}: column {column!r} of table {table!r} is {shown}, which has no counterpart; {hint}")


def comparable(t: T.DataType, name: str, kind: str) -> bool:
    """Whether `=` there means what it means here."""
    return kind != "e" and name not in _STRANGE and not isinstance(t, T.Array)


def there(t: T.DataType) -> str:
    """The type of a column that we give."""
    if isinstance(t, T.Decimal):
        return f"numeric({t.precision},{t.scale})"
    if type(t) in _THERE:
        return _THERE[type(t)]
    raise TypeMismatch(f"a column of type {t} cannot be sent to PostgreSQL")
