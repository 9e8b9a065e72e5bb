"""A sample of the views on Spark, against Spark's own answer to the query's text over plain files; and the types of all 22."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.tpch.batches import Batches
from benchmarks.tpch.changes import send
from benchmarks.tpch.compare import difference
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.queries import NAMES, query
from benchmarks.tpch.tables import TABLES, load
from tests.tpch.column_types import TYPES
from tests.tpch.conftest import SCALE

import belvedere as bv

SAMPLE = ("q03", "q04", "q13", "q15", "q17")


def show(wh: bv.Warehouse, files: Path) -> None:
    for name in TABLES:
        wh.spark.read.parquet(str(files / f"{name}.parquet")).createOrReplaceTempView(name)


@pytest.mark.spark
@pytest.mark.slow
def test_sample_of_views_and_all_types(tmp_path: Path, data: Path) -> None:
    plain = Plain(data, threads=2)
    batches = Batches(plain, seed=11)
    with bv.open(tmp_path / "warehouse", engine="spark") as wh:
        load(wh, data)
        show(wh, data)
        for name in NAMES:
            found = wh.spark.sql(query(name, SCALE)).schema
            assert tuple(f.dataType.simpleString() for f in found) == TYPES[name], name
        for name in SAMPLE:
            wh.create_view(name, query(name, SCALE))
        batch = batches.everywhere(4)
        send(wh, batch)
        plain.apply(batch)
        show(wh, plain.export(tmp_path / "plain"))
        for name in SAMPLE:
            report = wh.view(name).refresh(strategy="incremental", engine="spark")
            assert report.engine == "spark", name
            gap = difference(wh.spark.sql(query(name, SCALE)).toArrow(), wh.view(name).arrow())
            assert gap is None, f"{name}: {gap}"
