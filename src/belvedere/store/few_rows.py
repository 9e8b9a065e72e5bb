"""The net rows of small runs, without an engine: to ask one for them costs more than to add them up."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from belvedere.changes.zset import consolidate
from belvedere.store.model import Collection


def net_rows(collection: Collection, runs: Iterable[pa.Table]) -> pa.Table | None:
    """Equal rows of the runs once, with the sum of their weights, in the collection's layout; None where an engine is to say
    which rows are equal: floating numbers have two zeros and many NaN, and nested values are made of others."""
    wanted = collection.physical
    if not all(_plain(f.type) for f in wanted):
        return None
    rows = consolidate(pa.concat_tables([_fitted(t, wanted) for t in runs]))
    return pa.Table.from_arrays(rows.columns, schema=wanted)


def _plain(t: pa.DataType) -> bool:
    """Types in which equal values look the same."""
    kinds = pa.types
    return bool(
        kinds.is_integer(t) or kinds.is_string(t) or kinds.is_date32(t) or kinds.is_decimal(t) or kinds.is_boolean(t)
        or kinds.is_timestamp(t)
    )  # fmt: skip


def _fitted(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """A run in the present layout: a column that was added to the collection later is NULL, one that was dropped goes."""
    columns = []
    for f in wanted:
        at = table.schema.get_field_index(f.name)
        columns.append(pa.nulls(table.num_rows, f.type) if at < 0 else table.column(at).cast(f.type))
    return pa.table(columns, schema=wanted)
