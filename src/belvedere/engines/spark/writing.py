"""Files of the store's layout, written by Spark's own tasks: `c<id>` columns with field ids, sorted, small row groups."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from belvedere.store.parquet import PAGE_ROWS, ROW_GROUP, write_table
from belvedere.store.physical import WEIGHT_ID

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS_PER_FILE = 1_000_000


def write_frame(frame: DataFrame, physical: pa.Schema, sort: list[str], directory: str, rows: int, cores: int) -> list[str]:
    """The files that hold a frame whose columns have the physical names. Each file covers a range of the sort columns."""
    from pyspark.sql import functions as fn

    ids = {f.name: int(f.metadata[b"PARQUET:field_id"]) for f in physical}
    assert ids["_w"] == WEIGHT_ID
    named = frame.select([fn.col(n).alias(n, metadata={"parquet.field.id": ids[n]}) for n in physical.names])
    parts = max(1, min(cores * 4, -(-rows // ROWS_PER_FILE)))
    keys = [fn.col(n).asc_nulls_first() for n in sort]
    if parts == 1 or not keys:
        named = named.coalesce(1) if parts == 1 else named
        named = named.sortWithinPartitions(*keys) if keys else named
    else:
        named = named.repartitionByRange(parts, *keys).sortWithinPartitions(*keys)
    staging = os.path.join(directory, f"spark-{uuid4().hex}")
    options = {
        "compression": "zstd",
        "parquet.page.row.count.limit": str(PAGE_ROWS),
        "parquet.block.row.count.limit": str(ROW_GROUP),
    }
    named.write.mode("error").options(**options).parquet(f"file://{staging}")
    return _collect(staging, directory, physical)


def _collect(staging: str, directory: str, physical: pa.Schema) -> list[str]:
    """Move the part files out of Spark's directory; empty ones are dropped."""
    nested = any(pa.types.is_nested(f.type) for f in physical)
    paths = []
    for name in sorted(os.listdir(staging)):
        if not name.endswith(".parquet"):
            continue
        source, target = os.path.join(staging, name), os.path.join(directory, f"{uuid4().hex}.parquet")
        if pq.read_metadata(source).num_rows == 0:
            continue
        if nested:
            _renumber(source, target, physical)
        else:
            os.replace(source, target)
        paths.append(target)
    shutil.rmtree(staging)
    return paths


def _renumber(source: str, target: str, physical: pa.Schema) -> None:
    """Spark can give field ids to columns only, not to the children of nested ones: such files are written once more."""
    with pq.ParquetFile(source) as file:
        table = pa.Table.from_batches(file.iter_batches(batch_size=ROW_GROUP), schema=file.schema_arrow)
    write_table(target, physical, table.select(physical.names).cast(physical))
