"""One run: load, make the views, then for each batch refresh every view and recompute its query elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.tpch.batches import Batches
from benchmarks.tpch.changes import Batch, send
from benchmarks.tpch.compare import difference
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.queries import query
from benchmarks.tpch.recompute import in_process, on_spark

import belvedere as bv

#: batches of each kind; in the first ones plans are made for what happens to the tables, and files are read for the first time
ROUNDS = 8
#: the last ones of each kind are measured, and the middle of what they took counts
MEASURED = 3


@dataclass(frozen=True)
class Row:
    """One view after batches of one kind. Seconds are from the call to the published epoch; counts are the last batch's."""

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
    #: of the first batch of the kind, which makes the plans; the middle of the measured ones, and the slowest
    first: float
    seconds: float
    slowest: float
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

    def refresh(self, batch: Batch, engine: str | None) -> dict[str, tuple[bv.Refresh, float]]:
        """Send a batch, and refresh the views one by one; what each of them reports and took."""
        self.apply(batch)
        done = {}
        for name in self.names:
            began = time.perf_counter()
            report = self.warehouse.view(name).refresh(engine=engine)
            done[name] = report, time.perf_counter() - began
        return done

    def recompute(self, *, spark: bool) -> dict[str, tuple[float, float | None]]:
        """Seconds that the queries take over files with all changes: all in-process, then all on Spark, so that none works while
        another one tidies up."""
        files = self.plain.export(self.directory / "plain")
        texts = {name: query(name, self.scale) for name in self.names}
        duck = in_process(files)
        here = {name: duck(text) for name, text in texts.items()}
        other: Callable[[str], float] | None = on_spark(self.warehouse.spark, files) if spark else None
        return {name: (here[name], other(text) if other else None) for name, text in texts.items()}

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


def rows_of(done: Mapping[str, list[dict[str, tuple[bv.Refresh, float]]]],
            again: Mapping[str, tuple[float, float | None]]) -> list[Row]:  # fmt: skip
    """A row for each kind of batch and each view, from all refreshes by kind and from the recomputations."""
    rows = []
    for kind, rounds in done.items():
        for name, (here, there) in again.items():
            measured = [r[name][1] for r in rounds[-MEASURED:]]
            last = rounds[-1][name][0]
            rows.append(Row(
                batch=kind, view=name, strategy=last.strategy, engine=last.engine, rows_in=last.rows_in, rows_out=last.rows_out,
                rows_read=last.rows_read, bytes_read=last.bytes_read, files=last.files, jobs=last.jobs, first=rounds[0][name][1],
                seconds=median(measured), slowest=max(measured), recompute=here, recompute_spark=there,
            ))  # fmt: skip
    return rows


def batches_of(plain: Plain, scale: float, seed: int, rounds: int, on_spark: int) -> Iterator[tuple[Callable[[], Batch], bool]]:
    """Per scale factor 1, 1,000 new and 1,000 deleted orders, and 1,000 updates, in turns; then ten orders at a time for a sense
    of fixed costs; last, the first two again for refreshes on Spark, which is said with each. The recomputation is timed with
    files that have been read before, too."""
    make = Batches(plain, seed)
    count = max(10, round(1_000 * min(scale, 1)))
    for turn in range(rounds + on_spark):
        yield lambda: make.rf1_and_rf2(count), turn >= rounds
        yield lambda: make.updates(count), turn >= rounds
        if turn == rounds - 1:
            for _ in range(rounds):
                yield lambda: make.rf1(10), False


def open_warehouse(directory: Path, engine: str) -> Any:
    return bv.open(directory / "warehouse", engine=engine)
