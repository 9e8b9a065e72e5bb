"""A published view is a plain Iceberg table for readers that know nothing of us."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table import Table
from tests.warehouse.helpers import bag, files, known, order

import belvedere as bv
from belvedere.warehouse.refresh import Refresher

TOTALS = "select customer, sum(amount) total, max(note) note from orders group by customer"


def table(wh: bv.Warehouse, name: str) -> Table:
    return load_catalog(**wh.core.store.catalog_properties()).load_table(name)


def both_readers(wh: bv.Warehouse, name: str) -> object:
    """What pyiceberg and polars read; they must agree."""
    found = table(wh, name)
    scanned = bag(found.scan().to_arrow().to_pylist())
    assert bag(pl.scan_iceberg(found).collect().to_dicts()) == scanned
    return scanned


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
def test_it_follows_the_view_epoch_by_epoch(shop: bv.Warehouse, mode: str) -> None:
    view = shop.create_view("totals", TOTALS, mode=mode)
    name = view.publish()
    assert name == "published.totals"
    assert both_readers(shop, name) == bag(view.rows())
    assert table(shop, name).schema().column_names == ["customer", "total", "note"]
    for n in range(12):
        with shop.transaction() as tx:
            tx.insert("orders", order(100 + n, n % 3, "1.50", "n"))
            tx.delete("orders", where=f"id = {100 + n - 3}")
        epoch = shop.epoch
        shop.refresh()
        assert shop.epoch == epoch + (mode == "deferred")
        assert both_readers(shop, name) == bag(view.rows())
    shop.compact()
    assert both_readers(shop, name) == bag(view.rows())
    assert len(table(shop, name).inspect.files()) <= 2
    assert files(shop.path) == known(shop.core.store)


def test_duplicates_and_no_rows(shop: bv.Warehouse) -> None:
    view = shop.create_view("names", "select name from cities", mode="immediate")
    name = view.publish()
    assert both_readers(shop, name) == bag([{"name": "Bern"}, {"name": "Oslo"}, {"name": "Oslo"}])
    with shop.transaction() as tx:
        tx.truncate("cities")
    assert both_readers(shop, name) == bag([])
    with shop.transaction() as tx:
        tx.insert("cities", {"name": "Rome"})
    assert both_readers(shop, name) == bag([{"name": "Rome"}])


def test_a_failed_transaction_does_not_advance_it(shop: bv.Warehouse) -> None:
    view = shop.create_view("totals", TOTALS, mode="immediate")
    name = view.publish()
    before = both_readers(shop, name)
    with pytest.raises(bv.KeyViolation), shop.transaction() as tx:
        tx.insert("orders", [order(1, 9, "1.00")])
    assert both_readers(shop, name) == before


def test_it_goes_with_the_view(shop: bv.Warehouse) -> None:
    name = shop.create_view("totals", TOTALS).publish()
    shop.drop_view("totals")
    with pytest.raises(NoSuchTableError):
        table(shop, name)


def test_who_begins_to_publish_meanwhile(shop: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refresh that does not know that the view is published would leave the table behind: it does not take effect."""
    view = shop.create_view("totals", TOTALS)
    with shop.transaction() as tx:
        tx.insert("orders", order(100, 1, "1.50", "n"))
    begin = Refresher._refresh
    with bv.open(shop.path, engine="duckdb") as other:

        def meanwhile(self: Refresher, *args: object) -> object:
            monkeypatch.setattr(Refresher, "_refresh", begin)
            other.view("totals").publish()
            return begin(self, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(Refresher, "_refresh", meanwhile)
        with pytest.raises(bv.Conflict):
            shop.refresh()
    shop.refresh()
    assert both_readers(shop, "published.totals") == bag(view.rows())


def test_it_follows_in_a_warehouse_that_was_moved(tmp_path: Path) -> None:
    """Iceberg's metadata names files by where they were."""
    with bv.open(tmp_path / "here", engine="duckdb") as wh:
        wh.create_table("orders", "id int, customer int", key="id")
        wh.create_view("counted", "select customer, count(*) n from orders group by customer").publish()
        wh.load("orders", [{"id": n, "customer": n % 3} for n in range(9)])
        wh.refresh()
    (tmp_path / "here").rename(tmp_path / "there")
    with bv.open(tmp_path / "there", engine="duckdb", create=False) as wh:
        wh.load("orders", [{"id": 9, "customer": 7}])
        wh.refresh()
        assert both_readers(wh, "published.counted") == bag(wh.view("counted").rows())
        wh.compact()
        assert wh.view("counted").verify().ok
