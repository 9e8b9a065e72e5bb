"""Data files: writing one run, and finding out what a file that an engine wrote holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from belvedere.errors import StoreError
from belvedere.store.model import Collection
from belvedere.store.physical import WEIGHT, physical_name
from belvedere.store.stats import EXACT_ROWS, encoded, exact_stats, footer_stats

_DISK = fs.LocalFileSystem()
ROW_GROUP = 8192
PAGE_ROWS = 2000
PLAIN = 512
"""In a file of so few rows there is nothing to gain from compression and dictionaries, which cost more than the rows."""
LASTING = 262_144
"""A file with more rows stays for long, so its size counts. Others are merged soon, and are to be written fast."""


@dataclass(frozen=True)
class Contents:
    """What one data file holds."""

    rows: int
    deletes: int
    bytes: int
    stats: dict[str, Any]


def conform(collection: Collection, table: pa.Table) -> pa.Table:
    """The table in the collection's physical schema, in that order of columns, or a StoreError that says what differs."""
    physical = collection.physical
    if table.schema.equals(physical, check_metadata=True):
        return table
    missing = [n for n in physical.names if n not in table.column_names]
    extra = [n for n in table.column_names if n not in physical.names]
    if missing or extra:
        raise StoreError(
            f"rows for {collection.name!r} do not fit its columns"
            + (f"; missing: {', '.join(missing)}" if missing else "")
            + (f"; unknown: {', '.join(extra)}" if extra else "")
        )
    table = table.select(physical.names)
    if table.schema.equals(physical, check_metadata=False):
        return table
    try:
        return table.cast(physical)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as e:
        raise StoreError(f"rows for {collection.name!r} do not have its types: {e}") from e


def to_physical(table: pa.Table, c: Collection) -> pa.Table:
    """A Z-set with the collection's column names in its stored layout."""
    columns = [table.column(col.name) for col in c.schema] + [table.column(WEIGHT)]
    fitted = [a if a.type == f.type else a.cast(f.type) for a, f in zip(columns, c.physical, strict=True)]
    return pa.Table.from_arrays(fitted, schema=c.physical)


def sort_rows(table: pa.Table, order: tuple[int, ...], first: Sequence[str] = ()) -> pa.Table:
    """Sorted by these columns, after those that come first, NULLs first, as Spark does; types without an order keep their
    place."""
    keys = [*first, *(physical_name(i) for i in order)]
    keys = [k for k in keys if not pa.types.is_nested(table.field(k).type) and not pa.types.is_null(table.field(k).type)]
    if not keys or table.num_rows < 2:
        return table
    return table.take(pc.sort_indices(table, sort_keys=[(k, "ascending", "at_start") for k in keys]))


def _bounded(schema: pa.Schema) -> list[str]:
    """Columns whose bounds are written. Parquet's bounds pass over NaN, and readers that skip by them lose NaN rows, which
    are greater than every number; so floating columns have none, and nobody skips by nested ones."""
    return [f.name for f in schema if not pa.types.is_nested(f.type) and not pa.types.is_floating(f.type)]


def _texts(schema: pa.Schema) -> list[str] | bool:
    """The columns with a dictionary: of numbers, it costs more than it saves."""
    return [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_binary(f.type)] or False


def write_table(path: str, schema: pa.Schema, table: pa.Table) -> None:
    """One Parquet file with the row groups, pages and page index that lookups of a few keys rely on."""
    if table.num_rows > ROW_GROUP:
        _write(path, schema, table, filesystem=_DISK)
        return
    made = pa.BufferOutputStream()  # a small file is written at once, and not bit by bit
    _write(made, schema, table)
    with open(path, "wb") as file:
        file.write(made.getvalue())


def _write(where: str | pa.NativeFile, schema: pa.Schema, table: pa.Table, **more: Any) -> None:
    rows = table.num_rows
    with pq.ParquetWriter(
        where, schema, compression="none" if rows <= PLAIN else "zstd" if rows > LASTING else "snappy",
        use_dictionary=rows > PLAIN and _texts(schema), write_statistics=_bounded(schema), write_page_index=True,
        max_rows_per_page=PAGE_ROWS, **more,
    ) as writer:  # fmt: skip
        writer.write_table(table, row_group_size=ROW_GROUP)


def inspect_file(path: str, collection: Collection) -> Contents:
    """What a file holds, from its footer where that says enough; checks that it has the collection's columns."""
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as e:
        raise StoreError(f"{os.path.basename(path)} is no Parquet file that can be read: {e}") from e
    with file:
        meta = file.metadata
        names = set(file.schema_arrow.names)
        missing = [n for n in collection.physical.names if n not in names]
        if missing:
            raise StoreError(f"{os.path.basename(path)} lacks the columns {', '.join(missing)} of {collection.name!r}")
        if meta.num_rows <= EXACT_ROWS:
            stats = exact_stats(file.read(list(collection.physical.names)))
        else:
            stats = encoded(footer_stats(meta))
        return Contents(meta.num_rows, _deletes(file), os.path.getsize(path), stats)


def _deletes(file: pq.ParquetFile) -> int:
    """Rows with a negative weight: from the statistics of `_w` where they decide it, else by reading that column."""
    meta = file.metadata
    index = next(i for i in range(meta.num_columns) if meta.schema.column(i).path == WEIGHT)
    chunks = [meta.row_group(g).column(index) for g in range(meta.num_row_groups)]
    if all(c.is_stats_set and c.statistics.has_min_max and c.statistics.min > 0 for c in chunks):
        return 0
    weights = file.read([WEIGHT]).column(WEIGHT)
    if weights.null_count or pc.any(pc.equal(weights, 0)).as_py():
        raise StoreError("a data file has a row whose weight is 0 or NULL; consolidate before writing")
    return int(pc.sum(pc.less(weights, 0)).as_py() or 0)
