"""First loads of many rows: in parts, in batches, of one state, with progress, whoever writes meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.servers.sites import PostgresSite, Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same, shop
from tests.sources.test_late_commits import Writer

import belvedere as bv
from belvedere.sources.postgres import parts
from belvedere.sources.postgres.connection import Connection

MANY = 120_000


@pytest.fixture(params=("postgres", "logical"))
def shared(request: pytest.FixtureRequest, make_site: MakeSite) -> Site:
    """A database that lets others read the state of a transaction."""
    return make_site(request.param)


def many(site: Site) -> None:
    site.execute("create table t (id integer primary key, n integer)")
    site.execute("insert into t select i, 0 from generate_series(10, 100000 + 20000 - 1) i", "insert into t values (0, 500)")
    site.execute("insert into t select i, 0 from generate_series(1, 9) i")


def test_many_rows_in_parts(wh: bv.Warehouse, shared: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    many(shared)
    opened: list[str] = []
    original = parts.read_part
    monkeypatch.setattr(parts, "read_part", lambda part: (opened.append(part.where), original(part))[1])
    seen: list[tuple[str, int, int]] = []
    url = shared.with_option("batch=10000&parts=3")
    assert wh.attach("s", url, mirror=True, progress=lambda *told: seen.append(told)) == {"s.t": MANY}
    assert len(opened) == 3
    done = [rows for _, rows, _ in seen]
    assert done == sorted(done)
    assert len(done) >= MANY // 10_000 - 3
    assert all(0.5 * MANY < total < 2 * MANY for _, _, total in seen)
    assert seen[-1][:2] == ("s.t", MANY)
    same(wh, "s", shared, "t")
    shared.execute("delete from t where id = 77", "update t set n = 1 where id = 88")
    assert wh.sync()[0].rows == {"t": 3}


def test_one_connection_for_few_rows(wh: bv.Warehouse, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site("postgres")
    shop(site)
    monkeypatch.setattr(parts, "read_part", lambda part: pytest.fail("a part"))
    assert wh.attach("s", site.url, mirror=True) == {"s.customers": 2, "s.orders": 4}
    wh.detach("s")
    site.execute("insert into orders select i, 'x', 1 from generate_series(100, 3000) i")
    wh.attach("s", site.with_option("batch=100&parts=1"), mirror=True)
    same(wh, "s", site, "orders")


def test_writers_all_the_time(wh: bv.Warehouse, shared: Site) -> None:
    """What they write before the load is in it, what they write during it is due next: nothing is lost, nothing doubled."""
    many(shared)
    stop = threading.Event()
    writers = [Writer(shared, 200 + i * 100, stop) for i in range(2)]  # their own rows are far above
    for w in writers:
        w.start()
    try:
        loaded = wh.attach("s", shared.with_option("batch=10000"), mirror=True)["s.t"]
        assert wh.query("select sum(n) s from s.t").rows() == [{"s": 500}], "a transaction was seen in part"
        assert loaded >= MANY
        wh.sync()
        assert wh.query("select sum(n) s from s.t").rows() == [{"s": 500}]
    finally:
        stop.set()
        for w in writers:
            w.join()
    assert [w.error for w in writers] == [None, None]
    assert min(w.done for w in writers) > 0
    [done] = wh.sync()
    assert done.compared == {}
    same(wh, "s", shared, "t")


def test_the_table_is_never_in_memory(make_site: MakeSite, tmp_path: object) -> None:
    """150 MB of text, more than twice that as Python's values, and a fraction of it to load them."""
    site, warm = make_site("postgres"), make_site("postgres")
    for s, rows in ((site, 150_000), (warm, 500)):
        s.execute(
            "create table t (id integer primary key, x text)",
            f"insert into t select i, repeat(md5(i::text), 32) from generate_series(1, {rows}) i",
        )
    command = [sys.executable, "-m", "tests.sources.first_load.measured", f"{tmp_path}/wh", warm.url + "?batch=100",
               site.url + "?batch=4000&parts=4"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=120)
    assert done.returncode == 0, done.stderr
    rows, kilobytes = map(int, done.stdout.split())
    assert rows == 150_000
    assert kilobytes < 140_000, "the table was in memory"


def test_a_connection_that_is_cut(wh: bv.Warehouse, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """One part fails: nothing is loaded, nothing is left at the source, and it can be attached again."""
    site = make_site("postgres")
    assert isinstance(site, PostgresSite)
    many(site)
    original, asked = Connection.run, 0

    def run(self: Connection, sql: str, values: object = None) -> None:
        nonlocal asked
        original(self, sql, values)  # type: ignore[arg-type]
        if sql.startswith("SET TRANSACTION SNAPSHOT"):
            asked += 1
            if asked == 2:
                self.close()

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "run", run)
        with pytest.raises(bv.SourceUnavailable, match="source 's'"):
            wh.attach("s", site.with_option("batch=10000"), mirror=True)
    assert asked > 1
    assert (wh.sources(), wh.tables(), site.objects()) == ([], [], [])
    assert wh.attach("s", site.with_option("batch=10000"), mirror=True) == {"s.t": MANY}


def test_a_load_that_cannot_be_written(wh: bv.Warehouse, shared: Site) -> None:
    """The parts are let go before the logs are taken away, which needs the table for itself: nothing waits, nothing is left."""
    many(shared)

    def full(table: str, rows: int, total: int) -> None:
        raise OSError("the disk is full")

    began = time.monotonic()
    with pytest.raises(OSError, match="the disk is full"):
        wh.attach("s", shared.with_option("batch=10000"), mirror=True, progress=full)
    assert time.monotonic() - began < 9, "somebody waited for a lock until there was no more time"
    assert (wh.sources(), wh.tables(), shared.objects()) == ([], [], [])
    assert wh.attach("s", shared.with_option("batch=10000"), mirror=True) == {"s.t": MANY}


def test_a_java_that_is_too_old_for_spark(tmp_path: Path, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark may be used, and cannot be: the rows come through this process."""
    site = make_site("postgres")
    site.execute("create table t (id integer primary key)", "insert into t values (1)")
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    with bv.open(tmp_path / "auto", engine="auto") as auto:
        assert auto.attach("s", site.with_option("spark_rows=1"), mirror=True) == {"s.t": 1}
        assert not auto.core.spark_started
