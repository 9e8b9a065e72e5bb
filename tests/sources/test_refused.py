"""What cannot be attached, and what cannot be done with what is: errors that say what, where and what to do."""

from __future__ import annotations

import pytest
from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import shop

import belvedere as bv


def test_a_table_without_a_key(wh: bv.Warehouse, site: Site) -> None:
    shop(site)
    site.execute("create table loose (x integer)")
    with pytest.raises(bv.BelvedereError, match=r"'loose' has no primary key.*give it one.*leave it out"):
        wh.attach("s", site.url, mirror=True)
    assert (wh.sources(), wh.tables(), site.objects()) == ([], [], [])
    wh.attach("s", site.url, tables=["orders"], mirror=True)


@pytest.mark.parametrize(
    ("system", "kind"),
    [("sqlite", ""), ("sqlite", "money"), ("postgres", "numeric"), ("postgres", "interval"), ("postgres", "numeric(40,2)"),
     ("mariadb", "time"), ("mariadb", "decimal(50,2)"), ("duckdb", "hugeint"), ("duckdb", "time")],
)  # fmt: skip
def test_a_type_without_a_counterpart(wh: bv.Warehouse, make_site: MakeSite, system: str, kind: str) -> None:
    site = make_site(system)
    site.execute(f"create table t (id integer primary key, odd {kind})")
    with pytest.raises(bv.TypeMismatch, match=r"source 's': column 'odd' of table 't' is .* no counterpart"):
        wh.attach("s", site.url, mirror=True)
    assert site.objects() == []


def test_names(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    shop(site)
    for bad in ("", "a.b", "a b", "$x", "1a"):
        with pytest.raises(bv.BelvedereError, match="cannot be the name of a source"):
            wh.attach(bad, site.url)
    with pytest.raises(bv.UnknownName, match=r"source 's' has no table 'ordres'; did you mean 'orders'\?"):
        wh.attach("s", site.url, tables=["ordres"])
    wh.create_table("s.orders", "x int")
    with pytest.raises(bv.BelvedereError, match=r"a table 's.orders' already"):
        wh.attach("s", site.url, mirror=True)
    wh.drop_table("s.orders")
    wh.attach("s", site.url, mirror=True)
    with pytest.raises(bv.BelvedereError, match="is attached already"):
        wh.attach("S", site.url)
    with pytest.raises(bv.UnknownName, match="there is no source 'x'; known: s"):
        wh.detach("x")
    with pytest.raises(bv.UnknownName, match="there is no source 'x'"):
        wh.sync("x")


def test_a_mirror_changes_at_its_source_only(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    shop(site)
    wh.attach("s", site.url, mirror=True)
    for statement in ("insert into s.orders values (9, 'x', 1)", "delete from s.orders", "update s.orders set amount = 0",
                      "drop table s.orders", "alter table s.orders add column z int", "truncate table s.orders"):  # fmt: skip
        with pytest.raises(bv.BelvedereError, match=r"follows a table of the source 's'.*change it there"):
            wh.execute(statement)
    with pytest.raises(bv.BelvedereError, match="follows a table of the source 's'"):
        wh.load("s.orders", [{"id": 9}])


def test_a_source_that_views_read_stays(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    shop(site)
    wh.attach("s", site.url, mirror=True)
    wh.create_view("a", "select count(*) n from s.orders")
    wh.create_view("b", "select n + 1 m from a")
    with pytest.raises(bv.BelvedereError, match="read by a, b; drop those views first"):
        wh.detach("s")
    assert wh.sources()


def test_a_null_in_a_key_of_sqlite(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site, other = make_site("sqlite"), make_site("sqlite")
    for each in (site, other):
        each.execute("create table t (k text primary key, n int)", "insert into t values ('a', 1)")
    wh.attach("s", site.url, mirror=True)
    wh.attach("o", other.url, mirror=True)
    site.execute("insert into t values (NULL, 2)")
    other.execute("insert into t values ('b', 2)")
    with pytest.raises(bv.KeyViolation, match="key column 'k' of table 't' is NULL"):
        wh.sync("s")
    assert {d.source: bool(d.error) for d in wh.sync()} == {"s": True, "o": False}, "others go on"
    assert len(wh.query("select * from o.t").rows()) == 2
    site.execute("delete from t where k is null")
    assert wh.sync("s")[0].error == ""


def test_a_value_that_does_not_fit_its_column(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    site.execute("create table t (id integer primary key, n int)", "insert into t values (1, 1)")
    wh.attach("s", site.url, mirror=True)
    site.execute("insert into t values (2, 'abc')")
    with pytest.raises(bv.TypeMismatch, match=r"source s, t.*n"):
        wh.sync("s")
    site.execute("update t set n = 5 where id = 2")
    wh.sync("s")
    assert wh.query("select n from s.t where id = 2").rows() == [{"n": 5}]


def test_what_is_not_kept_here_is_no_empty_database(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    shop(site)
    wh.attach("s", site.url)
    for text, language in (
        ("select * from s.orders", "sql"), ("select T.id from s::orders T", "schemasql"), ("select R from s-> R", "schemasql"),
        ("select R, A from S-> R, S::R-> A", "schemasql"), ("select * from S.nowhere", "sql"),
    ):  # fmt: skip
        with pytest.raises(bv.UnknownName, match=r"the source 's' are not kept here.*attach it with mirror=True"):
            wh.query(text, language=language)
        if (text, language) != ("select * from s.orders", "sql"):
            with pytest.raises(bv.UnknownName, match="mirror=True"):
                wh.create_view("v", text, language=language)
    assert wh.views() == []
    assert len(wh.create_view("v", "select * from s.orders").rows()) == 4, "a view in SQL asks for them"
