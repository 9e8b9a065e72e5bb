"""What refreshing competes with: the query's own text over plain Parquet files that already hold the changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from benchmarks.tpch.plain import to_duckdb
from benchmarks.tpch.tables import TABLES

#: a recomputation is timed so often, and its best time counts
TIMES = 2


def in_process(files: Path) -> Callable[[str], float]:
    """Seconds that DuckDB takes for a query over the files."""
    connection = duckdb.connect()
    for name in TABLES:
        connection.execute(f"create view {name} as from read_parquet('{files / name}.parquet')")
    return lambda text: _best(lambda: connection.sql(to_duckdb(text)).to_arrow_table())


def on_spark(session: Any, files: Path) -> Callable[[str], float]:
    """Seconds that a running Spark takes for a query over the files."""
    for name in TABLES:
        session.read.parquet(str(files / f"{name}.parquet")).createOrReplaceTempView(name)
    session.sql("select count(*) from nation").toArrow()
    return lambda text: _best(lambda: session.sql(text).toArrow())


def _best(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)
