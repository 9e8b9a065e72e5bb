"""Bringing views up to date: when, how, and what is told about it."""

from __future__ import annotations

import pytest
from tests.warehouse.helpers import bag, order

import belvedere as bv

TOTALS = "select customer, sum(amount) total, count(*) n from orders group by customer"


def totals(view: bv.View) -> dict[int | None, str]:
    return {r["customer"]: str(r["total"]) for r in view.rows()}


def test_immediate_follows_in_the_same_epoch(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", TOTALS, mode="immediate")
    epoch = shop.epoch
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    assert shop.epoch == epoch + 1
    assert (view.status, view.epoch) == ("fresh", shop.epoch)
    assert totals(view) == {7: "10.75", 8: "5.00", None: "2.00"}
    assert view.history()[-1]["strategy"] in ("incremental", "recompute")


def test_deferred_waits_for_a_refresh(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", TOTALS)
    old = totals(view)
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    with shop.transaction() as tx:
        tx.delete("orders", key=1)
    assert totals(view) == old
    assert (view.status, view.reason) == ("stale", "changes of orders (2 rows)")
    assert view.verify().ok  # it is what it should be at the epoch that it was brought up to
    epoch = shop.epoch
    report = view.refresh(strategy="incremental")
    assert (report.epoch, shop.epoch, report.rows_in) == (epoch + 1, epoch + 1, 2)
    assert totals(view) == {7: "1.25", 8: "5.00", None: "2.00"}
    assert view.status == "fresh"


def test_nothing_to_do_is_no_epoch(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", TOTALS)
    epoch = shop.epoch
    report = view.refresh()
    assert (report.strategy, report.reason, shop.epoch) == ("none", "nothing that it reads changed", epoch)
    assert [r.strategy for r in shop.refresh()] == ["none"]
    assert shop.epoch == epoch


def test_recompute_when_asked(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", TOTALS)
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    before = bag(view.rows())
    report = view.refresh(strategy="recompute")
    assert report.strategy == "recompute"
    assert bag(view.rows()) != before
    assert view.verify().ok
    after = bag(view.rows())
    assert view.refresh(strategy="recompute").strategy == "recompute"  # even when nothing changed
    assert bag(view.rows()) == after


def test_a_chain_is_one_epoch_in_order(shop: bv.Warehouse) -> None:
    shop.create_view("a", TOTALS)
    shop.create_view("b", "select customer, total * 2 twice from a where n > 0")
    c = shop.create_view("c", "select sum(twice) everything from b")
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    epoch = shop.epoch
    assert shop.view("b").status == "stale"
    assert "'a'" in shop.view("b").reason
    reports = shop.refresh("c")
    assert [(r.view, r.epoch) for r in reports] == [("a", epoch + 1), ("b", epoch + 1), ("c", epoch + 1)]
    assert [str(r["everything"]) for r in c.rows()] == ["35.50"]
    assert [v.status for v in shop.views()] == ["fresh"] * 3
    assert all(v.verify().ok for v in shop.views())


def test_an_immediate_view_over_a_deferred_one_follows_its_refresh(shop: bv.Warehouse) -> None:
    shop.create_view("a", TOTALS)
    b = shop.create_view("b", "select max(total) top from a", mode="immediate")
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "100.00"))
    assert [str(r["top"]) for r in b.rows()] == ["10.75"]
    shop.refresh("a")
    assert [str(r["top"]) for r in b.rows()] == ["104.00"]
    assert b.verify().ok


def test_an_immediate_chain_in_one_transaction(shop: bv.Warehouse) -> None:
    shop.create_view("a", TOTALS, mode="immediate")
    shop.create_view("b", "select c.city, a.total from a join customers c on a.customer = c.id", mode="immediate")
    c = shop.create_view("c", "select city, sum(total) total from b group by city", mode="immediate")
    epoch = shop.epoch
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
        tx.update("customers", {"city": "'Bern'"}, key=8)
    assert shop.epoch == epoch + 1
    assert {r["city"]: str(r["total"]) for r in c.rows()} == {"Bern": "15.75"}
    assert all(v.verify().ok for v in shop.views())


def test_a_report_counts(shop: bv.Warehouse) -> None:
    text = "select c.city, sum(o.amount) t from orders o join customers c on o.customer = c.id group by c.city"
    view = shop.create_view("v", text)
    with shop.transaction() as tx:
        tx.insert("orders", [order(5, 8, "1.00"), order(6, 7, "1.00")])
    r = view.refresh(strategy="incremental")
    assert (r.view, r.strategy, r.engine, r.rows_in, r.jobs) == ("v", "incremental", "duckdb", 2, 0)
    assert r.rows_out == 4  # two groups, as they were and as they are
    assert r.rows_read >= r.rows_in
    assert r.bytes_read >= 0
    assert r.rows_written == 4
    assert r.bytes_written > 0
    assert r.seconds > 0
    assert sum(s.seconds for s in r.steps) <= r.seconds
    assert [(s.engine, s.rows_out) for s in r.steps] == [("duckdb", 4)]
    assert "select" in r.steps[0].sql.lower()
    assert str(r).startswith("v: incremental on duckdb, 2 rows in, 4 out")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda wh: wh.view("v").refresh(strategy="fast"), bv.BelvedereError, "strategy='fast' is not known; use one of auto"),
        (lambda wh: wh.view("v").refresh(engine="turbo"), bv.BelvedereError, "engine='turbo' is not known"),
        (lambda wh: wh.refresh("w"), bv.UnknownName, "there is no view 'w'"),
        (lambda wh: wh.create_view("w", TOTALS, mode="sometimes"), bv.BelvedereError, "mode='sometimes' is not known"),
        (lambda wh: wh.create_view("w", TOTALS, language="prolog"), bv.BelvedereError, "'prolog' is not known"),
        (lambda wh: wh.create_view("v", TOTALS), bv.BelvedereError, "there is a view 'v' already"),
        (lambda wh: wh.create_view("orders", TOTALS), bv.BelvedereError, "there is a table 'orders' already"),
    ],
)
def test_wrong_wishes(shop: bv.Warehouse, call: object, error: type[Exception], message: str) -> None:
    shop.create_view("v", TOTALS)
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    epoch = shop.epoch
    with pytest.raises(error, match=message):
        call(shop)  # type: ignore[operator]
    assert shop.epoch == epoch


def test_incremental_never_recomputes_behind_the_back(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select * from orders")
    with shop.transaction() as tx:
        tx.drop_attribute("orders", "note")
        tx.add_attribute("orders", "note", "int")
    assert view.status == "stale"
    with pytest.raises(bv.NotIncremental, match="'v' must be computed anew"):
        view.refresh(strategy="incremental")
    assert view.refresh().strategy == "recompute"
    assert view.verify().ok


def test_changes_beyond_the_retention_are_said(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", TOTALS)
    other = shop.create_view("other", "select count(*) n from cities")
    shop.core.store.retention = 2
    for n in range(30):
        with shop.transaction() as tx:
            tx.insert("orders", order(100 + n, 8, "1.00"))
    shop.compact()
    assert not shop.core.store.has_epoch(view.epoch)
    with pytest.raises(bv.NotIncremental, match="beyond the retention"):
        view.refresh(strategy="incremental")
    assert view.refresh().strategy == "recompute"
    assert totals(view)[8] == "34.00"
    assert view.verify().ok
    assert other.status == "fresh"
    assert other.refresh().strategy == "none"


def test_dropping_views(shop: bv.Warehouse) -> None:
    shop.create_view("a", TOTALS)
    shop.create_view("b", "select count(*) n from a")
    with pytest.raises(bv.BelvedereError, match="view 'a' is read by b; drop those first"):
        shop.drop_view("a")
    shop.drop_view("b")
    shop.drop_view("a")
    assert shop.views() == []
    assert [c.name for c in shop.core.store.collections()] == ["cities", "customers", "orders"]
    shop.create_view("a", "select count(*) n from cities")
    assert shop.view("a").rows() == [{"n": 3}]


def test_a_reopened_warehouse_goes_on(shop: bv.Warehouse) -> None:
    shop.create_view("v", TOTALS)
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "1.00"))
    path, epoch = shop.path, shop.epoch
    with bv.open(path, engine="duckdb") as again:
        assert again.epoch == epoch
        assert again.view("v").status == "stale"
        again.refresh()
        assert totals(again.view("v")) == {7: "10.75", 8: "5.00", None: "2.00"}
    assert shop.view("v").status == "fresh"  # the other handle sees it too
