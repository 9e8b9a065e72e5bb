"""Mirrors follow: whatever happens at the source, after a sync they hold the same rows, and views of them are right."""

from __future__ import annotations

import random
import sqlite3
from contextlib import suppress

import pytest
from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import mirror, same, shop

import belvedere as bv

TOTALS = (
    "select c.city, sum(o.amount) total, count(*) n from s.orders o join s.customers c on c.name = o.customer group by c.city"
)


def test_a_source_from_beginning_to_end(wh: bv.Warehouse, site: Site) -> None:
    shop(site)
    assert wh.attach("s", site.url, mirror=True) == {"s.customers": 2, "s.orders": 4}
    [info] = wh.sources()
    assert (info.name, info.state, info.mirror, set(info.tables)) == ("s", "attached", True, {"orders", "customers"})
    same(wh, "s", site, "orders", "customers")
    totals = wh.create_view("totals", TOTALS)
    count = wh.create_view("count", "select count(*) n from s.orders", mode="immediate")

    site.execute(
        "update orders set amount = 7 where id = 1", "delete from orders where id = 2", "insert into orders values (9, 'bob', 1)"
    )
    before = wh.epoch
    reports = wh.refresh()
    assert {r.view: r.strategy for r in reports}["totals"] == "incremental"
    assert wh.epoch == before + 1, "the changes and the views are one epoch"
    same(wh, "s", site, "orders", "customers")
    assert totals.verify().ok
    assert count.rows() == [{"n": 4}]

    wh.drop_view("totals")
    wh.drop_view("count")
    wh.detach("s")
    assert (wh.tables(), wh.sources(), site.objects()) == ([], [], [])
    site.execute("insert into orders values (10, 'bob', 1)")


def test_what_has_not_changed_costs_no_epoch(wh: bv.Warehouse, site: Site) -> None:
    shop(site)
    site.settle()
    wh.attach("s", site.url, mirror=True)
    before = wh.epoch
    [done] = wh.sync()
    assert (done.total, done.compared, done.error) == (0, {}, "")
    site.execute("update orders set amount = amount where id = 1")
    wh.sync()
    assert wh.epoch == before
    same(wh, "s", site, "orders", "customers")


def test_an_immediate_view_follows_in_the_epoch_of_the_sync(wh: bv.Warehouse, site: Site) -> None:
    shop(site)
    wh.attach("s", site.url, mirror=True)
    view = wh.create_view("v", TOTALS, mode="immediate")
    lazy = wh.create_view("l", "select count(*) n from s.orders", mode="lazy")
    site.execute("insert into orders values (5, 'ann', 100)")
    [done] = wh.sync("s")
    assert done.rows["orders"] == 1
    assert (view.status, view.verify().ok, view.epoch) == ("fresh", True, done.epoch)
    assert lazy.rows() == [{"n": 5}]


def test_only_named_tables(wh: bv.Warehouse, site: Site) -> None:
    shop(site)
    wh.attach("s", site.url, tables=["ORDERS"], mirror=True)
    assert wh.tables() == ["s.orders"]
    site.execute("insert into customers values ('eve', 'Rom')", "insert into orders values (5, 'eve', 1)")
    wh.sync()
    same(wh, "s", site, "orders")


def test_two_warehouses_follow_one_source(wh: bv.Warehouse, site: Site, tmp_path: object) -> None:
    shop(site)
    with bv.open(f"{tmp_path}/other", engine="duckdb") as other:
        wh.attach("s", site.url, mirror=True)
        other.attach("x", site.url, mirror=True)
        for number in range(10, 14):
            site.execute(f"insert into orders values ({number}, 'ann', 1)")
            wh.sync()
        other.sync()
        same(other, "x", site, "orders")
        other.detach("x")
        site.execute("delete from orders where id = 1")
        wh.sync()
        same(wh, "s", site, "orders")


def test_a_first_load_comes_in_batches(wh: bv.Warehouse, site: Site) -> None:
    site.execute(f"create table t (id integer primary key, x {site.text})")
    for start in range(0, 1000, 250):
        site.execute("insert into t values " + ", ".join(f"({i}, 'row {i}')" for i in range(start, start + 250)))
    seen: list[tuple[str, int]] = []
    rows = wh.attach("s", site.with_option("batch=300"), mirror=True, progress=lambda table, done, _: seen.append((table, done)))
    assert rows == {"s.t": 1000}
    assert seen[-1] == ("s.t", 1000)
    assert len(seen) >= (1 if site.system == "duckdb" else 4)
    same(wh, "s", site, "t")


def statement(site: Site, rng: random.Random, ids: list[int]) -> str:
    number, word = rng.choice(ids), rng.choice(("ann", "bob", "", "O''Hara", "naïve ☃", "%s"))
    match rng.randrange(6):
        case 0 | 1:
            one = f"select {number} i, '{word}' x, {rng.randrange(5)} n"
            return f"insert into t select * from ({one}) as o where not exists (select 1 from t where id = {number})"
        case 2:
            return f"delete from t where id = {number}"
        case 3:
            return f"update t set x = '{word}', n = NULL where id >= {number}"
        case 4:
            return f"update t set n = {rng.randrange(5)} where id = {number}"
        case _:
            return f"delete from t where x = '{word}'"


@pytest.mark.parametrize("seed", range(3))
def test_random_changes(wh: bv.Warehouse, site: Site, seed: int) -> None:
    rng = random.Random(seed)
    site.execute(f"create table t (id integer primary key, x {site.text}, n integer)")
    wh.attach("s", site.url, mirror=True)
    view = wh.create_view("v", "select x, count(*) n, sum(n) s, min(id) i from s.t group by x")
    for _ in range(6):
        for _ in range(rng.randrange(4)):
            site.execute(*(statement(site, rng, list(range(12))) for _ in range(rng.randrange(1, 6))))
        wh.refresh()
        same(wh, "s", site, "t")
        assert view.verify().ok


def test_replace_in_sqlite(wh: bv.Warehouse, make_site: MakeSite) -> None:
    """SQLite tells no trigger of the rows that REPLACE takes away, by whatever unique key."""
    site = make_site("sqlite")
    site.execute("create table t (id integer primary key, a text unique, b int, c text collate nocase, unique (b, c))")
    wh.attach("s", site.url, mirror=True)
    rng = random.Random(7)
    for _ in range(25):
        for _ in range(rng.randrange(1, 8)):
            how = rng.choice(("insert or replace", "insert or ignore", "replace"))
            word = rng.choice(("NULL", "'x'", "'y'", "'z'"))
            row = f"({rng.randrange(6)}, {word}, {rng.randrange(3)}, '{rng.choice('pPq')}')"
            site.execute(f"{how} into t values {row}")
            site.execute(f"update or replace t set a = 'x', b = {rng.randrange(3)} where id = {rng.randrange(6)}")
            if rng.random() < 0.2:
                site.execute("pragma recursive_triggers = on", f"replace into t values {row}")
            if rng.random() < 0.2:
                site.execute(f"delete from t where id = {rng.randrange(6)}")
            if rng.random() < 0.2:
                with suppress(sqlite3.IntegrityError):
                    site.execute(f"insert into t values {row} on conflict do update set b = 9 - b where b < 9")
        [done] = wh.sync()
        assert (done.compared, done.error) == ({}, "")
        same(wh, "s", site, "t")


def test_what_triggers_miss_is_compared(wh: bv.Warehouse, make_site: MakeSite) -> None:
    """Rows that a foreign key cascades to change without a trigger in MariaDB; elsewhere the log has them."""
    for system in ("sqlite", "postgres", "mariadb"):
        site = make_site(system)
        site.execute(
            "create table parent (id integer primary key)",
            "create table child (id integer primary key, parent integer, "
            "foreign key (parent) references parent (id) on delete cascade)",
            "insert into parent values (1), (2)",
            "insert into child values (1, 1), (2, 2), (3, 2)",
        )
        wh.attach(system, site.url, mirror=True)
        if system == "sqlite":
            c = site.begin()
            c.execute("commit")
            c.execute("pragma foreign_keys = on")
            c.execute("delete from parent where id = 2")
            c.close()
        else:
            site.execute("delete from parent where id = 2")
        [done] = wh.sync(system)
        assert set(done.compared) == ({"child"} if system == "mariadb" else set())
        assert mirror(wh, system, "child") == [(1, 1)]
