"""The same warehouse with its catalog in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.postgres import postgres
from tests.warehouse.conftest import fill
from tests.warehouse.helpers import bag, files, known, minus, order, unchanged, weights

import belvedere as bv

pytestmark = pytest.mark.postgres


def test_end_to_end(place: Path) -> None:
    with postgres() as url:
        with bv.open(place / "wh", engine="duckdb", catalog=url) as wh:
            fill(wh)
            text = "select customer, sum(amount) total from orders group by customer"
            totals = wh.create_view("totals", text, mode="immediate")
            over = wh.create_view("over", "select c.city, t.total from totals t join customers c on t.customer = c.id")
            over.publish()
            epoch, before = wh.epoch, bag(over.rows())
            with wh.transaction() as tx:
                tx.insert("orders", order(5, 8, "1.00"))
                tx.rename_attribute("customers", "city", "town")
            assert totals.status == "fresh"
            wh.refresh()
            assert weights(over.changes(since=epoch)) == minus(bag(over.rows()), before)
            with unchanged(wh), pytest.raises(bv.KeyViolation), wh.transaction() as tx:
                tx.update("orders", {"id": "1"})
            for n in range(20):
                with wh.transaction() as tx:
                    tx.insert("orders", order(100 + n, 8, "1.00"))
            wh.compact()
            wh.refresh()
            assert {r["city"]: str(r["total"]) for r in over.rows()} == {"Bern": "10.75", "Oslo": "25.00"}
            assert [v.verify().ok for v in wh.views()] == [True, True]
            assert files(wh.path) == known(wh.core.store)
            last = wh.epoch
        with bv.open(place / "wh", engine="duckdb", catalog=url) as again:
            assert again.epoch == last
            assert again.view("totals").verify().ok
        with pytest.raises(bv.StoreError, match="has its catalog in PostgreSQL; open it with catalog="):
            bv.open(place / "wh")
        with pytest.raises(bv.StoreError, match="is the catalog of another warehouse"):
            bv.open(place / "other", catalog=url)
