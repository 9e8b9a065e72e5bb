"""One run: load, make the views, then for each batch refresh every view and recompute its query elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.tpch.batches import Batches
from benchmarks.tpch.changes import Batch, send
from benchmarks.tpch.compare import difference
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.queries import query
from benchmarks.tpch.recompute import in_process, on_spark

import belvedere as bv

#: batches of each kind; by then plans are made for what has happened to a table so far, and no file is due for a merge
ROUNDS = 5


@dataclass(frozen=True)
class Row:
    """One view after one batch. Seconds are from the call to the published epoch."""

    batch: str
    view: str
    strategy: str
    engine: str
    rows_in: int
    rows_out: int
    rows_read: int
    bytes_read: int
    files: int
    jobs: int
    #: of the first batch of its kind, which makes the plans, and of this one
    first: float
    seconds: float
    recompute: float
    recompute_spark: float | None

    @property
    def gain(self) -> float:
        return self.recompute / self.seconds

    @property
    def gain_spark(self) -> float | None:
        return None if self.recompute_spark is None else self.recompute_spark / self.seconds


class Run:
    """A warehouse and a plain database side by side."""

    def __init__(self, warehouse: Any, plain: Plain, names: Sequence[str], scale: float, directory: Path) -> None:
        self.warehouse = warehouse
        self.plain = plain
        self.names = names
        self.scale = scale
        self.directory = directory

    def create(self) -> Iterator[tuple[str, float]]:
        """Make the views; the seconds each took."""
        for name in self.names:
            began = time.perf_counter()
            self.warehouse.create_view(name, query(name, self.scale))
            yield name, time.perf_counter() - began

    def apply(self, batch: Batch) -> float:
        """Seconds that the transaction took."""
        began = time.perf_counter()
        send(self.warehouse, batch)
        seconds = time.perf_counter() - began
        self.plain.apply(batch)
        return seconds

    def prepare(self, batch: Batch, engine: str | None) -> dict[str, float]:
        """Send a batch and refresh the views; the seconds that each took."""
        self.apply(batch)
        took = {}
        for name in self.names:
            began = time.perf_counter()
            self.warehouse.view(name).refresh(engine=engine)
            took[name] = time.perf_counter() - began
        return took

    def refresh(self, batch: Batch, engine: str | None, first: Mapping[str, float], *, spark: bool) -> Iterator[Row]:
        """Refresh the views one by one; then recompute the queries, all in-process and all on Spark, so that none of the three
        works while another one tidies up."""
        files = self.plain.export(self.directory / "plain")
        done: dict[str, tuple[bv.Refresh, float]] = {}
        for name in self.names:
            began = time.perf_counter()
            report = self.warehouse.view(name).refresh(engine=engine)
            done[name] = report, time.perf_counter() - began
        texts = {name: query(name, self.scale) for name in self.names}
        duck = in_process(files)
        here = {name: duck(text) for name, text in texts.items()}
        other: Callable[[str], float] | None = on_spark(self.warehouse.spark, files) if spark else None
        there = {name: other(text) if other else None for name, text in texts.items()}
        for name, (report, seconds) in done.items():
            yield Row(
                batch=batch.name, view=name, strategy=report.strategy, engine=report.engine, rows_in=report.rows_in,
                rows_out=report.rows_out, rows_read=report.rows_read, bytes_read=report.bytes_read, files=report.files,
                jobs=report.jobs, first=first[name], seconds=seconds, recompute=here[name], recompute_spark=there[name],
            )  # fmt: skip

    def wrong(self) -> list[str]:
        """Views that differ from recomputation, by `verify` or by the plain database."""
        found = []
        for name in self.names:
            view = self.warehouse.view(name)
            check = view.verify()
            gap = difference(self.plain.query(query(name, self.scale)), view.arrow())
            if not check.ok:
                found.append(str(check))
            if gap is not None:
                found.append(f"{name}: {gap}")
        return found


def batches_of(plain: Plain, scale: float, seed: int) -> Iterator[tuple[Callable[[], Batch], bool]]:
    """Per scale factor 1, 1,000 new and 1,000 deleted orders, and 1,000 updates; last, ten orders for a sense of fixed costs. Of
    each kind there are several, and the last is compared: by then plans are made, and what is looked up often is in memory. The
    recomputation is timed with files that have been read before, too."""
    make = Batches(plain, seed)
    count = max(10, round(1_000 * min(scale, 1)))
    for turn in range(ROUNDS):
        last = turn == ROUNDS - 1
        yield lambda: make.rf1_and_rf2(count), last
        yield lambda: make.updates(count), last
    for turn in range(2):
        yield lambda: make.rf1(10), turn == 1


def open_warehouse(directory: Path, engine: str) -> Any:
    return bv.open(directory / "warehouse", engine=engine)
