"""Sources that are down, come back, or are restarted in the middle: named, nothing lost, and others go on."""

from __future__ import annotations

import os
import time

import psycopg
import pytest
from tests.servers.mariadb import mariadb
from tests.servers.sites import MariaSite, PostgresSite
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same, shop

import belvedere as bv

QUICK = "?connect_timeout=1&retries=0"


def test_a_file_that_is_gone(wh: bv.Warehouse, make_site: MakeSite) -> None:
    gone, there = make_site("sqlite"), make_site("duckdb")
    shop(gone)
    shop(there)
    wh.attach("gone", gone.url + QUICK, mirror=True)
    wh.attach("there", there.url, mirror=True)
    wh.create_view("a", "select sum(amount) s from gone.orders")
    wh.create_view("over_a", "select s + 1 s from a")
    wh.create_view("b", "select sum(amount) s from there.orders")
    wh.create_view("at_once", "select g.id from gone.orders g join there.orders t on t.id = g.id", mode="immediate")
    os.rename(gone.path, gone.path + ".away")
    there.execute("insert into orders values (9, 'ann', 1000)", "delete from orders where id = 1")

    found = {r.view: r for r in wh.refresh()}
    assert found["b"].strategy != "none"
    assert wh.view("b").rows() == [{"s": 1025}]
    for name in ("a", "over_a"):
        assert found[name].held
        assert "source 'gone'" in found[name].reason
        assert "did not answer" in found[name].reason
    assert wh.view("at_once").verify().ok
    assert len(wh.view("at_once").rows()) == 3
    with pytest.raises(bv.SourceUnavailable, match=r"source 'gone'.*there is no such file"):
        wh.refresh("a")
    with pytest.raises(bv.SourceUnavailable, match="source 'gone'"):
        wh.sync("gone")
    wh.refresh("b")
    with pytest.raises(bv.SourceUnavailable, match=r"bv_log_\w+"):
        wh.drop_view("at_once"), wh.drop_view("over_a"), wh.drop_view("a"), wh.detach("gone")

    os.rename(gone.path + ".away", gone.path)
    gone.execute("insert into orders values (7, 'bob', 7)")
    wh.refresh()
    same(wh, "gone", gone, "orders")
    os.remove(gone.path)
    wh.detach("gone", force=True)
    assert [s.name for s in wh.sources()] == ["there"]


def test_a_source_that_is_locked(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("sqlite")
    shop(site)
    wh.attach("s", site.url + "?connect_timeout=0.2&retries=0", mirror=True)
    writer = site.begin()
    writer.execute("insert into orders values (5, 'x', 1)")
    assert wh.sync("s")[0].total == 0, "in WAL mode a reader does not wait"
    with pytest.raises(bv.SourceUnavailable, match="locked"):
        wh.detach("s")
    writer.execute("commit")
    writer.close()
    wh.sync("s")
    same(wh, "s", site, "orders")


def test_connections_that_are_cut(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("postgres")
    assert isinstance(site, PostgresSite)
    shop(site)
    wh.attach("s", site.url, mirror=True)
    wh.create_view("v", "select count(*) n from s.orders")
    site.execute("insert into orders select i, 'x', 1 from generate_series(100, 400) i")
    from belvedere.sources.postgres.connection import Connection

    original = Connection.rows
    cut = 0

    def cutting(self: Connection, sql: str, values: object = None) -> list[tuple[object, ...]]:
        nonlocal cut
        if "pg_visible_in_snapshot" in sql and not cut:
            cut += 1
            with psycopg.connect(site.url, autocommit=True) as other:
                other.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'belvedere'")
            time.sleep(0.1)
        return original(self, sql, values)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "rows", cutting)
        with pytest.raises(bv.SourceUnavailable, match="source 's'"):
            wh.refresh("v")
    wh.refresh("v")
    same(wh, "s", site, "orders")
    assert wh.view("v").verify().ok


@pytest.mark.slow
def test_a_server_that_is_killed_and_started_again(wh: bv.Warehouse) -> None:
    with mariadb() as server:
        site = MariaSite(server, "shop")
        shop(site)
        wh.attach("s", site.url + QUICK, mirror=True)
        wh.create_view("v", "select count(*) n from s.orders")
        site.execute("insert into orders values (5, 'x', 1)")
        time.sleep(1.5)  # its log is written once a second
        server.stop()
        with pytest.raises(bv.SourceUnavailable, match="source 's'"):
            wh.sync("s")
        assert "did not answer" in wh.refresh()[0].reason
        server.start()
        wh.refresh()
        same(wh, "s", site, "orders")
        assert wh.view("v").verify().ok
