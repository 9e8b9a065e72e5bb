"""Runs in Parquet files, as the store lays them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.engines.support import run_of, with_ids

from belvedere.algebra.types import Schema, parse_schema
from belvedere.store.model import Collection, Run
from belvedere.store.parquet import sort_rows, write_table


def write_rows(path: Path, schema: Schema, rows: list[tuple[Any, ...]]) -> str:
    """One run: rows with the weight last."""
    return write_run(path, schema, run_of(schema, rows))


def write_run(path: Path, schema: Schema, table: pa.Table) -> str:
    physical = collection(schema).physical
    write_table(str(path), physical, table.cast(physical))
    return str(path)


def collection(schema: Schema, sort: tuple[int, ...] = (1,)) -> Collection:
    return Collection(1, "t", "table", schema, sort=sort)


def run(path: str, rows: int = 0) -> Run:
    return Run(1, 1, path, rows, 0, 0, 1, None, False, None)


def large(folder: Path, rows: int) -> tuple[Schema, str]:
    """A sorted table (id, other, amount) of many rows in one file; `other` is the id backwards."""
    schema = with_ids(parse_schema("id bigint, other bigint, amount decimal(12,2)"))
    ids = pa.array(range(rows), pa.int64())
    back = pa.array(range(rows - 1, -1, -1), pa.int64())
    amounts = ids.cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)).cast(pa.decimal128(12, 2))
    table = pa.table({"c1": ids, "c2": back, "c3": amounts, "_w": pa.array([1] * rows, pa.int64())})
    return schema, write_run(folder / "large.parquet", schema, sort_rows(table, (1,)))
