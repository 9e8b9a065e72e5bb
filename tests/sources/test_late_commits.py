"""Transactions that commit in another order than they wrote: none is lost, none counts twice, none is seen in part."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest
from tests.servers.sites import Site
from tests.sources.helpers import mirror, same

import belvedere as bv


def test_a_transaction_that_wrote_first_and_commits_last(wh: bv.Warehouse, concurrent: Site) -> None:
    site = concurrent
    site.execute("create table t (id integer primary key, n integer)", "insert into t values (1, 1)")
    wh.attach("s", site.url, mirror=True)
    first, second, never = site.begin(), site.begin(), site.begin()
    first.execute("insert into t values (10, 1)")
    never.execute("insert into t values (30, 1)")
    second.execute("insert into t values (20, 1)")
    second.commit()
    assert wh.sync()[0].rows == {"t": 1}
    assert mirror(wh, "s", "t") == [(1, 1), (20, 1)]
    second.execute("update t set n = 2 where id = 20")
    second.commit()
    first.execute("update t set n = 5 where id = 1")
    assert wh.sync()[0].rows == {"t": 2}
    first.commit()
    never.rollback()
    assert wh.sync()[0].rows == {"t": 3}
    assert mirror(wh, "s", "t") == [(1, 5), (10, 1), (20, 2)] == site.rows("t")
    assert wh.sync()[0].total == 0
    for c in (first, second, never):
        c.close()


def test_attaching_waits_for_those_who_are_writing(wh: bv.Warehouse, concurrent: Site) -> None:
    site = concurrent
    site.execute("create table t (id integer primary key, n integer)")
    writer = site.begin()
    writer.execute("insert into t values (1, 1)")
    late = threading.Timer(0.5, writer.commit)
    late.start()
    wh.attach("s", site.url, mirror=True)
    late.join()
    writer.close()
    same(wh, "s", site, "t")


def test_attaching_does_not_wait_for_ever(wh: bv.Warehouse, concurrent: Site) -> None:
    site = concurrent
    site.execute("create table t (id integer primary key, n integer)")
    writer = site.begin()
    writer.execute("insert into t values (1, 1)")
    with pytest.raises(bv.SourceUnavailable, match="source 's'"):
        wh.attach("s", site.with_option("connect_timeout=1"), mirror=True)
    writer.commit()
    writer.close()
    assert (wh.sources(), wh.tables(), site.objects()) == ([], [], [])
    wh.attach("s", site.url, mirror=True)
    same(wh, "s", site, "t")


class Writer(threading.Thread):
    """Moves amounts between rows, so that the sum over the table is the same after every transaction."""

    def __init__(self, site: Site, number: int, stop: threading.Event) -> None:
        super().__init__()
        self.site, self.rng, self.stop, self.number = site, random.Random(number), stop, number
        self.done = 0
        self.error: Exception | None = None

    def run(self) -> None:
        connection = self.site.begin()
        while not self.stop.is_set():
            try:
                self._transaction(connection)
                self.done += 1
            except Exception as e:  # deadlocks and failed serializations are part of life
                if not any(word in str(e).lower() for word in ("deadlock", "lock wait", "duplicate", "record has changed")):
                    self.error = e
                    return
                connection.rollback()
        connection.close()

    def _transaction(self, connection: Any) -> None:
        rng, own = self.rng, 1000 * (self.number + 1) + self.done
        a, b = sorted(rng.sample(range(10), 2))
        connection.execute(f"insert into t values ({own}, 100)")
        self.stop.wait(rng.random() * 0.01)
        connection.execute(f"update t set n = n + 3 where id = {a}")
        connection.execute(f"update t set n = n - 3 where id = {b}")
        connection.execute(f"update t set n = n - 100 where id = {own}")
        if rng.random() < 0.5:
            connection.execute(f"delete from t where id = {own}")
        self.stop.wait(rng.random() * 0.02)
        if rng.random() < 0.2:
            connection.rollback()
        else:
            connection.commit()


def test_writers_all_the_time(wh: bv.Warehouse, concurrent: Site) -> None:
    site = concurrent
    site.execute(
        "create table t (id integer primary key, n integer)", "insert into t values " + ", ".join(f"({i}, 50)" for i in range(10))
    )
    stop = threading.Event()
    writers = [Writer(site, i, stop) for i in range(4)]
    for w in writers:
        w.start()
    try:
        wh.attach("s", site.url, mirror=True)
        view = wh.create_view("v", "select sum(n) s from s.t")
        for _ in range(12):
            wh.refresh()
            assert view.rows() == [{"s": 500}], "a transaction was seen in part, or twice"
    finally:
        stop.set()
        for w in writers:
            w.join()
    assert [w.error for w in writers] == [None] * 4
    assert min(w.done for w in writers) > 0
    [done] = wh.sync()
    assert done.compared == {}
    same(wh, "s", site, "t")
    assert view.verify().ok
