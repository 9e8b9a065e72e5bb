"""A transaction is one epoch, or nothing at all."""

from __future__ import annotations

import pytest
from tests.warehouse.helpers import bag, files, known, order, unchanged

import belvedere as bv


class Broken(Exception):
    pass


def test_an_exception_leaves_no_trace(shop: bv.Warehouse) -> None:
    shop.create_view("v", "select customer, sum(amount) total from orders group by customer", mode="immediate")

    def work() -> None:
        with shop.transaction() as tx:
            tx.insert("orders", order(5, 7, "1.00"))
            tx.update("orders", {"amount": "0"})
            tx.add_relation("extra", "x int")
            tx.insert("extra", [{"x": 1}])
            tx.rename_attribute("orders", "amount", "price")
            tx.drop_relation("cities")
            raise Broken

    with unchanged(shop), pytest.raises(Broken):
        work()


def test_an_error_at_the_end_leaves_no_trace(shop: bv.Warehouse) -> None:
    """Keys are checked when the transaction ends, after data was worked on; a view that fails comes later still."""
    with unchanged(shop), pytest.raises(bv.KeyViolation), shop.transaction() as tx:
        tx.insert("orders", [order(5, 7, "1.00"), order(5, 8, "1.00")])
    view = shop.create_view("v", "select id, 10 / id x from orders", mode="immediate")
    before = bag(view.rows())
    with unchanged(shop), pytest.raises(bv.EngineError, match=r"(?i)zero"), shop.transaction() as tx:
        tx.insert("orders", order(0, 7, "1.00"))
    assert bag(view.rows()) == before


def test_everything_in_it_becomes_visible_at_once(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select o.id, c.city from orders o join customers c on o.customer = c.id", mode="immediate")
    epoch = shop.epoch
    with shop.transaction() as tx:
        tx.insert("customers", {"id": 11, "city": "Rome", "vip": False})
        tx.insert("orders", order(11, 11, "1.00"))
        assert shop.epoch == epoch
        assert len(shop.query("select * from orders").rows()) == 4
    assert (shop.epoch, tx.epoch) == (epoch + 1, epoch + 1)
    assert {"id": 11, "city": "Rome"} in view.rows()
    assert view.status == "fresh"


def test_an_empty_transaction_is_no_epoch(shop: bv.Warehouse) -> None:
    with unchanged(shop), shop.transaction():
        pass


def test_a_transaction_that_ended_says_so(shop: bv.Warehouse) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
    with pytest.raises(bv.BelvedereError, match="has ended; begin a new one"):
        tx.insert("orders", order(6, 7, "1.00"))
    with pytest.raises(bv.BelvedereError, match="has ended; begin a new one"):
        tx.add_attribute("orders", "x", "int")


def test_a_conflict_leaves_nothing_and_can_be_retried(shop: bv.Warehouse) -> None:
    late = shop.transaction()
    late.insert("orders", order(5, 7, "1.00"))
    with shop.transaction() as tx:
        tx.insert("orders", order(6, 7, "1.00"))
    with unchanged(shop), pytest.raises(bv.Conflict, match="orders"):
        late.publish()
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
    assert len(shop.query("select id from orders").rows()) == 6
    assert files(shop.path) == known(shop.core.store)


def test_writers_that_do_not_meet_both_win(shop: bv.Warehouse) -> None:
    late = shop.transaction()
    late.insert("orders", order(5, 7, "1.00"))
    with shop.transaction() as tx:
        tx.insert("cities", {"name": "Rome", "country": "IT"})
    assert late.publish() == shop.epoch


def test_a_view_misses_nothing_when_writers_meet_in_it(shop: bv.Warehouse) -> None:
    """Two writers of different tables that one view reads: the second one's commit must not mark the first one's as seen."""
    view = shop.create_view("v", "select o.id, c.city from orders o join customers c on o.customer = c.id where o.id < 100")
    late = shop.transaction()
    late.insert("orders", order(500, 7, "1.00"))  # no order above 100 can matter to the view
    with shop.transaction() as tx:
        tx.update("customers", {"city": "'Genf'"}, key=7)
    try:
        late.publish()
    except bv.Conflict:
        with shop.transaction() as tx:
            tx.insert("orders", order(500, 7, "1.00"))
    assert view.status == "stale"
    view.refresh()
    assert view.verify().ok
    assert {r["city"] for r in view.rows()} == {"Genf", "Oslo"}


def test_a_refresh_that_is_overtaken_is_a_conflict(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select customer, count(*) n from orders group by customer")
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
    begin = shop.core.store.begin
    overtaken = []

    def overtaking() -> object:
        commit = begin()
        if not overtaken:
            overtaken.append(True)
            with shop.transaction() as tx:
                tx.insert("orders", order(6, 7, "1.00"))
        return commit

    shop.core.store.begin = overtaking  # type: ignore[method-assign, assignment]
    with pytest.raises(bv.Conflict):
        view.refresh()
    shop.core.store.begin = begin  # type: ignore[method-assign]
    view.refresh()
    assert view.verify().ok
    assert {r["customer"]: r["n"] for r in view.rows()}[7] == 4
