"""All 22 queries as views, in-process: after each batch every view equals recomputation, by our own `verify` and by the query's
text on plain tables."""

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
from tests.tpch.series import SERIES

import belvedere as bv


@pytest.fixture
def warehouse(tmp_path: Path, data: Path) -> bv.Warehouse:
    wh = bv.open(tmp_path / "warehouse", engine="duckdb")
    load(wh, data)
    for name in NAMES:
        wh.create_view(name, query(name, SCALE))
    return wh


def wrong(wh: bv.Warehouse, plain: Plain) -> list[str]:
    """What is wrong with the views, a line each."""
    found = []
    for name in NAMES:
        view = wh.view(name)
        check = view.verify()
        if not check.ok:
            found.append(f"{check}")
        gap = difference(plain.query(query(name, SCALE)), view.arrow())
        if gap is not None:
            found.append(f"{name}: {gap}")
    return found


@pytest.mark.slow
def test_views_equal_recomputation_after_each_batch(warehouse: bv.Warehouse, data: Path) -> None:
    plain = Plain(data, threads=2)
    batches = Batches(plain, seed=20261115)
    assert not wrong(warehouse, plain)
    for make in SERIES:
        batch = make(batches)
        send(warehouse, batch)
        plain.apply(batch)
        reports = warehouse.refresh()
        worked = {r.view for r in reports if r.strategy != "none"}
        assert not (worked and not batch.changes), f"an empty batch made {sorted(worked)} work"
        assert not wrong(warehouse, plain), f"after the batch {batch.name!r}"
    assert all(v.status == "fresh" for v in warehouse.views())


@pytest.mark.slow
def test_at_most_one_view_recomputes_whichever_table_changes(warehouse: bv.Warehouse, data: Path) -> None:
    plain = Plain(data, threads=2)
    batches = Batches(plain, seed=3)
    refused: dict[str, str] = {}
    for table in TABLES:
        batch = batches.of_table(table, 4)
        send(warehouse, batch)
        plain.apply(batch)
        for view in warehouse.views():
            try:
                report = view.refresh(strategy="incremental")
            except bv.NotIncremental as e:
                refused[view.name] = str(e)
                view.refresh()
            else:
                assert report.strategy in ("incremental", "none")
        assert not wrong(warehouse, plain), f"after a change of {table}"
    assert len(refused) <= 1, refused


def test_types_are_those_of_spark(warehouse: bv.Warehouse) -> None:
    for name in NAMES:
        node = warehouse.view(name).definition.plan.tail
        assert tuple(str(c.type) for c in node.schema) == TYPES[name], name
