"""The schema of data that comes without one. Mixed types are refused, with the row where they meet."""

from __future__ import annotations

import decimal
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import Column, DataType, Schema
from belvedere.changes.bad_value import Locate, by_row, show
from belvedere.changes.convert import unwrap
from belvedere.changes.convert_nested import fields_of
from belvedere.changes.forms import as_frame, as_rows, named
from belvedere.changes.names import check_name
from belvedere.errors import TypeMismatch

_PLAIN: tuple[tuple[type, DataType], ...] = (
    (bool, T.Boolean()), (float, T.Double()), (str, T.String()), (bytes, T.Binary()), (bytearray, T.Binary()),
    (datetime, T.Timestamp()), (date, T.Date()),
)  # fmt: skip
_INT64 = 1 << 63
_WIDEST = 38


def infer_schema(data: Any, *, what: str = "the data", locate: Locate = by_row) -> Schema:
    """Column names in the order they first appear; whole numbers are bigint, decimals keep their scale.

    A column that holds nothing but NULL becomes a string, as it does in Spark.

    >>> str(infer_schema([{"id": 1, "tags": ["a"]}, {"id": 2, "price": 1.5}]))
    'id bigint, tags array<string>, price double'
    """
    frame = as_frame(data, what)
    columns: dict[str, DataType] = {}
    if frame is None:
        for index, row in enumerate(as_rows(data, what)):
            for name, value in named(row, None, what, locate(index)).items():
                _meet(columns, str(name), value, what, locate(index))
    else:
        for name, values in frame.values.items():
            if isinstance(values, pa.ChunkedArray):
                columns[name] = _of_arrow(values.type, what, name)
            else:
                for index, value in enumerate(values):
                    _meet(columns, name, value, what, locate(index))
    if not columns:
        raise TypeMismatch(f"{what}: there is no row and no column to take a schema from; create the table with a schema first")
    for name in columns:
        check_name(name, what)
    return Schema(tuple(Column(n, filled(t)) for n, t in columns.items()))


def _meet(columns: dict[str, DataType], name: str, value: Any, what: str, where: str) -> None:
    if name not in columns:
        columns[name] = T.Void()
    if value is None:
        return
    found = type_of(value)
    if found is None:
        raise TypeMismatch(f"{what}, {where}, column {name}: {show(value)} ({type(value).__name__}) cannot be stored")
    both = unify(columns[name], found)
    if both is None:
        raise TypeMismatch(
            f"{what}, {where}, column {name}: {show(value)} is {found}, the rows before hold {columns[name]}; "
            "make the column one type, or create the table with a schema first"
        )
    columns[name] = both


def _of_arrow(t: pa.DataType, what: str, name: str) -> DataType:
    try:
        return T.from_arrow(t)
    except TypeMismatch as e:
        raise TypeMismatch(f"{what}, column {name}: {e.message}") from None


def type_of(value: Any) -> DataType | None:
    """The type of one Python value; None if it has none."""
    value = unwrap(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return T.Void()
    for kind, t in _PLAIN:
        if isinstance(value, kind):
            return t
    if isinstance(value, int):
        return T.BigInt() if -_INT64 <= value < _INT64 else T.Decimal(_WIDEST, 0)
    if isinstance(value, decimal.Decimal):
        exponent = value.as_tuple().exponent
        return T.Decimal(_WIDEST, min(max(0, -exponent), _WIDEST)) if isinstance(exponent, int) else None
    parts = fields_of(value)
    if parts is not None:
        fields = [(str(n), type_of(v)) for n, v in parts.items()]
        return None if any(t is None for _, t in fields) else T.Struct(tuple((n, t) for n, t in fields if t is not None))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return _array_of(value)
    return None


def _array_of(values: list[Any] | tuple[Any, ...]) -> DataType | None:
    element: DataType | None = T.Void()
    for item in values:
        found = type_of(item)
        if found is None or element is None:
            return None
        element = unify(element, found)
    return None if element is None else T.Array(element)


def unify(a: DataType, b: DataType) -> DataType | None:
    """The type that holds the values of both without loss of meaning; None if there is none."""
    if a == b or isinstance(b, T.Void):
        return a
    match a, b:
        case T.Void(), _:
            return b
        case (T.BigInt(), T.Double()) | (T.Double(), T.BigInt()):
            return T.Double()
        case (T.BigInt(), T.Decimal()) | (T.Decimal(), T.BigInt()):
            return a if isinstance(a, T.Decimal) else b
        case T.Decimal(scale=s), T.Decimal(scale=z):
            return T.Decimal(_WIDEST, max(s, z))
        case T.Array(element=x), T.Array(element=y):
            both = unify(x, y)
            return None if both is None else T.Array(both)
        case T.Struct(), T.Struct():
            return _unify_structs(a, b)
        case _:
            return None


def _unify_structs(a: T.Struct, b: T.Struct) -> DataType | None:
    fields = dict(a.fields)
    for name, t in b.fields:
        both = unify(fields.get(name, T.Void()), t)
        if both is None:
            return None
        fields[name] = both
    return T.Struct(tuple(fields.items()))


def filled(t: DataType) -> DataType:
    """A type without void inside: what held only NULL becomes a string."""
    match t:
        case T.Void():
            return T.String()
        case T.Array(element=e):
            return T.Array(filled(e))
        case T.Map(key=k, value=v):
            return T.Map(filled(k), filled(v))
        case T.Struct(fields=fs):
            return T.Struct(tuple((n, filled(f)) for n, f in fs))
        case _:
            return t
