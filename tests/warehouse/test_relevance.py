"""A change that a view cannot feel costs it nothing: no query, no commit of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.warehouse.helpers import order, watched

import belvedere as bv

BIG = "select customer, sum(amount) total from orders where amount >= 5 and note = 'a' group by customer"
JOINED = (
    "select c.city, count(*) n from orders o join customers c on o.customer = c.id where c.vip and o.id < 1000 group by c.city"
)

Change = Callable[[bv.Transaction], Any]

UNFELT: dict[str, tuple[str, Change]] = {
    "another table": (BIG, lambda tx: tx.insert("cities", {"name": "Rome", "country": "IT"})),
    "a row that no test lets in": (BIG, lambda tx: tx.insert("orders", order(50, 7, "4.99", "a"))),
    "a row that the other test keeps out": (BIG, lambda tx: tx.insert("orders", order(50, 7, "9.99", "b"))),
    "a deleted row outside": (BIG, lambda tx: tx.delete("orders", key=2)),
    "a column that it does not read": (JOINED, lambda tx: tx.update("orders", {"amount": "amount + 1"})),
    "a constant into a column that it does not read": (JOINED, lambda tx: tx.update("orders", {"note": "'x'"}, key=1)),
    "an update outside": (JOINED, lambda tx: tx.insert("orders", order(1000, 7, "1.00"))),
    "changes that cancel": (BIG, lambda tx: (tx.insert("orders", order(50, 7, "9.00", "a")), tx.delete("orders", key=50))),
    "the same value again": (BIG, lambda tx: tx.update("orders", {"amount": "amount"})),
}

FELT: dict[str, tuple[str, Change]] = {
    "on the edge": (BIG, lambda tx: tx.insert("orders", order(50, 7, "5.00", "a"))),
    "into the test": (BIG, lambda tx: tx.update("orders", {"note": "'a'", "amount": "9"}, where="id = 3")),
    "out of the test": (BIG, lambda tx: tx.update("orders", {"amount": "1"}, key=1)),
    "many rows, one inside": (BIG, lambda tx: tx.insert("orders", [order(50, 7, "1.00", "b"), order(51, 7, "9.00", "a")])),
    "the other side of the join": (JOINED, lambda tx: tx.update("customers", {"city": "'Genf'"}, key=7)),
    "below the limit": (JOINED, lambda tx: tx.insert("orders", order(999, 7, "1.00"))),
    "a read column among others": (JOINED, lambda tx: tx.update("orders", {"note": "'x'", "customer": "8"}, key=1)),
    "two updates, one felt": (
        JOINED, lambda tx: (tx.update("orders", {"customer": "8"}, key=1), tx.update("orders", {"note": "'x'"}, key=1)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
@pytest.mark.parametrize("name", UNFELT)
def test_what_cannot_matter_costs_nothing(shop: bv.Warehouse, name: str, mode: str) -> None:
    query, change = UNFELT[name]
    view = shop.create_view("felt", query, mode=mode)
    before, refreshes = view.rows(), len(view.history())
    with watched(shop) as cost, shop.transaction() as tx:
        change(tx)
    assert not [s for s in cost.statements if "felt$" in s], "a statement read the view"
    epoch = shop.epoch
    with watched(shop) as cost:
        assert view.status == "fresh", view.reason
        report = view.refresh()
    assert (report.strategy, report.rows_read, report.jobs) == ("none", 0, 0)
    assert cost.statements == []
    assert shop.epoch == epoch
    assert len(view.history()) == refreshes
    assert view.rows() == before
    assert view.verify().ok


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
@pytest.mark.parametrize("name", FELT)
def test_what_can_matter_is_felt(shop: bv.Warehouse, name: str, mode: str) -> None:
    query, change = FELT[name]
    view = shop.create_view("felt", query, mode=mode)
    with shop.transaction() as tx:
        change(tx)
    assert view.status == ("fresh" if mode == "immediate" else "stale")
    view.refresh()
    assert view.history()[-1]["strategy"] != "none"
    assert view.verify().ok


def test_a_self_join_feels_what_either_side_feels(shop: bv.Warehouse) -> None:
    text = "select a.id x, b.id y from orders a join orders b on a.customer = b.customer where a.id < 3 and b.amount > 8"
    view = shop.create_view("pairs", text, mode="immediate")
    with shop.transaction() as tx:
        tx.insert("orders", order(50, 7, "9.00"))
    assert {(r["x"], r["y"]) for r in view.rows()} == {(1, 1), (2, 1), (1, 50), (2, 50)}
    with shop.transaction() as tx:
        tx.update("orders", {"id": "0"}, where="id = 2")
    assert {(r["x"], r["y"]) for r in view.rows()} == {(1, 1), (0, 1), (1, 50), (0, 50)}
    with watched(shop) as cost, shop.transaction() as tx:
        tx.insert("orders", order(60, 7, "8.00"))
    assert not [s for s in cost.statements if "pairs$" in s]
    assert view.status == "fresh"


def test_only_the_views_that_feel_it_are_worked_on(shop: bv.Warehouse) -> None:
    shop.create_view("far", "select country, count(*) n from cities group by country", mode="immediate")
    shop.create_view("near", "select customer, count(*) n from orders group by customer", mode="immediate")
    with watched(shop) as cost, shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
    assert not [s for s in cost.statements if "far$" in s or "cities" in s]
    assert [s for s in cost.statements if "near$" in s]


def test_a_quiet_view_stays_fresh_for_ever(shop: bv.Warehouse) -> None:
    """Its inputs never change while others do, far beyond what is kept of old epochs."""
    for mode in ("immediate", "deferred"):
        shop.create_view(f"far_{mode}", "select country, count(*) n from cities group by country", mode=mode)
        shop.create_view(f"big_{mode}", BIG, mode=mode)
    shop.core.store.retention = 2
    for n in range(30):
        with shop.transaction() as tx:
            tx.insert("orders", order(100 + n, 7, "1.00", "b"))
    shop.compact()
    with watched(shop) as cost:
        assert {v.status for v in shop.views()} == {"fresh"}
        assert [r.strategy for r in shop.refresh()] == ["none"] * 4
    assert cost.statements == []
