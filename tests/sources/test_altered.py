"""A source whose shape changes, and one that forgets its log: noticed, followed, and nothing is wrong afterwards."""

from __future__ import annotations

import pytest
from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import mirror, same

import belvedere as bv


@pytest.fixture
def followed(wh: bv.Warehouse, site: Site) -> Site:
    site.execute(
        f"create table t (id integer primary key, n integer, x {site.text})",
        "insert into t values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')",
    )
    wh.attach("s", site.url, mirror=True)
    wh.create_view("v", "select x, n from s.t where n > 10")
    return site


def drop_triggers(site: Site) -> None:
    """SQLite refuses to drop a column that a trigger names."""
    for name in site.objects() if site.system == "sqlite" else ():
        if name.count("_") == 4:
            site.execute(f"drop trigger {name}")


def test_a_column_more(wh: bv.Warehouse, followed: Site) -> None:
    followed.execute("alter table t add column y integer")
    followed.execute("update t set y = id * 2 where id < 3")
    [done] = wh.sync()
    assert (done.reshaped, done.error) == (("t",), "")
    same(wh, "s", followed, "t")
    assert wh.refresh()[0].strategy in ("none", "incremental")
    followed.execute("update t set y = 0 where id = 1")
    assert wh.sync()[0].rows == {"t": 2}
    same(wh, "s", followed, "t")


def test_a_column_renamed(wh: bv.Warehouse, followed: Site) -> None:
    followed.execute("alter table t rename column n to amount")
    if followed.system == "mariadb":
        wh.sync()  # its triggers name the column, and would fail whoever writes
    followed.execute("update t set amount = 11 where id = 1")
    wh.refresh()
    same(wh, "s", followed, "t")
    view = wh.view("v")
    assert (view.status, view.verify().ok) == ("fresh", True), "a view follows the new name"
    assert len(view.rows()) == 3


def test_a_column_less(wh: bv.Warehouse, followed: Site) -> None:
    drop_triggers(followed)
    followed.execute("alter table t drop column n")
    wh.sync()
    same(wh, "s", followed, "t")
    assert wh.view("v").status == "invalid"
    assert "n" in (wh.view("v").reason or "")


def test_another_column_in_its_place(wh: bv.Warehouse, followed: Site) -> None:
    """It has the same type, but not the same values: not a rename."""
    drop_triggers(followed)
    followed.execute("alter table t drop column x", f"alter table t add column z {followed.text} default 'new'")
    wh.sync()
    same(wh, "s", followed, "t")
    assert wh.view("v").status == "invalid"


def test_another_type(wh: bv.Warehouse, followed: Site) -> None:
    if followed.system == "sqlite":
        followed.execute(
            "create table new (id integer primary key, n double, x text)", "insert into new select * from t", "drop table t",
            "alter table new rename to t",
        )  # fmt: skip
    else:
        how = "modify n double" if followed.system == "mariadb" else "alter column n type double precision"
        followed.execute(f"alter table t {how}")
    wh.sync()
    assert str(wh.table_schema("s.t")["n"].type) == "double"
    assert sorted(wh.query("select id, n from s.t").rows(), key=repr) == [{"id": i, "n": i * 10.0} for i in (1, 2, 3)]
    wh.refresh()
    assert wh.view("v").verify().ok


def test_another_key(wh: bv.Warehouse, followed: Site) -> None:
    followed.execute("drop table t")
    followed.execute(
        "create table t (id integer, n integer, x char(3), primary key (id, n))",
        "insert into t values (1, 10, 'abc'), (1, 20, 'abd')",
    )
    wh.sync()
    assert len(mirror(wh, "s", "t")) == 2
    followed.execute("insert into t values (1, 30, 'xyz')")
    wh.refresh()
    assert wh.view("v").verify().ok
    assert len(mirror(wh, "s", "t")) == 3


def test_a_table_dropped_and_made_again(wh: bv.Warehouse, followed: Site) -> None:
    followed.execute("drop table t")
    [done] = wh.sync()
    assert (done.reshaped, wh.tables(), wh.view("v").status) == (("t",), [], "invalid")
    assert wh.sync()[0].error == ""
    followed.execute(
        f"create table t (id integer primary key, n integer, x {followed.text})", "insert into t values (7, 70, 'g')"
    )
    wh.refresh()
    same(wh, "s", followed, "t")
    assert wh.view("v").rows() == [{"x": "g", "n": 70}]
    followed.execute("insert into t values (8, 80, 'h')")
    wh.refresh()
    assert wh.view("v").verify().ok
    same(wh, "s", followed, "t")


def test_truncated(wh: bv.Warehouse, followed: Site) -> None:
    followed.execute("delete from t" if followed.system == "sqlite" else "truncate table t")
    followed.execute("insert into t values (4, 40, 'd'), (1, 10, 'a')")
    wh.refresh()
    same(wh, "s", followed, "t")
    assert wh.view("v").verify().ok


def test_a_log_that_is_emptied(wh: bv.Warehouse, make_site: MakeSite) -> None:
    for system in ("sqlite", "postgres", "mariadb"):
        site = make_site(system)
        site.execute("create table t (id integer primary key)", "insert into t values (1), (2)")
        wh.attach(system, site.url, mirror=True)
        site.execute("delete from t where id = 1", f"delete from {min(site.objects(), key=len)}")
        [done] = wh.sync(system)
        assert "emptied" in done.compared["t"]
        same(wh, system, site, "t")
        site.execute("insert into t values (5)")
        assert wh.sync(system)[0].compared == {}, "there is a new log"
        same(wh, system, site, "t")


def test_triggers_that_are_gone(wh: bv.Warehouse, make_site: MakeSite) -> None:
    for system in ("sqlite", "postgres", "mariadb"):
        site = make_site(system)
        site.execute("create table t (id integer primary key)", "insert into t values (1), (2)")
        wh.attach(system, site.url, mirror=True)
        if system == "postgres":
            site.execute("alter table t disable trigger user")
        else:
            name = next(n for n in site.objects() if n.endswith("_ad"))
            site.execute(f"drop trigger {name}")
        site.execute("delete from t where id = 1")
        assert "t" in wh.sync(system)[0].compared
        same(wh, system, site, "t")
        site.execute("delete from t where id = 2")
        assert wh.sync(system)[0].compared == {}
        same(wh, system, site, "t")


def test_a_partitioned_table_is_compared(wh: bv.Warehouse, make_site: MakeSite) -> None:
    for system in ("postgres", "mariadb"):
        site = make_site(system)
        if system == "postgres":
            site.execute(
                "create table t (id integer primary key) partition by range (id)",
                "create table t1 partition of t for values from (0) to (10)",
                "create table t2 partition of t for values from (10) to (20)",
            )  # fmt: skip
        else:
            site.execute(
                "create table t (id integer primary key) partition by range (id) "
                "(partition t1 values less than (10), partition t2 values less than (20))"
            )
        site.execute("insert into t values (1), (2), (11)")
        wh.attach(system, site.url, tables=["t"], mirror=True)
        site.execute("alter table t truncate partition t1" if system == "mariadb" else "truncate t1", "insert into t values (3)")
        wh.sync(system)
        same(wh, system, site, "t")
