"""The edge between an engine's result and ours: names and types exactly as the schema says.

Only representations are adapted here (what a list's element field is called, how a map says that its keys are not NULL).
A value of another type is a bug of the lowering, and is reported as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.types import DataType, Schema, Void, to_arrow
from belvedere.errors import EngineError

WEIGHT = pa.field("_w", pa.int64())


def arrow_schema(schema: Schema) -> pa.Schema:
    """What a result of this schema looks like."""
    return pa.schema([*(pa.field(c.name, to_arrow(c.type)) for c in schema), WEIGHT])


def conform(table: pa.Table, schema: Schema, identifiers: Sequence[str]) -> pa.Table:
    """An engine's table, whose columns have these identifiers, under the schema's names and types."""
    wanted = arrow_schema(schema)
    columns = []
    for name, field, column in zip((*identifiers, "_w"), wanted, (*schema.columns, None), strict=True):
        values = table.column(name)
        columns.append(_fit(values, field.type, column.type if column else None, field.name))
    return pa.Table.from_arrays(columns, schema=wanted)


def _fit(values: pa.ChunkedArray, wanted: pa.DataType, t: DataType | None, name: str) -> pa.ChunkedArray:
    if values.type == wanted:
        return values
    if isinstance(t, Void):
        return pa.chunked_array([pa.nulls(len(values))])
    if pa.types.is_null(values.type):  # NULLs that an engine has forgotten the type of
        return pa.chunked_array([pa.nulls(len(values), wanted)])
    if not alike(values.type, wanted):
        raise EngineError(f"column {name!r} came back as {values.type} and should be {wanted}: please report this")
    return values.cast(wanted)


def alike(a: pa.DataType, b: pa.DataType) -> bool:
    """Whether two types hold the same values and differ in how they are laid out only."""
    if a == b:
        return True
    if pa.types.is_map(a) and pa.types.is_map(b):
        return alike(a.key_type, b.key_type) and alike(a.item_type, b.item_type)
    if _is_list(a) and _is_list(b):
        return alike(a.value_type, b.value_type)
    if pa.types.is_struct(a) and pa.types.is_struct(b):
        return a.num_fields == b.num_fields and all(x.name == y.name and alike(x.type, y.type) for x, y in zip(a, b, strict=True))
    if _is_text(a) and _is_text(b):
        return True
    if _is_bytes(a) and _is_bytes(b):
        return True
    return pa.types.is_timestamp(a) and pa.types.is_timestamp(b) and a.unit == b.unit and bool(a.tz) == bool(b.tz)


def _is_list(t: pa.DataType) -> bool:
    return bool(pa.types.is_list(t) or pa.types.is_large_list(t))


def _is_text(t: pa.DataType) -> bool:
    return bool(pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t))


def _is_bytes(t: pa.DataType) -> bool:
    return bool(pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_binary_view(t))


def stored_column(table: pa.Table, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """A column of a run; one that was added to the collection later is NULL."""
    at = table.schema.get_field_index(name)
    if at < 0:
        return pa.chunked_array([pa.nulls(table.num_rows, kind)])
    values = table.column(at)
    return values if values.type == kind else values.cast(kind)


def together(tables: Iterable[pa.Table]) -> list[pa.Table]:
    """The runs with rows, those of one layout as one table. Whether NULL may occur in a column differs between files that engines
    wrote, and is no difference."""
    some = [t for t in tables if t.num_rows]
    if len(some) < 2:
        return some
    if all(t.schema.equals(some[0].schema) for t in some[1:]):
        return [pa.concat_tables(some)]
    alike: dict[tuple[tuple[str, pa.DataType], ...], list[pa.Table]] = {}
    for t in some:
        plain = pa.Table.from_arrays(t.columns, names=t.column_names)
        alike.setdefault(tuple((f.name, f.type) for f in plain.schema), []).append(plain)
    return [pa.concat_tables(ts) if len(ts) > 1 else ts[0] for ts in alike.values()]


def negated(table: pa.Table) -> pa.Table:
    """A run whose weights, in its last column, count with the other sign."""
    return table.set_column(table.num_columns - 1, WEIGHT.name, pc.negate(table.column(WEIGHT.name)))
