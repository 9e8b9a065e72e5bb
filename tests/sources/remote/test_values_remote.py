"""Values that one system has and another has not, or compares in its own way: joined across systems as they are joined here."""

from __future__ import annotations

import pytest
from tests.sources.conftest import MakeSite
from tests.sources.remote.shops import rows

import belvedere as bv


def test_letters_that_a_column_cannot_hold(wh: bv.Warehouse, make_site: MakeSite) -> None:
    wide, narrow = make_site("postgres"), make_site("mariadb")
    wide.execute("create table t (id integer primary key, s text)", "insert into t values (1, 'x')")
    narrow.execute("create table u (id integer primary key, s varchar(20) character set latin1)")
    narrow.execute("insert into u values (1, 'x'), (2, 'é')")
    wh.attach("a", wide.url)
    wh.attach("b", narrow.url)
    v = wh.create_view("v", "select t.id i, u.id j from a.t t join b.u u on t.s = u.s")
    wide.execute("insert into t values (2, 'é'), (3, '😀'), (4, 'ż'), (5, '?'), (6, 'X'), (7, 'x ')")
    narrow.execute("insert into u values (3, '?')")
    v.refresh(strategy="batch")
    assert rows(v) == [(1, 1), (2, 2), (5, 3)]


@pytest.mark.parametrize("system", ["postgres", "mariadb", "sqlite"])
def test_a_nul_in_a_text(wh: bv.Warehouse, make_site: MakeSite, system: str) -> None:
    site, other = make_site("sqlite"), make_site(system)
    site.execute("create table t (id integer primary key, s text)", "insert into t values (1, 'x')")
    other.execute(f"create table u (id integer primary key, s {other.text})", "insert into u values (1, 'x')")
    wh.attach("a", site.url)
    wh.attach("b", other.url)
    v = wh.create_view("v", "select t.id i, u.id j from a.t t join b.u u on t.s = u.s")
    less = wh.create_view("less", "select t.id i, u.id j from a.t t join b.u u on t.id = u.id and t.s >= u.s")
    site.execute("insert into t values (2, 'x' || char(0) || 'y'), (3, 'x')", "update t set s = 'x' || char(0) where id = 1")
    v.refresh(strategy="batch")
    less.refresh(strategy="batch")
    assert (rows(v), rows(less)) == ([(3, 1)], [(1, 1)])
    assert v.verify().ok
    assert less.verify().ok


@pytest.mark.parametrize("system", ["postgres", "mariadb", "sqlite"])
def test_numbers_that_are_none(wh: bv.Warehouse, make_site: MakeSite, system: str) -> None:
    """NaN is equal to itself and larger than all numbers, wherever the rows are."""
    site, other = make_site("postgres"), make_site(system)
    site.execute("create table t (id integer primary key, f double precision)")
    other.execute("create table u (id integer primary key, f double precision)")
    wh.attach("a", site.url)
    wh.attach("b", other.url)
    views = [
        wh.create_view(f"v{i}", f"select t.id i, u.id j from a.t t join b.u u on t.f {op} u.f")
        for i, op in enumerate(("=", "<=>", ">", "<"))
    ]
    other.execute("insert into u values (1, 1.5), (2, NULL), (3, -0.0)")
    site.execute("insert into t values (1, 'NaN'), (2, 'Infinity'), (3, 0.0), (4, NULL), (5, 1.5)")
    if system == "postgres":
        other.execute("insert into u values (4, 'NaN')")
    for v in views:
        v.refresh(strategy="batch")
        assert v.verify().ok, v.name
    nan = [(1, 4)] if system == "postgres" else []
    assert rows(views[0]) == sorted([*nan, (3, 3), (5, 1)])
    assert rows(views[1]) == sorted([*nan, (3, 3), (4, 2), (5, 1)])
    assert {r for r in rows(views[2]) if r[0] == 1} == {(1, 1), (1, 3)}


def test_times_and_bytes(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site, other = make_site("postgres"), make_site("mariadb")
    site.execute("create table t (id integer primary key, d date, ts timestamp, r real, b bytea, n numeric(12,3))")
    other.execute("create table u (id integer primary key, d date, ts datetime(6), r float, b varbinary(10), n decimal(10,2))")
    wh.attach("a", site.url)
    wh.attach("b", other.url)
    join = "select t.id i, u.id j from a.t t join b.u u on"
    views = [wh.create_view(f"v_{c}", f"{join} t.{c} = u.{c}") for c in ("d", "ts", "r", "b", "n")]
    views.append(wh.create_view("v_less", f"{join} t.n <= u.n and t.d < u.d"))
    site.execute(
        "insert into t values (1, '2024-01-01', '2024-01-01 10:00:00.123456', 0.1, decode('0001', 'hex'), 1.10), "
        "(2, '1900-01-01', '2024-01-01 10:00:00', 1, decode('ff', 'hex'), 1.101), (3, null, null, 0, null, null)"
    )
    other.execute(
        "insert into u values (1, '2024-01-01', '2024-01-01 10:00:00.123456', 0.1, x'0001', 1.10), "
        "(2, '2024-01-02', null, 1, null, 5), (3, null, null, 0, null, null)"
    )
    for strategy in ("batch", "grouping"):
        for v in views:
            v.refresh(strategy=strategy)
            assert v.verify().ok, v.name
        if strategy == "batch":
            assert [rows(v) for v in views[:2]] == [[(1, 1)], [(1, 1)]]
            assert rows(views[2]) == [(1, 1), (2, 2), (3, 3)]
            assert [rows(v) for v in views[3:]] == [[(1, 1)], [(1, 1)], [(1, 2), (2, 2)]]
        site.execute("delete from t where id = 1")
        other.execute("update u set n = 1.10, d = '2000-01-01' where id = 2")


@pytest.mark.parametrize("system", ["postgres", "mariadb"])
def test_more_rows_than_a_statement_lists(wh: bv.Warehouse, make_site: MakeSite, system: str) -> None:
    site, other = make_site("sqlite"), make_site(system)
    site.execute("create table t (id integer primary key, k bigint)", "insert into t values (1, 1)")
    other.execute("create table u (id integer primary key, k bigint)", "insert into u values (1, 1)")
    wh.attach("a", site.url)
    wh.attach("b", other.url)
    v = wh.create_view("v", "select t.id i, u.id j from a.t t join b.u u on t.k = u.k")
    numbers = "with recursive c(x) as (select 2 union all select x + 1 from c where x < 6000) select x, x % 7 from c"
    site.execute(f"insert into t {numbers}")
    other.execute("insert into u values (2, 3), (3, NULL)")
    report = v.refresh(strategy="grouping")
    assert report.asked[0].rows_in == 6001
    assert len(v.rows()) == 2 * 857 + 1
    assert v.verify().ok
