"""Where maintaining stops paying, and whether the planner knows.

Three views (rows selected, a join, sums of a join) over 200,000 items; from 0.001% to 100% of the items change, are deleted, or
come, in 13 sizes. Each view is brought up to date incrementally, by recomputation, and as the planner chooses, in turns, from the
same state. Bars: "auto" is at most 20% slower than the better of the two (processor time, medians), or by less than the clock can
tell. Large merges, which follow beside a refresh, are waited for and not counted. Exit code 1 if a view is wrong or a bar is not
met.

    python benchmarks/breakeven.py [--rows 200000] [--repeat 12] [--kinds change,delete,come] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import permutations
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.book.items import VIEWS, items, load
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import belvedere as bv

SIZES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0)
WAYS = ("incremental", "recompute", "auto")
#: who comes first, and after whom, is different in each of six rounds
ORDERS = tuple(permutations(WAYS))
SLOWER = 1.2
#: seconds: less than this is nothing to choose by
NOISE = 0.005
KINDS = ("change", "delete", "come")


@dataclass
class Point:
    """One view after a change of one size: processor seconds of each way, and what the planner chose."""

    kind: str
    part: float
    view: str
    seconds: dict[str, list[float]] = field(default_factory=lambda: {w: [] for w in WAYS})
    chosen: list[str] = field(default_factory=list)
    reason: str = ""
    #: of the planner's last choice: Spark jobs, rows, bytes, files
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)

    def took(self, way: str) -> float:
        return median(self.seconds[way])

    @property
    def better(self) -> float:
        return min(self.took("incremental"), self.took("recompute"))

    @property
    def good(self) -> bool:
        return self.took("auto") <= max(SLOWER * self.better, self.better + NOISE)


def happen(wh: bv.Warehouse, kind: str, part: float, rows: int) -> None:
    many = max(1, round(rows * part))
    with wh.transaction() as tx:
        if kind == "change":
            tx.update("items", {"price": "price + 1"}, where=f"id < {many}")
        elif kind == "delete":
            tx.delete("items", where=f"id < {many}")
        else:
            tx.insert("items", items(rows, rows + many, rows))


def undo(wh: bv.Warehouse, kind: str, part: float, rows: int) -> None:
    many = max(1, round(rows * part))
    with wh.transaction() as tx:
        if kind == "change":
            tx.update("items", {"price": "price - 1"}, where=f"id < {many}")
        elif kind == "delete":
            tx.insert("items", items(0, many, rows))
        else:
            tx.delete("items", where=f"id >= {rows}")


def measure(wh: bv.Warehouse, kinds: list[str], rows: int, repeat: int) -> Iterator[Point]:
    for kind in kinds:
        for part in SIZES:
            points = {name: Point(kind, part, name) for name in VIEWS}
            for n in range(repeat + 1):  # the first round makes the plans
                for way in ORDERS[n % len(ORDERS)]:
                    happen(wh, kind, part, rows)
                    for name, point in points.items():
                        wh.upkeep.settle()  # the clock is that of all threads
                        began = time.process_time()
                        report = wh.view(name).refresh(strategy=way)
                        if n:
                            point.seconds[way].append(time.process_time() - began)
                        if way == "auto":
                            point.chosen.append(report.strategy)
                            point.reason = report.reason
                            point.counts = (report.jobs, report.rows_read, report.bytes_read, report.files)
                    undo(wh, kind, part, rows)
                    wh.refresh()
            yield from points.values()


def show(console: Console, points: list[Point]) -> None:
    counts = ("jobs", "rows read", "bytes", "files")
    table = Table("change", "of the base", "view", *(f"{w} ms" for w in WAYS), "auto to better", "chosen", *counts)
    for p in points:
        ratio = p.took("auto") / p.better
        cells = [f"{p.took(w) * 1000:,.1f}" for w in WAYS]
        mark = "" if p.good else " !"
        table.add_row(p.kind, f"{p.part:.3%}", p.view, *cells, f"{ratio:.2f}{mark}", ", ".join(sorted(set(p.chosen))),
                      *(f"{n:,}" for n in p.counts))  # fmt: skip
    console.print(table)
    for name in VIEWS:
        for kind in sorted({p.kind for p in points}):
            lost = [p.part for p in points if p.view == name and p.kind == kind and p.took("incremental") > p.took("recompute")]
            console.print(f"{name}, {kind}: {f'maintaining loses from {min(lost):.3%}' if lost else 'maintaining always wins'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=12)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"--kinds {', '.join(sorted(unknown))}: choose from {', '.join(KINDS)}")
    console = Console()
    points: list[Point] = []
    with tempfile.TemporaryDirectory() as place, bv.open(Path(place) / "w", engine="duckdb") as wh:
        load(wh, options.rows)
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("measuring", total=len(kinds) * len(SIZES) * len(VIEWS))
            for point in measure(wh, kinds, options.rows, options.repeat):
                points.append(point)
                progress.update(task, advance=1, description=f"{point.kind} {point.part:.3%}")
        right = all(wh.view(name).verify().ok for name in VIEWS)
    show(console, points)
    if options.json:
        options.json.write_text(json.dumps([asdict(p) for p in points], indent=1))
    good = sum(p.good for p in points)
    said = "verified" if right else "WRONG"
    console.print(f"auto at most {SLOWER - 1:.0%} slower than the better way: {good} of {len(points)}; {said}")
    return 0 if right and good == len(points) else 1


if __name__ == "__main__":
    sys.exit(main())
