"""A server that crashes: it may have forgotten how far its slot was advanced, and commits that were not on disk."""

from __future__ import annotations

import psycopg
import pytest
from tests.servers.sites import LogicalSite
from tests.sources.helpers import same
from tests.support.postgres import MissingPostgres, crash, postgres

import belvedere as bv


def test_exactly_once_across_crashes_of_the_server(wh: bv.Warehouse) -> None:
    try:
        server = postgres(wal_level="logical", wal_writer_delay="10s")
        with server as url:
            _crashing(wh, LogicalSite(url, "shop"))
    except MissingPostgres as e:
        pytest.skip(str(e))


def _crashing(wh: bv.Warehouse, site: LogicalSite) -> None:
    site.execute("create table t (id integer primary key, n integer)", "insert into t values (0, 0)")
    wh.attach("s", site.url, mirror=True)
    view = wh.create_view("v", "select count(*) n, sum(n) s from s.t")
    for round in range(1, 4):
        site.execute(f"insert into t values ({round}, {round})", "update t set n = n + 1 where id = 0")
        wh.refresh()
        same(wh, "s", site, "t")
        late = site.begin()
        late.execute(f"insert into t values ({100 + round}, 1)")
        site.execute(f"insert into t values ({200 + round}, 2)")
        if round == 2:
            wh.refresh()
        crash(site.place)
        late.close()
        [done] = wh.sync()
        assert (done.compared, done.error) == ({}, "")
        same(wh, "s", site, "t")
    wh.refresh()
    assert view.verify().ok
    assert wh.sync()[0].total == 0


def test_a_server_that_keeps_no_more_of_its_log(wh: bv.Warehouse) -> None:
    """It gives a slot up rather than fill its disk: all is compared once, and there is a new slot."""
    try:
        with postgres(wal_level="logical", max_slot_wal_keep_size="1MB", min_wal_size="32MB") as url:
            _given_up(wh, LogicalSite(url, "shop"))
    except MissingPostgres as e:
        pytest.skip(str(e))


def _given_up(wh: bv.Warehouse, site: LogicalSite) -> None:
    site.execute("create table t (id integer primary key)", "create table busy (n integer)", "insert into t values (1)")
    wh.attach("s", site.url, tables=["t"], mirror=True)
    for _ in range(4):
        site.execute("insert into t select max(id) + 1 from t", "insert into busy values (1)")
        site.fetch("select pg_switch_wal()")
    with psycopg.connect(site.place, autocommit=True) as c:
        c.execute("checkpoint")
    assert site.fetch("select wal_status from pg_replication_slots") == [("lost",)]
    site.execute("delete from t where id = 1")
    [done] = wh.sync()
    assert "the server has removed what the slot was to tell" in done.compared["t"]
    same(wh, "s", site, "t")
    site.execute("insert into t values (100)")
    [done] = wh.sync()
    assert (done.compared, done.rows) == ({}, {"t": 1})
    same(wh, "s", site, "t")
    wh.detach("s")
    assert site.objects() == []
