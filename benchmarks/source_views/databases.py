"""Four databases as in the paper's Fig 10: a triangle 0-1-2 with 3 hanging on 2, and an index on one join only (2 to 3).

Each table holds the numbers x = 0 … rows-1 once, in random order, with p = x div 4 and q = x mod (rows/4). Joined on x every edge
has the factor 1. With 0-2 on p and 1-2 on q these two have the factor 4 each and the factor 1 together: the case of Fig 14.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from benchmarks.source_views.clock import Clock

from belvedere.algebra.types import BigInt, Schema
from belvedere.sources.maintain.view import JoinView, Part
from belvedere.sources.opening import open_source
from belvedere.sources.source import Position, Snapshot, Source, TableInfo, Watch
from belvedere.sources.url import parse

NAMES = ("0", "1", "2", "3")
EVEN = "`0`.x = `1`.x and `0`.x = `2`.x and `1`.x = `2`.x and `2`.x = `3`.x"
HIGH = "`0`.x = `1`.x and `0`.p = `2`.p and `1`.q = `2`.q and `2`.x = `3`.x"


class Slow:
    """A snapshot behind a network: `delay` seconds for every two values that go there or come back."""

    def __init__(self, inner: Snapshot, clock: Clock, delay: float) -> None:
        self.inner, self.clock, self.delay = inner, clock, delay
        self.tables: Mapping[str, TableInfo] = inner.tables
        self.lacks = inner.lacks
        self.moved_seconds = 0.0

    def ask(self, select: Any, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        answer = self.inner.ask(select, inputs, types)
        went = sum(t.num_rows * (t.num_columns - 1) for t in inputs.values())
        self._wait((went + answer.num_rows * (answer.num_columns - 1)) * self.delay / 2)
        return answer

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        for batch in self.inner.read(table, columns):
            self._wait(batch.num_rows * batch.num_columns * self.delay / 2)
            yield batch

    def _wait(self, seconds: float) -> None:
        self.clock.wait(seconds)
        self.moved_seconds += seconds


class Databases:
    """The four SQLite files, their change logs, and who writes to them."""

    def __init__(self, directory: Path, rows: int, clock: Clock) -> None:
        self.rows, self.clock = rows, clock
        self.random = random.Random(2003)
        self.writers: dict[str, sqlite3.Connection] = {}
        self.sources: dict[str, Source] = {}
        self.watches: dict[str, Watch] = {}
        self.positions: dict[str, Position] = {}
        self.next_id = rows
        for name in NAMES:
            path = directory / f"ds{name}.db"
            writer = self.writers[name] = sqlite3.connect(path, isolation_level=None)
            writer.executescript("pragma journal_mode = wal; pragma synchronous = off;")
            writer.execute("create table items (id integer primary key, x bigint, p bigint, q bigint)")
            numbers = list(range(rows))
            self.random.shuffle(numbers)
            self._insert(name, list(enumerate(numbers)))
            if name == "3":
                writer.execute("create index by_x on items (x)")
            source = self.sources[name] = open_source(name, parse(name, f"sqlite:///{path}"))
            self.watches[name] = source.watch(Watch("bench"), source.describe(["items"]))
        self.mark()

    def _insert(self, name: str, rows: list[tuple[int, int]]) -> None:
        writer = self.writers[name]
        writer.execute("begin")
        values = [(i, x, x // 4, x % (self.rows // 4)) for i, x in rows]
        writer.executemany("insert into items values (?, ?, ?, ?)", values)
        writer.execute("commit")

    def mark(self) -> None:
        """Changes count from here on."""
        for name, source in self.sources.items():
            with source.snapshot(["items"], self.watches[name]) as s:
                self.positions[name] = s.position()

    def change(self, sizes: Mapping[str, int]) -> None:
        """So many rows come to each database, with numbers that are there already; nothing else counts as changed."""
        self.mark()
        for name, size in sizes.items():
            chosen = self.random.sample(range(self.rows), size)
            self._insert(name, [(self.next_id + i, x) for i, x in enumerate(chosen)])
            self.next_id += size

    @contextmanager
    def snapshots(self, delay: float) -> Iterator[tuple[dict[str, Slow], dict[tuple[str, str], pa.Table]]]:
        with ExitStack() as stack:
            found = {n: stack.enter_context(s.snapshot(["items"], self.watches[n])) for n, s in self.sources.items()}
            changes = {(n, "items"): s.changes("items", self.positions[n]) for n, s in found.items()}
            yield {n: Slow(s, self.clock, delay) for n, s in found.items()}, changes

    def view(self, where: str) -> JoinView:
        """Two attributes of each table, as in the paper."""
        infos = {n: s.describe(["items"])[0] for n, s in self.sources.items()}
        outputs = [(f"{column}{n}", f"`{n}`.{column}", BigInt()) for n in NAMES for column in ("id", "x")]
        return JoinView.of([Part(n, n, "items") for n in NAMES], where, outputs, infos)

    def close(self) -> None:
        for source in self.sources.values():
            source.close()
        for writer in self.writers.values():
            writer.close()
