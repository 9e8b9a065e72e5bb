"""The first paper's Fig 12: what a materialized view saves its readers, and what an update costs it.

Everything is timed in one run on one warehouse, in turns, and medians are compared. A transaction is not part of a propagation:
it is the same for both ways, and is reported beside them. Re-materialization computes the view again and stores it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.object_views.company import OLD, OLDER, age_of, load

import belvedere as bv

#: how often each thing is timed; what is fast more often
READS, INCREMENTAL, RECOMPUTED = 5, 15, 5


@dataclass
class Timed:
    """Seconds and rows read of one thing, as often as it was done."""

    seconds: list[float] = field(default_factory=list)
    rows_read: list[int] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def rows(self) -> int:
        return int(median(self.rows_read)) if self.rows_read else 0

    def note(self, seconds: float, rows_read: int | None = None) -> None:
        self.seconds.append(seconds)
        if rows_read is not None:
            self.rows_read.append(rows_read)


@dataclass
class Figure12:
    """What was measured at one size."""

    employees: int
    engine: str
    load: float = 0.0
    view_rows: int = 0
    create: float = 0.0
    materialized: Timed = field(default_factory=Timed)
    virtual: Timed = field(default_factory=Timed)
    transaction: Timed = field(default_factory=Timed)
    insert: Timed = field(default_factory=Timed)
    insert_again: Timed = field(default_factory=Timed)
    modify: Timed = field(default_factory=Timed)
    modify_again: Timed = field(default_factory=Timed)
    verified: bool = False

    @property
    def ratios(self) -> dict[str, float]:
        """The four parts of the figure."""
        return {
            "a: virtual query / materialized query": self.virtual.median / self.materialized.median,
            "b: virtual query / incremental insert": self.virtual.median / self.insert.median,
            "c: re-materialization / incremental, insert": self.followed,
            "d: re-materialization / incremental, modified name": self.modify_again.median / self.modify.median,
        }

    @property
    def followed(self) -> float:
        """How many inserts can be followed while the view is computed again once."""
        return self.insert_again.median / self.insert.median

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"ratios": self.ratios}


def measure(directory: Path, employees: int, engine: str) -> Iterator[tuple[str, Figure12]]:
    """Says what it is about to do, each time with what was measured so far; the last time it is complete."""
    found = Figure12(employees, engine)
    with bv.open(directory / f"employees-{employees}", engine=engine) as wh:
        yield "loading", found
        (departments, staff), found.load = _timed(lambda: load(wh, employees))
        yield "making the view", found
        view, found.create = _timed(lambda: wh.create_view("olderEmpThatWorksFor", OLDER, language="oql"))
        yield "reading", found
        found.view_rows = view.arrow().num_rows
        for _ in range(READS):
            found.materialized.note(_timed(view.arrow)[1])
            found.virtual.note(_timed(wh.query(OLDER, language="oql").arrow)[1])
        yield "inserting", found
        _updates(wh, found, found.insert, found.insert_again, lambda tx, n: _hire(tx, departments, n))
        yield "modifying", found
        older = [oid for n, oid in enumerate(staff[:1_000]) if age_of(n) >= OLD]
        _updates(wh, found, found.modify, found.modify_again, lambda tx, n: tx.modify(older[n], name=f"renamed {n}"))
        yield "verifying", found
        found.verified = view.verify().ok
    yield "done", found


def _hire(tx: Any, departments: list[int], n: int) -> None:
    tx.new("employee", name=f"new {n}", age=OLD + n % 20, salary=n, dept=departments[n * 17 % len(departments)])


def _updates(wh: bv.Warehouse, found: Figure12, incremental: Timed, again: Timed, change: Callable[[Any, int], None]) -> None:
    """One object at a time, each followed by a refresh; one in four by a re-materialization."""
    view = wh.view("olderEmpThatWorksFor")
    every = (INCREMENTAL + RECOMPUTED) // RECOMPUTED
    # the first of each kind makes its plan, which later ones find
    for n in range(every + INCREMENTAL + RECOMPUTED):
        began = time.perf_counter()
        with wh.transaction() as tx:
            change(tx, n)
        committed = time.perf_counter() - began
        anew = n % every == every - 1
        report, seconds = _timed(lambda: view.refresh(strategy="recompute" if anew else "incremental"))  # noqa: B023
        assert report.rows_out or anew, "the update reached the view"
        if n >= every:
            found.transaction.note(committed)
            (again if anew else incremental).note(seconds, report.rows_read)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    done = work()
    return done, time.perf_counter() - began
