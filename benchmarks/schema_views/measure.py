"""How a refresh is measured, and what a figure is made of.

A transaction is no part of a propagation: it is the same for both ways. Nor are large merges, which follow beside: those that a
transaction or the refresh before has made due are waited for before the clock starts, since it is the clock of all threads. Both
ways start from the same state, a view that is behind by the same change, and take turns, so neither finds a plan or a definition
that the other had to make. Both are told how to go about it. "auto" may choose either; what it chose when the data were restored
is told.

In-process, bars are on the time of the processor: all work is done in this process, and the machine may do other things beside.
On Spark they are on the time that passes. Both are shown.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.book.sheet import Bar

import belvedere as bv


@dataclass(frozen=True)
class Setting:
    """What the command line says."""

    directory: Path
    engine: str
    repeat: int
    tuples: int
    rows: tuple[int, ...]


@dataclass
class Took:
    """One way of refreshing, as often as it was done. `cpu` is of this process: all there is on DuckDB, the driver's on Spark."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rows_read: list[int] = field(default_factory=list)
    bytes_written: list[int] = field(default_factory=list)
    #: what "auto" chose when the data were restored
    auto: list[str] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    def ratio(self, other: Took, clock: str) -> float:
        """The median of this to the median of the other, by "cpu" or "wall"."""
        mine, others = (self.cpu, other.cpu) if clock == "cpu" else (self.seconds, other.seconds)
        return median(mine) / median(others)

    def follow(self, view: bv.View, strategy: str) -> bv.Refresh:
        """Refresh it and take note."""
        began, cpu = time.perf_counter(), time.process_time()
        report = view.refresh(strategy=strategy)
        self.seconds.append(time.perf_counter() - began)
        self.cpu.append(time.process_time() - cpu)
        self.rows_read.append(report.rows_read)
        self.bytes_written.append(report.bytes_written)
        assert report.strategy == strategy, f"{report.strategy} instead of {strategy}: {report.reason}"
        return report


@dataclass
class Figure:
    """What was measured for one figure at one scale. A point is one line of its table; the samples are every single time."""

    name: str
    title: str
    scale: int
    #: what its bars are on: "cpu" or "wall"
    clock: str = "cpu"
    facts: dict[str, Any] = field(default_factory=dict)
    points: list[dict[str, Any]] = field(default_factory=list)
    samples: dict[str, Took] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)
    verified: bool = False

    @property
    def good(self) -> bool:
        return self.verified and all(b.met for b in self.bars)

    def compare(self, change: str, facts: dict[str, Any], found: Mapping[str, Took]) -> None:
        """Add a point: milliseconds of each way, and for each that is incremental the ratio to "recompute"."""
        again = found["recompute"]
        times = {f"{way} ms": took.median * 1000 for way, took in found.items()}
        others = {way: took for way, took in found.items() if way != "recompute"}
        ratios = {f"{way} {clock} ratio": took.ratio(again, clock) for way, took in others.items() for clock in ("wall", "cpu")}
        self.points.append({**facts, **times, **ratios})
        self.samples.update({f"{change}, {way}": took for way, took in found.items()})
        chosen = Counter(s for took in self.samples.values() for s in took.auto)
        self.facts["auto, when the data were restored"] = ", ".join(f"{s} {n} times" for s, n in sorted(chosen.items()))

    def ratio(self, point: Mapping[str, Any], way: str = "batched") -> float:
        """The ratio of a point that bars are on."""
        return float(point[f"{way} {self.clock} ratio"])

    def document(self) -> dict[str, Any]:
        return asdict(self)


def in_turns(
    wh: bv.Warehouse, view: bv.View, repeat: int, doing: str, ways: Mapping[str, tuple[Callable[[], None], str]],
    restore: Callable[[], None],
) -> Generator[str, None, dict[str, Took]]:  # fmt: skip
    """Each way is a change and a strategy to follow it with. After each the data are restored and the view follows, unmeasured.
    The first round is not counted: it makes the plans. Says before each round what it is doing; returns what was found."""
    found = {name: Took() for name in ways}
    for n in range(repeat + 1):
        yield f"{doing}, {n} of {repeat}"
        for name, (change, strategy) in ways.items():
            change()
            wh.upkeep.settle()
            (found[name] if n else Took()).follow(view, strategy)
            restore()
            found[name].auto.append(view.refresh().strategy)
    return found


def crossover(points: list[tuple[float, float]]) -> float | None:
    """Where the ratio reaches 1, on the line between the two points around it; None if it never does."""
    before: tuple[float, float] | None = None
    for x, ratio in sorted(points):
        if ratio >= 1:
            if before is None:
                return x
            x0, r0 = before
            return x0 + (x - x0) * (1 - r0) / (ratio - r0)
        before = (x, ratio)
    return None
