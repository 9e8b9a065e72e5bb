"""Reading views: forms, earlier epochs, and the change since an epoch."""

from __future__ import annotations

import pytest
from tests.warehouse.helpers import bag, minus, order, weights

import belvedere as bv

VIEWS = {
    "rows": "select id, customer, amount from orders where amount > 1",
    "totals": "select customer, sum(amount) total, max(amount) top from orders group by customer",
    "joined": "select c.city, o.amount from orders o join customers c on o.customer = c.id",
    "distinct": "select distinct customer from orders",
}


def work(wh: bv.Warehouse, n: int) -> None:
    """The n-th of a sequence of transactions."""
    with wh.transaction() as tx:
        if n % 4 == 3:
            tx.delete("orders", where=f"id = {100 + n - 2} or id = 1")
        elif n % 4 == 2:
            tx.update("orders", {"amount": "amount + 1"}, where="customer = 7")
        else:
            tx.insert("orders", [order(100 + n, 7 + n % 3, f"{n}.50"), order(200 + n, None, "3.00")])


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
def test_changes_since_any_epoch_are_the_difference_of_states(shop: bv.Warehouse, mode: str) -> None:
    """Across increments, recomputations and compaction."""
    views = [shop.create_view(n, q, mode=mode) for n, q in VIEWS.items()]
    states: dict[int, dict[str, object]] = {}

    def remember() -> None:
        states[shop.epoch] = {v.name: bag(v.rows()) for v in views}

    remember()
    for n in range(14):
        work(shop, n)
        remember()
        if n % 3 == 1:
            for v in views:
                v.refresh(strategy="recompute" if n % 2 else "auto")
            remember()
        if n % 5 == 4:
            shop.compact()
    shop.refresh()
    remember()
    last = shop.epoch
    for since, old in states.items():
        for v in views:
            assert weights(v.changes(since=since)) == minus(states[last][v.name], old[v.name]), (v.name, since)  # type: ignore[arg-type]


def test_rows_at_an_earlier_epoch(shop: bv.Warehouse) -> None:
    views = [shop.create_view(n, q, mode="immediate") for n, q in VIEWS.items()]
    states = {}
    for n in range(12):
        work(shop, n)
        states[shop.epoch] = {v.name: bag(v.rows()) for v in views}
    shop.compact()
    for epoch, state in states.items():
        assert {v.name: bag(v.rows(epoch=epoch)) for v in views} == state


def test_epochs_that_cannot_be_read_are_said(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", VIEWS["totals"], mode="immediate")
    with pytest.raises(bv.BelvedereError, match=f"epoch {shop.epoch + 1} is not published yet"):
        view.rows(epoch=shop.epoch + 1)
    with pytest.raises(bv.BelvedereError, match=f"since={shop.epoch + 1} is not an epoch"):
        view.changes(since=shop.epoch + 1)
    with pytest.raises(bv.BelvedereError, match="since=-1 is not an epoch"):
        view.changes(since=-1)
    shop.core.store.retention = 2
    first = shop.epoch
    for n in range(30):
        with shop.transaction() as tx:
            tx.insert("orders", order(100 + n, 8, "1.00"))
    shop.compact()
    with pytest.raises(bv.BelvedereError, match="beyond the retention"):
        view.rows(epoch=first)
    with pytest.raises(bv.BelvedereError, match="beyond the retention"):
        view.changes(since=first)


def test_a_view_at_an_epoch_when_it_had_other_columns(shop: bv.Warehouse) -> None:
    view = shop.create_view("star", "select * from customers", mode="immediate")
    epoch, before = shop.epoch, bag(view.rows())
    with shop.transaction() as tx:
        tx.drop_attribute("customers", "vip")
        tx.rename_relation("customers", "people")
    view.refresh()
    assert view.columns == ("id", "city")
    assert bag(view.rows(epoch=epoch)) == before
    with pytest.raises(bv.BelvedereError, match="got other columns at epoch"):
        view.changes(since=epoch)
    with pytest.raises(bv.BelvedereError, match=f"no view 'star' at epoch {epoch - 1}"):
        view.rows(epoch=epoch - 1)
    assert view.verify().ok


def test_the_change_since_before_the_view_existed_is_the_view(shop: bv.Warehouse) -> None:
    epoch = shop.epoch
    view = shop.create_view("v", VIEWS["totals"], mode="immediate")
    work(shop, 0)
    assert weights(view.changes(since=epoch)) == bag(view.rows())


def test_every_form_holds_the_same_rows(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", VIEWS["joined"])
    rows = bag(view.rows())
    assert bag(view.arrow().to_pylist()) == rows
    assert bag(view.pandas().to_dict("records")) == rows
    assert view.arrow().column_names == ["city", "amount"]
    assert str(view.arrow().schema.field("amount").type) == "decimal128(12, 2)"
    result = shop.query("select * from v")
    assert (bag(result.rows()), result.columns, len(result)) == (rows, ("city", "amount"), 3)
    assert bag(result.pandas().to_dict("records")) == rows


def test_queries_read_tables_and_views_together(shop: bv.Warehouse) -> None:
    shop.create_view("totals", VIEWS["totals"])
    found = shop.query("select c.city, t.total from totals t join customers c on t.customer = c.id").rows()
    assert {(r["city"], str(r["total"])) for r in found} == {("Bern", "10.75"), ("Oslo", "4.00")}
