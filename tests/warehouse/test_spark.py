"""The same on Spark: one session for all tests of this file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.warehouse.conftest import fill
from tests.warehouse.helpers import bag, minus, order, weights

import belvedere as bv

pytestmark = pytest.mark.spark

THREE = (
    "select t.country, sum(o.amount) total, count(*) n from orders o join customers c on o.customer = c.id "
    "join cities t on c.city = t.name group by t.country"
)
VIEWS = {
    "three": THREE,
    "lows": "select customer, min(amount) low, avg(amount) mean from orders group by customer",
    "over": "select sum(total) everything from three where n > 0",
}


@pytest.fixture
def on_spark(place: Path, session: Any) -> Iterator[bv.Warehouse]:
    with bv.open(place / "wh", engine="spark", spark=session) as wh:
        fill(wh)
        yield wh


def test_a_small_delta_of_a_three_way_join_takes_few_jobs(on_spark: bv.Warehouse) -> None:
    view = on_spark.create_view("three", THREE)
    with on_spark.transaction() as tx:
        tx.insert("orders", [order(100 + i, 7 + i % 2, "1.00") for i in range(10)])
    report = view.refresh(strategy="incremental")
    assert (report.engine, report.strategy, report.rows_in) == ("spark", "incremental", 10)
    assert 1 <= report.jobs <= 5
    assert view.verify().ok
    assert {r["country"]: r["n"] for r in view.rows()} == {"CH": 7, "NO": 12}


def test_dataframes_at_any_epoch(on_spark: bv.Warehouse) -> None:
    view = on_spark.create_view("lows", VIEWS["lows"], mode="immediate")
    states = {on_spark.epoch: bag(view.rows())}
    with on_spark.transaction() as tx:
        tx.delete("orders", key=2)
    states[on_spark.epoch] = bag(view.rows())
    for epoch, state in states.items():
        assert bag(r.asDict(recursive=True) for r in view.df(epoch=epoch).collect()) == state
    assert view.df().columns == ["customer", "low", "mean"]
    assert bag(r.asDict() for r in on_spark.query("select customer from lows").df().collect()) == bag(
        {"customer": r["customer"]} for r in view.rows()
    )


def test_both_engines_keep_the_same_rows_and_types(place: Path, on_spark: bv.Warehouse) -> None:
    with bv.open(place / "local", engine="duckdb") as local:
        fill(local)
        for wh in (on_spark, local):
            for name, query in VIEWS.items():
                wh.create_view(name, query)
        changes = [
            lambda tx: (tx.update("customers", {"city": "'Bern'"}, key=8), tx.delete("cities", where="name = 'Bern'")),
            lambda tx: (tx.delete("orders", where="amount < 2"), tx.merge("orders", [order(3, 7, "0.01"), order(6, 9, None)])),
        ]
        for change in changes:
            for wh in (on_spark, local):
                with wh.transaction() as tx:
                    change(tx)
                epoch, before = wh.epoch, {v.name: bag(v.rows()) for v in wh.views()}
                for r in [wh.view(n).refresh(strategy="incremental") for n in VIEWS]:
                    assert r.engine in ("none", "spark" if wh is on_spark else "duckdb")
                for v in wh.views():
                    assert weights(v.changes(since=epoch)) == minus(bag(v.rows()), before[v.name])
            for name in VIEWS:
                assert bag(on_spark.view(name).rows()) == bag(local.view(name).rows()), name
                assert on_spark.view(name).arrow().schema.equals(local.view(name).arrow().schema), name
        assert all(v.verify().ok for wh in (on_spark, local) for v in wh.views())


def test_one_refresh_can_be_sent_to_spark(place: Path, session: Any) -> None:
    """The same files, worked on by one engine and then the other."""
    with bv.open(place / "wh", spark=session) as wh:
        fill(wh)
        view = wh.create_view("three", THREE)
        for engine in ("spark", "duckdb", "spark"):
            with wh.transaction() as tx:
                tx.insert("orders", order(100 + wh.epoch, 7, "1.00"))
            assert view.refresh(strategy="incremental", engine=engine).engine == engine
            assert view.verify(engine="spark").ok
            assert view.verify(engine="duckdb").ok
        assert [h["engine"] for h in view.history()][1:] == ["spark", "duckdb", "spark"]


def test_a_dataframe_is_loaded_without_passing_the_driver(on_spark: bv.Warehouse, session: Any) -> None:
    frame = session.createDataFrame(pa.table({"id": range(50), "name": [f"n{i}" for i in range(50)]}))
    assert on_spark.load("loaded", frame, key="id") == 50
    assert on_spark.query("select count(*) n, min(name) lo from loaded").rows() == [{"n": 50, "lo": "n0"}]
    epoch = on_spark.epoch
    with pytest.raises(bv.KeyViolation, match="'loaded'"):
        on_spark.load("loaded", frame.limit(3))
    assert on_spark.epoch == epoch
