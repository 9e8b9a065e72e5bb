"""Every value comes out of a decoded log as it comes out of one by triggers, whatever a transaction did on its way."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.servers.sites import LogicalSite
from tests.sources.conftest import MakeSite
from tests.sources.helpers import mirror, same

import belvedere as bv

COLUMNS = {
    "i2": ["-32768", "7"], "i8": ["9223372036854775807", "0"], "b": ["true", "false"], "n": ["-12345678.91", "0.00"],
    "f4": ["'NaN'", "1.1", "'-Infinity'", "-0.0"], "f8": ["'NaN'", "0.1", "1e300", "'Infinity'"],
    "t": ["''", "'O''Hara'", r"E'\\ \"x\" \n(,)'", "'naïve ☃ %s'", "'NULL'", "'unchanged-toast-datum'"],
    "c": ["'ab '", "''"], "u": ["'5a1c2e0e-0000-4000-8000-000000000001'"], "j": ["""'{"a": [1, "x"]}'"""],
    "y": [r"'\x00ff27225c'", r"'\x'"], "d": ["'2024-02-29'", "'0001-01-01'"],
    "ts": ["'2024-02-29 12:34:56.789012'", "'1969-12-31 23:59:59.999999'"], "tz": ["'2024-07-01 00:00:00+05:30'"],
    "m": ["'so so'", "'sad'"], "a": ["'{1,NULL,3}'", "'{}'"], "at": [r"""ARRAY['a"b', NULL, '', 'NULL', 'x,y\z']"""],
}  # fmt: skip
MAKE = """create table t ("Odd ""%s"" id" integer primary key, i2 smallint, i8 bigint, b boolean, n numeric(10,2), f4 real,
          f8 double precision, t text, c char(3), u uuid, j jsonb, y bytea, d date, ts timestamp, tz timestamptz, m mood, a int[],
          at text[])"""


@pytest.fixture
def site(make_site: MakeSite) -> LogicalSite:
    found = make_site("logical")
    assert isinstance(found, LogicalSite)
    return found


def value(rng: random.Random, column: str) -> str:
    return rng.choice([*COLUMNS[column], "NULL"])


def test_the_same_as_by_triggers(wh: bv.Warehouse, site: LogicalSite) -> None:
    rng = random.Random(3)
    site.execute("create type mood as enum ('sad', 'so so')", MAKE)
    wh.attach("a", site.place, mirror=True)
    wh.attach("b", site.place, changes="logical", mirror=True)
    key = '"Odd ""%s"" id"'
    for _ in range(8):
        for number in range(20):
            some = ", ".join(f"{c} = {value(rng, c)}" for c in rng.sample(list(COLUMNS), 3))
            site.execute(
                f"delete from t where {key} = {rng.randrange(20)}",
                f"insert into t values ({number}, {', '.join(value(rng, c) for c in COLUMNS)}) on conflict do nothing",
                f"update t set {some} where {key} = {rng.randrange(20)}",
                f"set local datestyle = 'SQL, DMY'; set local timezone = 'Asia/Tokyo'; set local bytea_output = 'escape'; "
                f"update t set i2 = {number} where {key} = {rng.randrange(20)}",
            )
        assert [d.compared for d in wh.sync()] == [{}, {}]
        rows = mirror(wh, "a", "t")
        assert len(rows) > 9
        assert repr(mirror(wh, "b", "t")) == repr(rows)


def test_a_value_that_is_kept_apart_and_left_alone(wh: bv.Warehouse, site: LogicalSite) -> None:
    site.execute(
        "create table t (id integer primary key, long text, n integer)", "alter table t alter long set storage external",
        "insert into t values (1, repeat('x', 100000), 1), (2, NULL, 2)",
    )  # fmt: skip
    wh.attach("s", site.url, mirror=True)
    site.execute("update t set n = n + 1", "insert into t values (3, repeat('y', 50000), 3)", "update t set id = id + 10")
    site.execute("update t set long = 'short' where id = 13", "delete from t where id = 11")
    assert wh.sync()[0].compared == {}
    same(wh, "s", site, "t")


def test_savepoints_and_transactions_in_two_phases(wh: bv.Warehouse, site: LogicalSite) -> None:
    site.execute("create table t (id integer primary key)", "create table u (id integer primary key)")
    wh.attach("s", site.url, mirror=True)
    c = site.begin()
    for statement in ("insert into t values (1)", "savepoint a", "insert into t values (2)", "rollback to a", "savepoint b",
                      "insert into t values (3)", "insert into u values (3)", "release b"):  # fmt: skip
        c.execute(statement)
    c.commit()
    c.execute("insert into t values (4)")
    c.execute("prepare transaction 'later'")
    c.commit()
    assert wh.sync()[0].rows == {"t": 2, "u": 1}
    c.autocommit = True
    c.execute("commit prepared 'later'")
    c.close()
    assert wh.sync()[0].rows == {"t": 1, "u": 0}
    same(wh, "s", site, "t", "u")


def test_a_commit_that_is_not_on_disk_yet(wh: bv.Warehouse, site: LogicalSite) -> None:
    """It is seen by others at once, and decoded only later: it must not be passed over."""
    site.execute("create table t (id integer primary key)")
    wh.attach("s", site.url, mirror=True)
    c: Any = site.begin()
    for number in range(20):
        c.execute("set synchronous_commit = off")
        c.execute(f"insert into t values ({number})")
        c.commit()
        assert wh.sync()[0].rows == {"t": 1}
    c.close()


def test_what_the_log_does_not_tell_is_compared(wh: bv.Warehouse, site: LogicalSite) -> None:
    site.execute(
        "create table g (id integer primary key, twice integer generated always as (id * 2) stored)",
        "create unlogged table u (id integer primary key)", "create table t (id integer primary key)",
    )  # fmt: skip
    with pytest.raises(bv.BelvedereError, match=r"'g' can only be found by comparing.*generated columns.*mirror=True"):
        wh.attach("s", site.url)
    assert (site.objects(), wh.sources()) == ([], [])
    wh.attach("s", site.url, mirror=True)
    site.execute("insert into g values (4)", "insert into u values (5)", "insert into t values (6)")
    [done] = wh.sync()
    assert {t: why.split(",")[0] for t, why in done.compared.items()} == {"g": "it has generated columns", "u": "it is unlogged"}
    same(wh, "s", site, "g", "u", "t")
