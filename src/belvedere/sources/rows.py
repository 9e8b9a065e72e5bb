"""Rows as a driver gives them → Arrow of exactly the wanted types, and back into values for a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from belvedere.algebra.types import Column, Schema
from belvedere.changes.column import from_python
from belvedere.changes.rows import arrow_schema

Decode = Callable[[Any], Any]


def to_arrow(rows: Sequence[Sequence[Any]], schema: Schema, what: str, decode: Sequence[Decode | None] = ()) -> pa.Table:
    """Rows in the schema's column order. `decode` turns what a driver gives into what we read, column by column, NULL apart."""
    names = schema.names
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [() for _ in names]
    arrays = []
    for c, values, how in zip(schema, columns, decode or [None] * len(names), strict=True):
        read = values if how is None else [None if v is None else how(v) for v in values]
        arrays.append(from_python(read, c.type, what=what, column=c.name))
    return pa.Table.from_arrays(arrays, schema=arrow_schema(schema))


def batches(rows: Iterable[Any], size: int) -> Iterable[list[Any]]:
    """Lists of up to `size` rows."""
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def schema_of(table: pa.Table) -> Schema:
    """The columns of an Arrow table in our types."""
    from belvedere.algebra.types import from_arrow

    return Schema(tuple(Column(f.name, from_arrow(f.type)) for f in table.schema))
