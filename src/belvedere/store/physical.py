"""How a column looks in Parquet: called `c<id>`, with field ids all the way down, so that names never reach a file.

A nested child (list element, map key or value, struct field) needs a field id too. It is derived from the id of its
column and its place in the type, walked depth first: 1_000_000 + column id * 1_000 + place. A column's type never
changes, so the derived ids are as permanent as the column's own. `_w` has the reserved id 2_000_000_000, which is below
the range that Iceberg keeps for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pyarrow as pa

from belvedere.algebra.types import Array, Column, DataType, Map, Schema, Struct, to_arrow
from belvedere.errors import StoreError

WEIGHT = "_w"
WEIGHT_ID = 2_000_000_000
_CHILD_BASE = 1_000_000
_CHILD_STRIDE = 1_000
_MAX_COLUMN = 999_999


def child_ids(column: int) -> Iterator[int]:
    """The field ids for the nested children of a column, in depth-first order."""
    for place in count(1):
        if place >= _CHILD_STRIDE or column > _MAX_COLUMN:
            raise StoreError(
                f"the type of column c{column} has more than {_CHILD_STRIDE - 1} nested fields; split it into columns"
            )
        yield _CHILD_BASE + column * _CHILD_STRIDE + place


def physical_name(column: int) -> str:
    return f"c{column}"


def physical_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of every data file of a collection with these columns, the weight last."""
    fields = [_field(physical_name(c.id), c.type, c.id, child_ids(c.id)) for c in schema]
    return pa.schema([*fields, pa.field(WEIGHT, pa.int64(), metadata=_id(WEIGHT_ID))])


def named_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of a plain table: real names, the same field ids, no weight. Columns without an id are numbered."""
    return pa.schema([_field(c.name, c.type, c.id, child_ids(c.id)) for c in numbered(schema)])


def numbered(schema: Schema) -> Schema:
    """The schema with an id for every column: its own if all have one, else the place from 1."""
    if all(c.id > 0 for c in schema):
        return schema
    return Schema(tuple(Column(c.name, c.type, n) for n, c in enumerate(schema, 1)))


def _id(number: int) -> dict[bytes, bytes]:
    return {b"PARQUET:field_id": str(number).encode()}


def _field(name: str, t: DataType, number: int, ids: Iterator[int], nullable: bool = True) -> pa.Field:
    return pa.field(name, _type(t, ids), nullable=nullable, metadata=_id(number))


def _type(t: DataType, ids: Iterator[int]) -> pa.DataType:
    match t:
        case Array(element=e):
            return pa.list_(_field("element", e, next(ids), ids))
        case Map(key=k, value=v):
            key = _field("key", k, next(ids), ids, nullable=False)
            return pa.map_(key, _field("value", v, next(ids), ids))
        case Struct(fields=fs):
            return pa.struct([_field(n, ft, next(ids), ids) for n, ft in fs])
        case _:
            return to_arrow(t)
