"""On Spark, leaves that the driver has narrowed by a few keys: rows of several layouts, or none at all, are looked up further."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import belvedere as bv
from belvedere.engines.duckdb import narrow
from belvedere.engines.spark import SparkEngine, lookups
from belvedere.store import hot_columns

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("hot", [False, True])
def test_narrowed_leaves(tmp_path: Path, spark_engine: SparkEngine, monkeypatch: pytest.MonkeyPatch, hot: bool) -> None:
    monkeypatch.setattr(narrow, "NEAR", 0)
    monkeypatch.setattr(lookups, "SMALL_SCAN", 5)  # so that the next table is looked up by what was found
    if hot:
        monkeypatch.setattr(narrow, "WHOLE", 0)
        monkeypatch.setattr(hot_columns, "READ", 0)
    with bv.open(tmp_path / "w", engine="spark", spark=spark_engine.session) as wh:
        wh.create_table("a", "k bigint", key=["k"])
        wh.create_table("b", "k bigint, v bigint", key=["k"])
        wh.create_table("c", "x bigint, z string")
        wh.load("b", pa.table({"k": range(50), "v": range(50)}))
        wh.execute("alter table b add column x bigint")
        wh.load("c", pa.table({"x": [*range(40), None], "z": [str(n) for n in range(41)]}))
        wh.create_view("v", "select a.k, b.v, c.z from a join b on a.k = b.k left join c on b.x <=> c.x")
        wh.create_view("w", "select a.k, b.v, c.z from a join b on a.k = b.k join c on b.x = c.x")
        for statement in (
            "insert into a values (3), (4)",  # the file of b has no x yet
            "insert into a values (1000)",  # nothing is found
            "update b set x = k where k < 5",
            "delete from a where k = 3",
            "delete from b where k = 4",
        ):
            wh.execute(statement)
            for report in wh.refresh():
                assert report.strategy != "recompute"
            for name in ("v", "w"):
                assert wh.view(name).verify().ok, (statement, name)
