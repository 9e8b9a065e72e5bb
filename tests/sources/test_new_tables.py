"""Tables that are made at a source after it was attached: mirrored with the next sync, unless it was told which to follow."""

from __future__ import annotations

import pytest
from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same

import belvedere as bv


@pytest.fixture
def first(site: Site) -> Site:
    site.execute("create table t (id integer primary key, n integer)", "insert into t values (1, 10)")
    return site


def make(site: Site, name: str, *rows: str) -> None:
    site.execute(f"create table {name} (id integer primary key, n integer)", *(f"insert into {name} values {r}" for r in rows))


def test_a_new_table_is_mirrored_and_followed(wh: bv.Warehouse, first: Site) -> None:
    wh.attach("s", first.url, mirror=True)
    make(first, "u", "(1, 5)", "(2, 6)")
    [done] = wh.sync()
    assert (done.reshaped, done.left_out, wh.tables()) == (("u",), {}, ["s.t", "s.u"])
    assert done.rows == {"t": 0, "u": 2} or done.rows == {"u": 2}
    same(wh, "s", first, "t", "u")
    first.execute("insert into u values (3, 7)", "delete from u where id = 1", "update t set n = 11")
    [again] = wh.sync()
    assert again.reshaped == ()
    same(wh, "s", first, "t", "u")
    assert wh.sources()[0].tables == ("t", "u")
    wh.detach("s")
    assert not [n for n in first.objects() if n.startswith("bv_log")]


def test_a_renamed_table_is_one_that_went_and_one_that_came(wh: bv.Warehouse, first: Site) -> None:
    wh.attach("s", first.url, mirror=True)
    first.execute("alter table t rename to t2")
    [done] = wh.sync()
    assert (set(done.reshaped), wh.tables()) == ({"t", "t2"}, ["s.t2"])
    same(wh, "s", first, "t2")


def test_only_the_tables_that_were_asked_for(wh: bv.Warehouse, first: Site) -> None:
    wh.attach("s", first.url, tables=["t"], mirror=True)
    make(first, "u", "(1, 5)")
    assert wh.sync()[0].reshaped == ()
    assert wh.tables() == ["s.t"]


def test_one_that_cannot_be_followed_holds_up_nobody(wh: bv.Warehouse, first: Site) -> None:
    wh.attach("s", first.url, mirror=True)
    first.execute("create table loose (n integer)", "insert into t values (2, 20)")
    [done] = wh.sync()
    assert list(done.left_out) == ["loose"]
    assert "has no primary key" in done.left_out["loose"]
    assert wh.tables() == ["s.t"]
    same(wh, "s", first, "t")
    first.execute("drop table loose")
    make(first, "loose", "(1, 5)")
    [done] = wh.sync()
    assert (done.left_out, wh.tables()) == ({}, ["s.loose", "s.t"])
    same(wh, "s", first, "loose", "t")


def test_a_name_that_is_taken_here(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    site.execute("create table t (id integer primary key, n integer)", "insert into t values (1, 10)")
    wh.attach("s", site.url, mirror=True)
    wh.create_view("s.u", "select n from s.t")
    make(site, "u", "(1, 5)")
    [done] = wh.sync()
    assert done.left_out == {"u": "there is a view 's.u' already; drop it first or choose another name"}
    wh.drop_view("s.u")
    assert wh.sync()[0].reshaped == ("u",)
    same(wh, "s", site, "t", "u")
