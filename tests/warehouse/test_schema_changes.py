"""Schema changes: metadata only, followed by views, or breaking them with a reason that can be mended."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from tests.warehouse.helpers import bag, order, unchanged

import belvedere as bv

TOTALS = "select customer, sum(amount) total from orders where amount > 0 group by customer"
JOINED = "select c.city, count(*) n from orders o join customers c on o.customer = c.id group by c.city"


@pytest.fixture(params=["immediate", "deferred"])
def views(shop: bv.Warehouse, request: pytest.FixtureRequest) -> Iterator[list[bv.View]]:
    """A chain of views over orders, kept in either mode."""
    mode = request.param
    return [
        shop.create_view("totals", TOTALS, mode=mode),
        shop.create_view("joined", JOINED, mode=mode),
        shop.create_view("big", "select customer from totals where total > 3", mode=mode),
    ]


def check(wh: bv.Warehouse, views: list[bv.View]) -> None:
    wh.refresh()
    for v in views:
        assert v.status == "fresh", v.reason
        assert v.verify().ok, v.name


def test_a_renamed_column_is_followed(shop: bv.Warehouse, views: list[bv.View]) -> None:
    before = [bag(v.rows()) for v in views]
    with shop.transaction() as tx:
        tx.rename_attribute("orders", "amount", "price")
    assert [v.status for v in views] == ["fresh"] * 3
    assert [bag(v.rows()) for v in views] == before
    with shop.transaction() as tx:
        tx.insert("orders", {"id": 5, "customer": 8, "price": "7.00"})
        tx.update("orders", {"price": "price + 1"}, where="id = 1")
    check(shop, views)
    assert {r["customer"]: str(r["total"]) for r in views[0].rows()} == {7: "11.75", 8: "11.00", None: "2.00"}


def test_a_renamed_table_is_followed(shop: bv.Warehouse, views: list[bv.View]) -> None:
    with shop.transaction() as tx:
        tx.rename_relation("orders", "sales")
    assert [v.status for v in views] == ["fresh"] * 3
    with shop.transaction() as tx:
        tx.insert("sales", order(5, 8, "7.00"))
    if views[0].mode == "immediate":
        assert [v.status for v in views] == ["fresh"] * 3
        assert {r["customer"]: str(r["total"]) for r in views[0].rows()}[8] == "11.00"
    check(shop, views)
    assert {r["customer"]: str(r["total"]) for r in views[0].rows()}[8] == "11.00"
    with pytest.raises(bv.UnknownName, match="no table 'orders'"), shop.transaction() as tx:
        tx.insert("orders", order(6, 8, "7.00"))


def test_rename_and_change_in_one_transaction(shop: bv.Warehouse, views: list[bv.View]) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "7.00"))
        tx.rename_attribute("orders", "amount", "price")
        tx.rename_relation("orders", "sales")
        tx.update("sales", {"price": "price * 2"}, where="id = 5")
        tx.add_attribute("sales", "channel", "string")
        tx.insert("sales", {"id": 6, "customer": 9, "price": "1.00", "channel": "web"})
    check(shop, views)
    assert {r["customer"]: str(r["total"]) for r in views[0].rows()} == {7: "10.75", 8: "18.00", 9: "1.00", None: "2.00"}


def test_an_added_column_is_null_and_bothers_nobody(shop: bv.Warehouse, views: list[bv.View]) -> None:
    star = shop.create_view("star", "select * from orders", mode=views[0].mode)
    with shop.transaction() as tx:
        tx.add_attribute("orders", "channel", "struct<kind: string, cost: decimal(4,2)>")
    assert {repr(r["channel"]) for r in shop.query("select channel from orders").rows()} == {"None"}
    with shop.transaction() as tx:
        tx.update("orders", {"channel": {"kind": "web", "cost": "0.50"}}, where="id = 1")
        tx.insert("orders", order(5, 8, "7.00"))
    check(shop, [*views, star])
    assert len(star.rows()) == 5


def test_dropping_a_used_column_is_told_and_mended(shop: bv.Warehouse, views: list[bv.View]) -> None:
    totals, joined, big = views
    with shop.transaction() as tx:
        tx.drop_attribute("orders", "amount")
    assert totals.status == "invalid"
    assert "amount" in totals.reason
    assert "totals" in totals.reason
    assert (joined.status, big.status) == ("fresh", "invalid")
    with pytest.raises(bv.InvalidView, match="amount"):
        totals.refresh()
    assert "amount" in totals.explain()
    with shop.transaction() as tx:  # the table itself lives on, and so does the other view
        tx.insert("orders", {"id": 5, "customer": 8})
    shop.refresh()
    assert joined.verify().ok
    assert {r["city"]: r["n"] for r in joined.rows()} == {"Bern": 2, "Oslo": 2}
    with shop.transaction() as tx:
        tx.add_attribute("orders", "amount", "decimal(12,2)")
    assert totals.status == "stale"
    shop.refresh()
    assert [v.status for v in views] == ["fresh"] * 3
    assert totals.rows() == []
    with shop.transaction() as tx:
        tx.update("orders", {"amount": "id"})
    check(shop, views)
    assert {r["customer"]: str(r["total"]) for r in totals.rows()} == {7: "3.00", 8: "8.00", None: "4.00"}


def test_dropping_a_used_table_is_told_and_mended(shop: bv.Warehouse, views: list[bv.View]) -> None:
    totals, joined, big = views
    with shop.transaction() as tx:
        tx.drop_relation("customers")
    assert (totals.status, joined.status, big.status) == ("fresh", "invalid", "fresh")
    assert "customers" in joined.reason
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "7.00"))
    shop.refresh()
    assert totals.verify().ok
    shop.create_table("customers", "id bigint, city string", key="id")
    with shop.transaction() as tx:
        tx.insert("customers", [{"id": 7, "city": "Bern"}, {"id": 8, "city": "Rome"}])
    check(shop, views)
    assert {r["city"]: r["n"] for r in joined.rows()} == {"Bern": 2, "Rome": 2}


def test_a_column_that_nobody_uses_goes_quietly(shop: bv.Warehouse, views: list[bv.View]) -> None:
    with shop.transaction() as tx:
        tx.drop_attribute("orders", "note")
    assert [v.status for v in views] == ["fresh"] * 3
    with shop.transaction() as tx:
        tx.add_attribute("orders", "note", "bigint")  # the same name, another column: the old values do not come back
        tx.insert("orders", {"id": 5, "customer": 8, "amount": "1.00", "note": 5})
    assert {r["note"] for r in shop.query("select note from orders").rows()} == {None, 5}
    check(shop, views)


def test_names_that_change_places(shop: bv.Warehouse, views: list[bv.View]) -> None:
    """a ↔ b: a view follows the column that it meant, not the name."""
    view = shop.create_view("meant", "select id, customer from orders", mode=views[0].mode)
    before = bag(view.rows())
    with shop.transaction() as tx:
        tx.rename_attribute("orders", "customer", "tmp")
        tx.rename_attribute("orders", "id", "customer")
        tx.rename_attribute("orders", "tmp", "id")
    assert bag(view.rows()) == before
    with shop.transaction() as tx:
        tx.insert("orders", {"customer": 5, "id": 8})
    check(shop, [view])
    assert {"id": 5, "customer": 8} in view.rows()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tx: tx.rename_attribute("orders", "amount", "ID"), "has a column 'ID' already"),
        (lambda tx: tx.rename_attribute("orders", "amonut", "x"), "has no column 'amonut'; did you mean 'amount'"),
        (lambda tx: tx.add_attribute("orders", "amount", "int"), "has a column 'amount' already"),
        (lambda tx: tx.add_attribute("orders", "x", "integr"), "integr"),
        (lambda tx: tx.add_attribute("orders", "", "int"), "a column needs a name"),
        (lambda tx: tx.rename_attribute("orders", "note", "_w"), "'_w' is kept for the weight"),
        (lambda tx: tx.drop_attribute("orders", "id"), "'id' is part of the key of table 'orders'"),
        (lambda tx: tx.rename_relation("orders", "Customers"), "there is a table 'Customers' already"),
        (lambda tx: tx.rename_relation("orders", "totals"), "there is a view 'totals' already"),
        (lambda tx: tx.add_relation("orders", "x int"), "there is a table 'orders' already"),
        (lambda tx: tx.drop_relation("ordres"), "no table 'ordres'; did you mean 'orders'"),
        (lambda tx: tx.drop_relation("totals"), "'totals' is a view"),
    ],
)
def test_impossible_schema_changes(shop: bv.Warehouse, change: object, message: str) -> None:
    shop.create_view("totals", TOTALS)

    def both() -> None:
        with shop.transaction() as tx:
            tx.insert("orders", order(77, 7, "1.00"))
            change(tx)  # type: ignore[operator]

    with unchanged(shop), pytest.raises(bv.BelvedereError, match=message):
        both()


def test_a_schema_change_writes_no_rows(shop: bv.Warehouse) -> None:
    shop.create_view("totals", TOTALS)
    ids = pa.array(range(1000, 60_000), pa.int64())
    with shop.transaction() as tx:
        tx.insert("orders", pa.table({"id": ids}))
    shop.refresh()
    runs = {r[0] for r in shop.core.store.catalog.rows("SELECT path FROM bv_runs")}
    with shop.transaction() as tx:
        tx.rename_attribute("orders", "amount", "price")
        tx.add_attribute("orders", "channel", "string")
        tx.drop_attribute("orders", "note")
        tx.rename_relation("orders", "sales")
    assert {r[0] for r in shop.core.store.catalog.rows("SELECT path FROM bv_runs")} == runs
    assert shop.view("totals").status == "fresh"
