"""How a refresh of a view over a graph is measured.

An update and what takes it back are both measured, so an edge that comes is also one that goes. The transaction is no part of
it: it is the same whichever way the view follows; large merges that it makes due are waited for before the clock starts. First
the planner decides ("auto"), several times, then the same updates are followed by recomputation, as often. The first rounds do
not count: they make plans, and the planner learns from them. In the end each update is followed once more as the planner
decides, and the view then computed in that very state: so what the two fetch can be compared to an object, however many rows wait
to be merged.

Objects fetched are the rows of edges, values and stages that lookups find and scans give on, which is what the paper counts; rows
read are all rows of the row groups that were opened for it, neighbours included. Times are of the processor in-process (all work
is done in this process, and the machine may do other things beside), on Spark those that pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.book.sheet import Bar

import belvedere as bv
from belvedere.planning.experience import ENOUGH

Change = Callable[[Any], None]
#: rounds of the planner's that are not counted: as many as it has to see of each way
BEFORE = 2 * ENOUGH
#: recomputations that count, after one that does not; over a large graph one takes seconds
AGAIN = 3


@dataclass(frozen=True)
class Setting:
    """What the command line says."""

    directory: Path
    engine: str
    repeat: int
    restaurants: tuple[int, ...]
    entrees: int
    fanout: int


@dataclass(frozen=True)
class Update:
    """A change of the graph and what takes it back, each with what the paper calls it. `relevant` is what must be found."""

    done: str
    undone: str
    do: Change
    undo: Change
    relevant: bool = True


@dataclass
class Took:
    """One way of following, as often as it was done."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rows_read: list[int] = field(default_factory=list)
    fetches: list[int] = field(default_factory=list)
    rows_out: list[int] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)

    def follow(self, view: bv.View, strategy: str = "auto") -> None:
        began, cpu = time.perf_counter(), time.process_time()
        report = view.refresh(strategy=strategy)
        self.seconds.append(time.perf_counter() - began)
        self.cpu.append(time.process_time() - cpu)
        self.rows_read.append(report.rows_read)
        self.fetches.append(report.fetches or 0)
        self.rows_out.append(report.rows_out)
        self.strategies.append(report.strategy)
        self.statements.append(len(report.steps))

    def took(self, engine: str) -> float:
        """The median, in seconds."""
        return median(self.cpu if engine == "duckdb" else self.seconds)

    @property
    def fetched(self) -> int:
        return int(median(self.fetches))

    @property
    def read(self) -> int:
        return int(median(self.rows_read))

    @property
    def way(self) -> str:
        return "/".join(sorted(set(self.strategies)))


@dataclass
class Figure:
    name: str
    title: str
    points: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, Took] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)
    verified: list[bool] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return bool(self.verified) and all(self.verified) and all(b.met for b in self.bars)

    def bar(self, text: str, met: bool, found: str) -> None:
        self.bars.append(Bar(text, met, found))

    def document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Followed:
    """An update, followed both ways; and once as the planner decides and by recomputation in the same state."""

    auto: Took = field(default_factory=Took)
    again: Took = field(default_factory=Took)
    same: tuple[Took, Took] = field(default_factory=lambda: (Took(), Took()))


def followed(wh: bv.Warehouse, view: bv.View, update: Update, repeat: int) -> dict[str, Followed]:
    """The update and its opposite."""
    found = {update.done: Followed(), update.undone: Followed()}
    changes = ((found[update.done], update.do), (found[update.undone], update.undo))
    for strategy, before, counted in (("auto", BEFORE, repeat), ("recompute", 1, min(repeat, AGAIN))):
        for n in range(before + counted):
            for one, change in changes:
                _happen(wh, change)
                took = one.auto if strategy == "auto" else one.again
                (took if n >= before else Took()).follow(view, strategy)
    for one, change in changes:
        _happen(wh, change)
        for took, strategy in zip(one.same, ("auto", "recompute"), strict=True):
            took.follow(view, strategy)
    return found


def _happen(wh: bv.Warehouse, change: Change) -> None:
    with wh.transaction() as tx:
        change(tx)
    wh.upkeep.settle()


def compare(
    figure: Figure, wh: bv.Warehouse, view: bv.View, updates: list[Update], setting: Setting, facts: dict[str, Any]
) -> Iterator[str]:
    """Add a point for each update and for each opposite, with the ratio to recomputation in times and in objects fetched."""
    mark = ", ".join(f"{k} {v}" for k, v in facts.items())
    yield "recomputing"
    for _ in range(BEFORE):
        view.refresh(strategy="recompute")
    for update in updates:
        yield update.done
        for name, one in followed(wh, view, update, setting.repeat).items():
            auto, again = one.auto.took(setting.engine), one.again.took(setting.engine)
            mine, whole = one.same
            figure.samples |= {f"{mark}: {name}": one.auto, f"{mark}: {name}, recomputed": one.again}
            figure.points.append({
                **facts, "update": name, "way": one.auto.way, "ms": auto * 1000, "recompute ms": again * 1000,
                "times faster": again / auto, "fetched": mine.fetched, "recompute fetched": whole.fetched,
                "times fewer": whole.fetched / max(mine.fetched, 1), "read": one.auto.read,
                "rows": int(median(one.auto.rows_out)),
            })  # fmt: skip
            if not update.relevant:
                took = one.auto
                silent = set(took.strategies) == {"none"} and not any(took.statements) and not any(took.rows_read)
                figure.bar(f"{name}: no query at all", silent, f"{took.way}, {max(took.statements)} statements")
    yield "verifying"
    figure.verified.append(view.verify().ok)
