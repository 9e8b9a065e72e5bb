"""Parts of a table read at the same time: each row once, of one state; the first error ends all, nobody reads ahead in vain."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import closing

import pyarrow as pa
import pytest
from tests.servers.sites import PostgresSite
from tests.sources.conftest import MakeSite

from belvedere.sources.opening import open_source, read_part
from belvedere.sources.parts import Batches, Part, Shareable, gathered, together
from belvedere.sources.url import parse


def batch(*values: int) -> pa.Table:
    return pa.table({"x": list(values)})


def given(batches: Iterable[pa.Table]) -> Batches:
    yield from batches


def test_all_batches_come() -> None:
    readers = [lambda n=n: iter([batch(n), batch(n + 10)]) for n in range(4)]
    assert sorted(v for t in together(readers) for v in t["x"].to_pylist()) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_the_first_error_ends_all() -> None:
    ended = threading.Event()

    def failing() -> Iterator[pa.Table]:
        yield batch(1)
        raise ValueError("no more")

    def endless() -> Iterator[pa.Table]:
        try:
            while True:
                yield batch(2)
        finally:
            ended.set()

    with pytest.raises(ValueError, match="no more"):
        for _ in together([endless, failing, endless]):
            pass
    assert ended.is_set()
    assert not [t for t in threading.enumerate() if t.name == "belvedere-load"]


def test_nobody_reads_ahead_for_nothing() -> None:
    made = 0

    def reader() -> Iterator[pa.Table]:
        nonlocal made
        while True:
            made += 1
            yield batch(made)

    batches = together([reader])
    next(batches)
    batches.close()
    assert made <= 4, "one taken, one waiting, one in hand"


def test_whoever_takes_them_fails() -> None:
    """What was put together is closed with all that reads for it, though the error still holds on to it."""
    ended = threading.Event()

    def reader() -> Iterator[pa.Table]:
        try:
            while True:
                yield batch(1, 2)
        finally:
            ended.set()

    def failing() -> None:
        batches = gathered(together([reader, reader]), 3)
        with closing(batches):
            for _ in batches:
                raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full") as caught:
        failing()
    assert caught.value.__traceback__ is not None
    assert ended.is_set()
    assert not [t for t in threading.enumerate() if t.name == "belvedere-load"]


def test_small_batches_are_put_together() -> None:
    small = iter([batch(1), batch(2, 3), batch(4), batch(5, 6, 7), batch(8)])
    assert [t["x"].to_pylist() for t in gathered(given(small), 3)] == [[1, 2, 3], [4, 5, 6], [7, 8]]
    assert [t.num_rows for t in gathered(given([batch(*range(10))]), 4)] == [4, 4, 2]
    assert list(gathered(given([]), 3)) == []


KINDS = {
    "by blocks": "create table t (id text primary key, n integer)",
    "by an integer key, of a partitioned table": "create table t (id integer primary key, n integer) partition by range (id);"
    "create table t1 partition of t for values from (-9999) to (300);"
    "create table t2 partition of t for values from (300) to (99999)",
    "not at all": "create table t (id varchar primary key, n integer) partition by hash (id);"
    "create table t1 partition of t for values with (modulus 2, remainder 0);"
    "create table t2 partition of t for values with (modulus 2, remainder 1)",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 700])
def test_each_row_is_in_one_part(make_site: MakeSite, kind: str, rows: int) -> None:
    site = make_site("postgres")
    assert isinstance(site, PostgresSite)
    site.execute(KINDS[kind])
    if rows:
        site.execute(f"insert into t select i * 3 - 50, i from generate_series(1, {rows}) i")
        site.execute("update t set n = -n where n % 5 = 0", "delete from t where n % 11 = 0")
    source = open_source("s", parse("s", site.with_option("batch=50")))
    expected = sorted(site.fetch("select id, n from t"))
    with source.snapshot(["t"]) as snapshot:
        assert isinstance(snapshot, Shareable)
        shared = snapshot.share("t")
        parts = shared.parts(4)
        site.execute("update t set n = 0", "delete from t where n = 0")  # another state, which is not ours
        found = [[tuple(r.values()) for b in read_part(p) for r in b.to_pylist()] for p in parts]
    source.close()
    assert sorted(r for part in found for r in part) == expected
    if rows == 700:
        assert len(parts) == (1 if kind == "not at all" else 4)
        assert sum(bool(part) for part in found) == len(parts)
        if kind == "by blocks":
            assert shared.rows == len(expected), "an estimate, though nobody analyzed the table"


def test_a_part_does_not_show_its_password(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site("postgres")
    site.execute("create table t (id integer primary key)")
    monkeypatch.setenv("BELVEDERE_S_PASSWORD", "hunter2")
    source = open_source("s", parse("s", site.url))
    with source.snapshot(["t"]) as snapshot:
        assert isinstance(snapshot, Shareable)
        [part] = snapshot.share("t").parts(1)
    source.close()
    assert isinstance(part, Part)
    assert part.secret == "hunter2"
    assert "hunter2" not in repr(part)
