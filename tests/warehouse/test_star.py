"""`select *` follows columns that are added: by metadata where the old rows can only have NULL in them, else computed anew."""

from __future__ import annotations

import pytest
from pyiceberg.catalog import load_catalog
from tests.warehouse.helpers import bag, order, unchanged, watched

import belvedere as bv

#: views whose stored rows only get another column
PLAIN = {
    "star": "select * from orders",
    "qualified": "select o.*, c.city from orders o left join customers c on o.customer = c.id where o.amount > 1",
    "between": "select c.vip, o.*, c.city from orders o join customers c on o.customer = c.id",
    "subquery": "select *, amount * 2 as twice from (select * from orders where customer is not null) q",
    "cte": "with q as (select * from orders) select * from q where id in (select id from customers) or id < 3",
    "union_all": "select * from orders where id < 3 union all select * from orders where customer = 7",
    "semi": "select * from orders o where exists (select 1 from customers c where c.id = o.customer and c.vip)",
    "with_total": "select o.*, t.s from orders o join (select customer, sum(amount) s from orders group by customer) t "
    "on o.customer = t.customer",
    "exploded": "select *, explode(array(1, 2)) as e from orders",
}
#: views that group, number or choose by what is in the column
ANEW = {
    "distinct_": "select distinct * from orders",
    "numbered": "select *, row_number() over (partition by customer order by id) as r from orders",
    "top": "select * from orders order by id limit 2",
    "union_": "select * from orders union select * from orders",
}


@pytest.fixture(params=["immediate", "deferred"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def add_column(wh: bv.Warehouse, name: str = "channel", kind: str = "string") -> None:
    wh.execute(f"alter table orders add column {name} {kind}")


@pytest.mark.parametrize("name", PLAIN)
def test_an_added_column_is_metadata(shop: bv.Warehouse, name: str, mode: str) -> None:
    view = shop.create_view(name, PLAIN[name], mode=mode)
    rows, columns, since = view.rows(), view.columns, view.epoch
    with watched(shop) as cost:
        add_column(shop)
        assert view.status == "stale"
        assert "added channel" in view.explain()
        done = view.refresh()
    assert cost.statements == []
    assert (done.strategy, done.rows_read, done.rows_written) == ("incremental", 0, 0)
    assert done.reason == "added channel, which old rows do not have: metadata only"
    assert set(view.columns) == {*columns, "channel"}
    assert bag(view.rows()) == bag({**r, "channel": None} for r in rows)
    assert (view.status, view.verify().ok) == ("fresh", True)
    assert view.changes(since) == []
    assert bag(view.rows(epoch=since)) == bag(rows)  # as it was


@pytest.mark.parametrize("name", PLAIN)
def test_with_changes_it_stays_incremental(shop: bv.Warehouse, name: str, mode: str) -> None:
    view = shop.create_view(name, PLAIN[name], mode=mode)
    over = shop.create_view("over", f"select * from `{name}` where id <> 2", mode=mode)
    add_column(shop)
    with shop.transaction() as tx:
        tx.update("orders", {"channel": "'web'"}, where="id <= 2")
        tx.insert("orders", {"id": 5, "customer": 7, "amount": "3.00", "channel": "shop"})
        tx.delete("orders", key=3)
    if mode == "deferred":
        assert view.refresh("incremental").strategy == "incremental"
        assert over.refresh("incremental").strategy == "incremental"
    shop.refresh()
    for v in (view, over):
        assert (v.status, v.verify().ok) == ("fresh", True)
        assert "channel" in v.columns
        assert "recompute" not in {r["strategy"] for r in v.history()[1:]}
    assert {r["channel"] for r in view.rows() if r["id"] == 1} <= {"web"}
    with shop.transaction() as tx:  # and goes on
        tx.delete("orders", where="channel = 'web'")
    shop.refresh()
    assert view.verify().ok
    assert over.verify().ok


@pytest.mark.parametrize("name", ANEW)
def test_where_the_column_counts_it_is_computed_anew(shop: bv.Warehouse, name: str, mode: str) -> None:
    view = shop.create_view(name, ANEW[name], mode=mode)
    add_column(shop)
    assert "next refresh: recompute (its columns have changed with what it reads)" in view.explain()
    with unchanged(shop), pytest.raises(bv.NotIncremental, match="its columns have changed with what it reads"):
        view.refresh("incremental")
    done = view.refresh()
    assert (done.strategy, done.reason) == ("recompute", "its columns have changed with what it reads")
    assert "channel" in view.columns
    assert (view.status, view.verify().ok) == ("fresh", True)
    with shop.transaction() as tx:
        tx.update("orders", {"channel": "'web'"}, where="id = 1")
    shop.refresh()
    assert view.verify().ok
    assert view.history()[-1]["strategy"] == "incremental"


def test_several_columns_one_after_the_other(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select * from orders")
    with shop.transaction() as tx:
        tx.add_attribute("orders", "a", "array<struct<x: int>>")
        tx.add_attribute("orders", "b", "decimal(4,2)")
        tx.insert("orders", {"id": 5, "a": [{"x": 1}], "b": "0.50"})
    assert view.refresh().strategy == "incremental"
    add_column(shop, "c", "map<string, int>")
    assert view.refresh().reason.startswith("added c")
    assert view.columns == ("id", "customer", "amount", "note", "a", "b", "c")
    assert view.verify().ok
    assert next(r for r in view.rows() if r["id"] == 5)["a"] == [{"x": 1}]


def test_a_column_under_an_old_name_is_another_column(shop: bv.Warehouse) -> None:
    """What the old rows hold under that name is not what the column holds now, and must not be kept."""
    view = shop.create_view("v", "select * from orders")
    with shop.transaction() as tx:
        tx.drop_attribute("orders", "note")
        tx.add_attribute("orders", "note", "string")
        tx.add_attribute("orders", "extra", "string")
    done = view.refresh()
    assert done.strategy == "recompute"
    assert {r["note"] for r in view.rows()} == {None}
    assert view.verify().ok


def test_renamed_and_added(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select * from orders")
    with shop.transaction() as tx:
        tx.rename_attribute("orders", "amount", "price")
        tx.rename_relation("orders", "sales")
        tx.add_attribute("sales", "channel", "string")
        tx.insert("sales", {"id": 5, "price": "1.00", "channel": "web"})
    shop.refresh()
    assert (view.status, view.verify().ok) == ("fresh", True)
    assert {r["channel"] for r in view.rows()} == {None, "web"}
    assert len(view.rows()) == 5


def test_a_column_that_makes_names_clash(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select o.*, c.city from orders o join customers c on o.customer = c.id")
    add_column(shop, "city")
    assert view.status == "invalid"
    assert "two columns of the result are named 'city'" in view.reason


def test_a_named_list_does_not_follow(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select id, amount from orders")
    add_column(shop)
    assert view.status == "fresh"
    assert view.refresh().strategy == "none"


def test_published_views_get_the_column_too(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select * from orders")
    name = view.publish()
    add_column(shop)
    assert view.refresh().rows_read == 0
    published = load_catalog(**shop.core.store.catalog_properties()).load_table(name)
    assert bag(published.scan().to_arrow().to_pylist()) == bag(view.rows())
    with shop.transaction() as tx:
        tx.insert("orders", {**order(5, 8, "1.00"), "channel": "web"})
    view.refresh()
    published.refresh()
    assert bag(published.scan().to_arrow().to_pylist()) == bag(view.rows())
    assert {r["channel"] for r in view.rows()} == {None, "web"}
