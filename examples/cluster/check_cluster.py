"""What must hold on a cluster. Run by run.py, which starts one and says where it is.

Views are brought up to date on Spark and compared with recomputation, both by `verify` on Spark and by DuckDB here.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import end
from session import session

import belvedere as bv

WHERE = os.environ.get("BELVEDERE_CLUSTER", "")
WORKERS = [int(pid) for pid in os.environ.get("BELVEDERE_WORKERS", "").split(",") if pid]
ROWS = 60_000
VIEWS = {
    "dear": "select i.id, i.price, o.day from items i join orders o on i.order_id = o.id where i.price > 500",
    "by_day": "select o.day, count(*) n, sum(i.price) total from items i join orders o on i.order_id = o.id group by o.day",
    "days": "select distinct day from orders",
    "missing": "select o.id from orders o left join items i on i.order_id = o.id where i.id is null",
}

pytestmark = pytest.mark.skipif(not WHERE, reason="run.py starts a cluster and says where it is")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    found = session(WHERE)
    yield found
    found.stop()


@pytest.fixture
def shop(spark: Any, tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "shop", engine="spark", spark=spark) as wh:
        wh.create_table("orders", "id bigint, day int", key="id")
        wh.create_table("items", "id bigint, order_id bigint, price bigint", key="id")
        wh.load("orders", spark.sql(f"select id, cast(id % 365 as int) day from range({ROWS // 4})"))
        wh.load("items", spark.sql(f"select id, id * 3 % {ROWS // 4 - 7} order_id, id * 7919 % 1000 price from range({ROWS})"))
        for name, text in VIEWS.items():
            wh.create_view(name, text)
        yield wh


def right(wh: bv.Warehouse) -> None:
    for name in VIEWS:
        view = wh.view(name)
        assert view.verify().ok
        assert view.verify(engine="duckdb").ok


def change(wh: bv.Warehouse, turn: int, many: int) -> None:
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 1000"}, where=f"id >= {turn * many} and id < {(turn + 1) * many}")
        tx.delete("items", where=f"id >= {ROWS - (turn + 1) * 5} and id < {ROWS - turn * 5}")
        tx.insert("orders", [{"id": ROWS + turn, "day": turn}])
        tx.insert("items", [{"id": ROWS + turn, "order_id": ROWS + turn, "price": 999}])


@pytest.mark.parametrize("strategy", ["incremental", "recompute"])
def test_views_follow_on_the_cluster(shop: bv.Warehouse, strategy: str) -> None:
    for turn in range(2):
        change(shop, turn, 10)
        for name in VIEWS:
            report = shop.view(name).refresh(strategy=strategy, engine="spark")
            assert report.strategy in (strategy, "none")
            assert report.strategy == "none" or report.engine == "spark"
    right(shop)


def test_a_function_runs_on_the_workers(shop: bv.Warehouse) -> None:
    shop.register_function("halved", lambda n: n // 2, ["bigint"], "bigint")
    view = shop.create_view("halves", "select id, halved(price) half from items where id < 100")
    change(shop, 0, 10)
    view.refresh(strategy="incremental", engine="spark")
    assert view.verify().ok


@pytest.mark.skipif(not WORKERS, reason="run.py says which processes the workers are, where one may be killed")
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(shop: bv.Warehouse) -> None:
    change(shop, 0, 5_000)
    failed: list[BaseException] = []

    def refresh() -> None:
        try:
            shop.refresh()
        except BaseException as e:
            failed.append(e)

    work = threading.Thread(target=refresh)
    work.start()
    time.sleep(0.7)
    assert work.is_alive(), "the refresh was over before a worker could be killed"
    end(WORKERS[-1])
    work.join(300)
    assert not work.is_alive()
    assert not failed
    right(shop)
    change(shop, 1, 10)
    shop.refresh()
    right(shop)
