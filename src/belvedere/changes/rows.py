"""Rows in any form → a checked Arrow table: columns named as the schema names them, types exactly the schema's."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from belvedere.algebra.types import Schema, to_arrow
from belvedere.changes.bad_value import Locate, by_row
from belvedere.changes.column import from_arrow, from_python
from belvedere.changes.forms import Columns, as_frame, as_rows, rows_to_columns
from belvedere.changes.infer import infer_schema
from belvedere.changes.names import resolve_all

__all__ = ["arrow_schema", "infer_schema", "to_table", "typed"]


def to_table(data: Any, schema: Schema, *, what: str = "the table", partial: bool = False, locate: Locate = by_row) -> pa.Table:
    """Check and convert `data`. A column that is not given is NULL, or left out if `partial`.

    `what` names the table in messages, `locate` says how a row is called ("row 3", "line 4").

    >>> to_table([{"id": 1, "amount": "9.50"}], Schema.of(id="bigint", amount="decimal(12,2)")).to_pylist()
    [{'id': 1, 'amount': Decimal('9.50')}]
    """
    frame = as_frame(data, what)
    if frame is None:
        columns = rows_to_columns(as_rows(data, what), schema, what, partial=partial, locate=locate)
    else:
        names = resolve_all(frame.values, schema, what)
        columns = Columns({names[n]: v for n, v in frame.values.items()}, frame.rows)
    return typed(columns, schema, what=what, partial=partial, locate=locate)


def typed(columns: Columns, schema: Schema, *, what: str, partial: bool = False, locate: Locate = by_row) -> pa.Table:
    """Columns, already under the schema's names, as a table of the schema's types, in its order."""
    wanted = schema if not partial else schema.select(tuple(n for n in schema.names if n in columns.values))
    arrays: list[pa.ChunkedArray | pa.Array] = []
    for c in wanted:
        values = columns.values.get(c.name)
        if values is None:
            arrays.append(pa.nulls(columns.rows, to_arrow(c.type)))
        elif isinstance(values, list):
            arrays.append(from_python(values, c.type, what=what, column=c.name, locate=locate))
        else:
            arrays.append(from_arrow(values, c.type, what=what, column=c.name, locate=locate))
    return pa.Table.from_arrays(arrays, schema=arrow_schema(wanted))


def arrow_schema(schema: Schema) -> pa.Schema:
    return pa.schema([pa.field(c.name, to_arrow(c.type)) for c in schema])
