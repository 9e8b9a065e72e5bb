"""How a refresh of a view over a graph is measured.

An update and what takes it back are both measured, so an edge that comes is also one that goes. The transaction is no part of
it: it is the same whichever way the view follows. Recomputation does not depend on the update; it is measured a few times in
the same run, and so is a ratio to it. Objects fetched are the rows of edges, values and stages that lookups find and scans give
on, which is what the paper counts; rows read are all rows of the row groups that were opened for it, neighbours included.
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

Change = Callable[[Any], None]
#: the line of a table that the others are compared with
RECOMPUTED = "recomputation"


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
    rows_read: list[int] = field(default_factory=list)
    fetches: list[int] = field(default_factory=list)
    rows_out: list[int] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)

    def follow(self, view: bv.View, strategy: str = "auto") -> None:
        began = time.perf_counter()
        report = view.refresh(strategy=strategy)
        self.seconds.append(time.perf_counter() - began)
        self.rows_read.append(report.rows_read)
        self.fetches.append(report.fetches or 0)
        self.rows_out.append(report.rows_out)
        self.strategies.append(report.strategy)
        self.statements.append(len(report.steps))

    @property
    def ms(self) -> float:
        return median(self.seconds) * 1000

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
    def updates(self) -> list[dict[str, Any]]:
        """The points without recomputation itself."""
        return [p for p in self.points if p["update"] != RECOMPUTED]

    @property
    def good(self) -> bool:
        return bool(self.verified) and all(self.verified) and all(b.met for b in self.bars)

    def bar(self, text: str, met: bool, found: str) -> None:
        self.bars.append(Bar(text, met, found))

    def document(self) -> dict[str, Any]:
        return asdict(self)


def recomputed(view: bv.View, repeat: int) -> Took:
    took = Took()
    for n in range(repeat + 1):
        (took if n else Took()).follow(view, "recompute")
    return took


def followed(wh: bv.Warehouse, view: bv.View, update: Update, repeat: int) -> dict[str, Took]:
    """The update and its opposite, several times; the first time is not counted, since it makes the plans."""
    found = {update.done: Took(), update.undone: Took()}
    for n in range(repeat + 1):
        for name, change in ((update.done, update.do), (update.undone, update.undo)):
            with wh.transaction() as tx:
                change(tx)
            (found[name] if n else Took()).follow(view)
    return found


def compare(
    figure: Figure, wh: bv.Warehouse, view: bv.View, updates: list[Update], repeat: int, facts: dict[str, Any]
) -> Iterator[str]:
    """Add a point for each update and for each opposite, with the ratio to recomputation in times and in objects fetched."""
    yield "recomputing"
    again = recomputed(view, repeat)
    mark = ", ".join(f"{k} {v}" for k, v in facts.items())
    figure.samples[f"{mark}: recompute"] = again
    figure.points.append({
        **facts, "update": RECOMPUTED, "way": again.way, "ms": again.ms, "fetched": again.fetched, "read": again.read,
    })  # fmt: skip
    for update in updates:
        yield update.done
        for name, took in followed(wh, view, update, repeat).items():
            figure.samples[f"{mark}: {name}"] = took
            figure.points.append({
                **facts, "update": name, "way": took.way, "ms": took.ms, "fetched": took.fetched, "read": took.read,
                "rows": int(median(took.rows_out)), "times faster": again.ms / took.ms,
                "times fewer": again.fetched / max(took.fetched, 1),
            })  # fmt: skip
            if not update.relevant:
                silent = set(took.strategies) == {"none"} and not any(took.statements) and not any(took.rows_read)
                figure.bar(f"{name}: no query at all", silent, f"{took.way}, {max(took.statements)} statements")
    yield "verifying"
    figure.verified.append(view.verify().ok)
