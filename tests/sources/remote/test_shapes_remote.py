"""What is asked of databases and what stays here, and what happens when their tables change shape or do not answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.servers.sites import Site, SQLiteSite
from tests.sources.conftest import MakeSite
from tests.sources.remote.shops import JOIN, TOTALS, attach, entries, joined, rows

import belvedere as bv
from belvedere.sources.postgres.connection import Connection
from belvedere.warehouse.sources.learned import learned

QUICK = "?connect_timeout=1&retries=0"


def test_everything_else_is_done_here(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    wh.create_table("local", "city string, land string", key="city")
    wh.load("local", [{"city": "Ulm", "land": "BW"}])
    views = {
        "outer_join": "select o.id, c.city from sales.orders o left join crm.customers c on c.name = o.customer",
        "with_local": "select o.id, l.land from sales.orders o, local l, crm.customers c "
        "where c.name = o.customer and l.city = c.city",
        "missing": "select id from sales.orders o where not exists (select 1 from crm.customers c where c.name = o.customer)",
        "failing": "select 100 / amount q, upper(city) u from sales.orders o join crm.customers c on c.name = o.customer "
        "where amount > 0",
        "crossed": "select o.id, c.name from sales.orders o cross join crm.customers c",
        "twice": "select a.id x, b.id y from sales.orders a join sales.orders b on a.customer = b.customer and a.id < b.id",
        "ranked": "select customer, row_number() over (partition by customer order by amount, id) k from sales.orders",
        "united": "select customer n from sales.orders union select name n from crm.customers",
        "over": "select land, count(*) n from with_local group by land",
        "constant": "select count(*) n from sales.orders where 1 = 0",
    }
    for name, text in views.items():
        wh.create_view(name, text)
    for statements in (
        ["insert into orders values (6, 'bob', 1), (7, 'ann', 2)", "delete from orders where id = 1"],
        ["update orders set customer = 'bob' where customer is null", "update orders set amount = 3 where id = 6"],
        ["delete from orders where customer = 'ann'"],
    ):
        sales.execute(*statements)
        crm.execute("update customers set city = 'Ulm' where name = 'bob'", "delete from customers where name = 'zoe'",
                    "insert into customers values ('zoe', 'Ulm')")  # fmt: skip
        wh.refresh()
        for name in views:
            assert wh.view(name).verify().ok, name
    assert rows(wh.view("over")) == [("BW", 3)]
    assert rows(wh.view("missing")) == [(5,)]
    assert len(wh.view("crossed").rows()) == 4 * 3
    assert rows(wh.view("constant")) == [(0,)]


def test_numbers_of_other_sizes_are_asked_for(wh: bv.Warehouse, make_site: MakeSite) -> None:
    left, right = make_site("sqlite"), make_site("postgres")
    left.execute("create table a (id integer primary key, k integer)")
    left.execute("insert into a values (1, 10), (2, 20)")
    right.execute("create table b (id integer primary key, k smallint, d numeric(9,2))")
    right.execute("insert into b select i, i, i from generate_series(1, 500) i")
    wh.attach("l", left.url)
    wh.attach("r", right.url)
    v = wh.create_view("v", "select a.id, b.d from l.a a join r.b b on a.k = b.k where b.d < 100")
    left.execute("insert into a values (3, 30)")
    [asking] = v.refresh(strategy="batch").asked
    assert asking.queries == {"r": 1}
    assert v.explain("dict")["remote"][0]["measured"][0]["rows_out"] == 1, "the source found it, not we"
    assert [r[0] for r in rows(v)] == [1, 2, 3]


def test_a_decimal_is_no_double_to_anybody(wh: bv.Warehouse, make_site: MakeSite) -> None:
    """Two to the power of 53 and one is the first whole number that no double is."""
    whole, exact = make_site("sqlite"), make_site("postgres")
    whole.execute("create table a (id integer primary key, k bigint)")
    whole.execute("insert into a values (1, 9007199254740992), (2, 9007199254740993), (3, 9007199254740994)")
    exact.execute("create table b (id bigint primary key, d numeric(20,2))")
    wh.attach("w", whole.url)
    wh.attach("e", exact.url)
    v = wh.create_view("v", "select a.id x, b.id y from w.a a join e.b b on a.k = b.d")
    exact.execute("insert into b values (1, 9007199254740993.00), (2, 9007199254740992.50), (3, 9007199254740994)")
    v.refresh(strategy="batch")
    assert rows(v) == [(2, 1), (3, 3)]
    whole.execute("insert into a values (4, 9007199254740993)")
    v.refresh(strategy="batch")
    assert rows(v) == [(2, 1), (3, 3), (4, 1)]
    assert v.verify().ok


@pytest.mark.parametrize("system", ["sqlite", "postgres", "mariadb"])
def test_rows_that_do_not_count_stay_where_they_are(wh: bv.Warehouse, make_site: MakeSite, system: str) -> None:
    site = make_site(system)
    site.execute("create table a (id integer primary key, k bigint)")
    site.execute(*(f"insert into a values ({i}, {i % 10})" for i in range(100)))
    wh.attach("s", site.url)
    v = wh.create_view("v", "select id from s.a where k = 3 and id > 50 and id + k < 90")
    assert [r[0] for r in rows(v)] == [53, 63, 73, 83]
    assert (
        v.explain("dict")["remote"][0]["columns"],
        [a.rows_out for a in learned(wh.core.store, "v$remote1", wh.epoch).asked],  # type: ignore[union-attr]
    ) == (["id", "k"], [5])
    site.execute("update a set k = 3 where id = 60", "update a set k = 4 where id = 63", "update a set k = 3 where id = 1")
    assert v.refresh().rows_in == 2
    assert [r[0] for r in rows(v)] == [53, 60, 73, 83]
    assert v.verify().ok


@pytest.mark.parametrize("system", ["sqlite", "postgres", "mariadb"])
def test_columns_come_and_go(wh: bv.Warehouse, make_site: MakeSite, system: str) -> None:
    sales, crm = make_site(system), make_site("sqlite")
    attach(wh, sales, crm)
    star = wh.create_view("star", "select * from sales.orders o join crm.customers c on c.name = o.customer")
    narrow = wh.create_view("narrow", JOIN)
    sales.execute("alter table orders add column note integer default 3")
    sales.execute("insert into orders values (6, 'bob', 1, 4)")
    reports = {r.view: r for r in wh.refresh()}
    assert "note" in star.columns
    assert sorted(r["note"] for r in star.rows()) == [3, 3, 3, 4]
    assert reports["narrow"].strategy == "recompute", "its log was lost with the old shape, and that is said"
    assert rows(narrow) == joined(sales, crm)
    _drop_column(sales, "orders", "amount")
    reports = {r.view: r for r in wh.refresh()}
    assert narrow.status == "invalid"
    assert "amount" in narrow.reason
    assert reports["narrow"].held
    assert star.verify().ok
    sales.execute("insert into orders (id, customer) values (7, 'ann')")
    wh.refresh("star")
    assert entries(sales) == 0, "a view that became invalid holds nothing back"
    sales.execute("alter table orders add column amount integer")
    sales.execute("update orders set amount = 8")
    wh.refresh()
    assert narrow.status == "fresh"
    assert rows(narrow) == joined(sales, crm)


def _drop_column(site: Site, table: str, column: str) -> None:
    if site.system == "sqlite":
        for name in site.objects():
            if name.endswith(("_ai", "_au", "_ad", "_bi", "_bu")):
                site.execute(f"drop trigger {name}")
    site.execute(f"alter table {table} drop column {column}")


def test_a_rename_in_postgres_is_followed(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("postgres"), make_site("sqlite")
    attach(wh, sales, crm)
    v = wh.create_view("v", JOIN)
    sales.execute("alter table orders rename column customer to buyer", "insert into orders values (6, 'bob', 1)")
    wh.refresh()
    assert [r[0] for r in rows(v)] == [1, 2, 3, 6]
    sales.execute("insert into orders values (8, 'bob', 1)")
    assert v.refresh(strategy="incremental").strategy == "incremental"  # what is cheaper depends on how busy the machine is
    assert [r[0] for r in rows(v)] == [1, 2, 3, 6, 8]


def test_a_table_that_goes_and_comes_back(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    v = wh.create_view("v", JOIN)
    crm.execute("drop table customers")
    [report] = wh.refresh()
    assert report.held
    assert v.status == "invalid"
    with pytest.raises(bv.BelvedereError, match="read by v"):
        wh.detach("crm")
    crm.execute("create table customers (name text primary key, city text)", "insert into customers values ('bob', 'Rom')")
    wh.refresh()
    assert v.status == "fresh"
    assert rows(v) == joined(sales, crm) == [(2, "Rom", 20)]


def test_a_source_that_is_gone(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    assert isinstance(crm, SQLiteSite)
    attach(wh, sales, crm, QUICK)
    v, over = wh.create_view("v", TOTALS), wh.create_view("over", "select sum(total) t from v")
    other = wh.create_view("other", "select count(*) n from sales.orders")
    os.rename(crm.path, crm.path + ".away")
    sales.execute("insert into orders values (6, 'bob', 1)")
    reports = {r.view: r for r in wh.refresh()}
    assert rows(other) == [(6,)]
    for name in ("v", "over"):
        assert reports[name].held
        assert "source 'crm'" in reports[name].reason
    assert entries(sales) == 1, "v has not read it"
    with pytest.raises(bv.SourceUnavailable, match="source 'crm'"):
        v.refresh()
    with pytest.raises(bv.SourceUnavailable, match="source 'crm'"):
        v.verify()
    with pytest.raises(bv.SourceUnavailable, match="source 'crm'"):
        wh.create_view("w", TOTALS)
    assert {s.source: bool(s.error) for s in wh.sync()}["crm"]
    os.rename(crm.path + ".away", crm.path)
    wh.refresh()
    assert rows(v) == [("Bonn", 21, 2), ("Ulm", 15, 2)]
    assert rows(over) == [(36,)]
    assert entries(sales) == 0


@pytest.mark.parametrize("moment", ["pg_visible_in_snapshot", "bv_keys"])
def test_connections_that_are_cut(wh: bv.Warehouse, make_site: MakeSite, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sales, crm = make_site("postgres"), make_site("sqlite")
    attach(wh, sales, crm)
    v = wh.create_view("v", JOIN)
    crm.execute("insert into customers values ('eve', 'Ulm')")
    sales.execute("insert into orders values (6, 'eve', 1)")
    original, cut = Connection.rows, 0

    def cutting(self: Connection, sql: str, values: object = None) -> list[tuple[object, ...]]:
        nonlocal cut
        if moment in sql and not cut:
            cut += 1
            with psycopg.connect(sales.url, autocommit=True) as other:
                other.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'belvedere'")
        return original(self, sql, values)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "rows", cutting)
    with pytest.raises(bv.SourceUnavailable, match="source 'sales'"):
        v.refresh(strategy="batch")
    assert cut == 1
    assert entries(crm) == 1, "nothing is forgotten that is not here"
    v.refresh(strategy="batch")
    assert rows(v) == joined(sales, crm)
    assert v.verify().ok


def test_what_is_elsewhere_is_changed_elsewhere(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    with pytest.raises(bv.BelvedereError, match=r"follows a table of the source 'sales'.*change it there"):
        wh.execute("insert into sales.orders values (9, 'x', 1)")
    with pytest.raises(bv.UnknownName, match=r"not kept here.*make a view of them"):
        wh.query("select * from sales.orders")
    wh.create_view("v", JOIN)
    assert len(wh.query("select * from v").rows()) == 3


@pytest.mark.spark
def test_on_spark(tmp_path: Path, spark: Any, make_site: MakeSite) -> None:
    """What stands on a remote join is maintained by whichever engine; the view is the same."""
    sales, crm = make_site("sqlite"), make_site("sqlite")
    with bv.open(tmp_path / "on_spark", engine="spark", spark=spark) as wh:
        attach(wh, sales, crm)
        v, plain = wh.create_view("v", TOTALS), wh.create_view("plain", JOIN)
        sales.execute("insert into orders values (6, 'bob', 1), (7, 'eve', 3)", "delete from orders where id = 1")
        crm.execute("insert into customers values ('eve', 'Ulm')")
        report = v.refresh(strategy="batch")
        assert (report.engine, report.strategy) == ("spark", "incremental")
        plain.refresh(strategy="incremental")
        assert rows(plain) == joined(sales, crm)
        assert rows(v) == [("Bonn", 21, 2), ("Ulm", 15, 3)]
        assert v.verify().ok
        sales.execute("delete from orders")
        v.refresh(strategy="recompute")
        assert rows(v) == []
