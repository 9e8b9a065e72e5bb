"""The tour itself: load, materialize, change, refresh, compare. It measures; `report` prints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

import belvedere as bv
from belvedere.cli.demo.shop import SCHEMAS, VIEWS, Batch, Sizes, rows_sql
from belvedere.errors import EngineError

BATCHES = (10, 1_000, 50_000)


@dataclass(frozen=True)
class Line:
    """One view after one batch."""

    view: str
    batch: int
    strategy: str
    engine: str
    rows_read: int
    seconds: float
    recompute: float
    verified: bool

    @property
    def worked(self) -> bool:
        """False where no change of the batch could matter to the view."""
        return self.strategy != "none"

    @property
    def speedup(self) -> float:
        return self.recompute / max(self.seconds, 1e-6)


@dataclass(frozen=True)
class Tour:
    """What was seen. `ok` only if every view after every batch equals its recomputation."""

    rows: int
    lines: tuple[Line, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        return bool(self.lines) and all(line.verified for line in self.lines)


@dataclass(frozen=True)
class Guide:
    """One walk through a warehouse in `path`. `tell` hears each step when it is done, with the seconds it took."""

    path: Path
    engine: str
    sizes: Sizes
    tell: Callable[[str, float], None]

    @property
    def on_spark(self) -> bool:
        return self.engine != "duckdb"

    def walk(self) -> Tour:
        started = time.perf_counter()
        spark = self._prepare()
        lines: list[Line] = []
        with bv.open(self.path, engine=self.engine, spark=spark) as wh:
            for number, size in enumerate(BATCHES):
                lines += self._batch(wh, Batch(number, min(size, self.sizes.items // 4), self.sizes))
        return Tour(self.sizes.customers + self.sizes.orders + self.sizes.items, tuple(lines), time.perf_counter() - started)

    def _prepare(self) -> Any:
        """Load and materialize, all of it on Spark if there is one; the planner has its say afterwards. Gives the session."""
        with bv.open(self.path, engine="spark" if self.on_spark else "duckdb") as wh:
            spark = self._timed("started Spark", lambda: wh.spark) if self.on_spark else None
            for table in SCHEMAS:
                self._timed(f"loaded {self.sizes.of(table):,} {table}", partial(self._load, wh, table))
            for view, text in VIEWS.items():
                made = self._timed(f"materialized the view {view}", partial(wh.create_view, view, text))
                self._expect_spark(made)
        return spark

    def _expect_spark(self, view: bv.View) -> None:
        """The tour says that Spark did it, so it looks."""
        engine = view.history()[-1]["engine"]
        if self.on_spark and engine != "spark":
            raise EngineError(f"the view {view.name} was to be materialized on Spark and was on {engine}")

    def _load(self, wh: bv.Warehouse, table: str) -> None:
        """Rows are made by the engine that stores them."""
        schema, key = SCHEMAS[table]
        columns, count = rows_sql(table, self.sizes), self.sizes.of(table)
        wh.create_table(table, schema, key=key)
        if self.on_spark:
            wh.load(table, wh.spark.sql(f"select {columns} from range({count})"))
        else:
            wh.load("row_numbers", pa.table({"id": pa.array(range(count), pa.int64())}))
            wh.load(table, wh.query(f"select {columns} from row_numbers").arrow())
            wh.drop_table("row_numbers")

    def _batch(self, wh: bv.Warehouse, batch: Batch) -> list[Line]:
        self._timed(f"committed {batch.size:,} changes", partial(_commit, wh, batch))
        done: dict[str, bv.Refresh] = self._timed("refreshed the stale views", lambda: {r.view: r for r in wh.refresh()})
        lines = []
        started = time.perf_counter()
        for view, text in VIEWS.items():
            recompute = _seconds(partial(self._recompute, wh, text))
            verified = wh.view(view).verify().ok
            r = done[view]
            lines.append(Line(view, batch.size, r.strategy, r.engine, r.rows_read, r.seconds, recompute, verified))
        self.tell("recomputed every view for comparison, and compared it row by row", time.perf_counter() - started)
        return lines

    def _recompute(self, wh: bv.Warehouse, text: str) -> None:
        """The defining query over the same files. Storing its result is not counted, in favour of recomputation."""
        result = wh.query(text)
        if self.on_spark:
            result.df().write.format("noop").mode("overwrite").save()
        else:
            result.arrow()

    def _timed(self, what: str, action: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        value = action()
        self.tell(what, time.perf_counter() - started)
        return value


def _commit(wh: bv.Warehouse, batch: Batch) -> None:
    with wh.transaction() as tx:
        batch.send(tx)


def _seconds(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
