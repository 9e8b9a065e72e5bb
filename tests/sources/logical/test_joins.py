"""Joins without a mirror over decoded logs: a slot is advanced to where all of them have read, and not further."""

from __future__ import annotations

import pytest
from tests.servers.sites import LogicalSite
from tests.sources.conftest import MakeSite
from tests.sources.remote.shops import rows

import belvedere as bv
from belvedere.sources import source

AT = "select confirmed_flush_lsn from pg_replication_slots where database = current_database()"


@pytest.fixture
def site(wh: bv.Warehouse, make_site: MakeSite) -> LogicalSite:
    found = make_site("logical")
    assert isinstance(found, LogicalSite)
    for table in "abc":
        found.execute(f"create table {table} (id integer primary key, n integer)", f"insert into {table} values (1, 1), (2, 2)")
    wh.attach("s", found.url)
    return found


def test_the_slowest_reader_holds_the_slot(wh: bv.Warehouse, site: LogicalSite) -> None:
    ab = wh.create_view("ab", "select a.id i, b.n n from s.a a join s.b b on a.n = b.n")
    b = wh.create_view("b", "select id, n from s.b")
    site.execute("insert into b values (3, 1)", "update a set n = 2 where id = 1")
    ab.refresh(strategy="incremental")
    assert rows(ab) == [(1, 2), (2, 2)]
    assert site.untold() > 0, "the other has not read it"
    site.execute("delete from b where id = 1")
    b.refresh(strategy="incremental")
    assert rows(b) == [(2, 2), (3, 1)]
    ab.refresh(strategy="incremental")
    assert ab.verify().ok
    assert b.verify().ok
    wh.sync()
    assert site.untold() == 0


def test_a_table_that_nobody_reads(wh: bv.Warehouse, site: LogicalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one slot for all tables, so its changes stay with those of others, for a while; they count once all the same."""
    wh.create_view("a", "select id, n from s.a")
    site.execute("insert into c values (3, 3)")
    wh.sync("s")
    epoch = wh.epoch
    wh.sync("s")
    assert (wh.epoch, site.untold()) == (epoch, 1)
    monkeypatch.setattr(source, "KEPT_BYTES", 0)
    wh.sync("s")
    assert site.untold() == 0


def test_a_slot_is_advanced_though_nothing_changed(wh: bv.Warehouse, site: LogicalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    views = [wh.create_view(f"v{t}", f"select id, n from s.{t}") for t in "ab"]
    site.execute("create table busy (n integer)")
    monkeypatch.setattr(source, "KEPT_BYTES", 50_000)
    for how in (lambda: wh.sync("s"), lambda: wh.refresh()):
        before = site.fetch(AT)
        site.execute("insert into busy select * from generate_series(1, 3000)")
        how()
        assert site.fetch(AT) > before
    site.execute("update a set n = 7", "delete from b")
    for view in views:
        view.refresh(strategy="incremental")
        assert view.verify().ok
    assert (rows(views[0]), rows(views[1])) == ([(1, 7), (2, 7)], [])
