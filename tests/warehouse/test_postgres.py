"""The same warehouse with its catalog in PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock, patch

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


def test_views_of_other_epochs_are_refreshed_together(place: Path) -> None:
    """Their runs are asked for by one question, whose text is the same however many there are."""
    with postgres() as url, bv.open(place / "wh", engine="duckdb", catalog=url) as wh:
        wh.create_table("t", "id bigint, k bigint", key="id")
        wh.load("t", [{"id": n, "k": n % 7} for n in range(100)])
        for n in range(4):
            wh.create_view(f"v{n}", f"select k, count(*) n, sum(id) s from t where id > {n} group by k")
        texts = []
        for turn in range(4):
            for name in ("v0", "v2")[: 1 + turn % 2]:
                with wh.transaction() as tx:
                    tx.update("t", {"k": "(k + 1) % 7"}, where=f"id % 9 = {turn}")
                wh.view(name).refresh()
            asked = Mock(side_effect=wh.core.store.catalog.rows)
            with wh.transaction() as tx:
                tx.update("t", {"k": "(k + 2) % 7"}, where=f"id % 8 = {turn}")
            with patch.object(wh.core.store.catalog, "rows", asked):
                wh.refresh()
            texts += [c.args[0] for c in asked.call_args_list if "pairs" in c.kwargs]
            assert all(v.verify().ok for v in wh.views())
        assert len(texts) == 4
        assert len(set(texts)) == 1
