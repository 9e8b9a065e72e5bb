"""Twenty views over the same tables, refreshed together, against one of them.

A batch of changes, then all twenty are stale. Measured in turns: one call for all, and one call for a single view. Bar: all
together cost at most 6 times one (medians; one is the mean over the twenty). Exit code 1 if a view is wrong or the bar is not
met.

    python benchmarks/together.py [--rows 200000] [--changed 100] [--repeat 5] [--engine duckdb|spark] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.book.items import load
from benchmarks.book.sheet import Sheet, save
from rich.console import Console
from rich.progress import Progress

import belvedere as bv

MOST = 6.0
HEADS = ("jobs", "rows read", "bytes read", "files")
JOINED = "from items i join orders o on i.order_id = o.id"
#: selections, joins and sums of one join, as a dashboard has them
VIEWS = {
    f"{name}_{n}": text.format(joined=JOINED, n=n, low=n * 150, high=n * 200, day=n * 60, rest=n - 1)
    for n in range(1, 6)
    for name, text in {
        "dear": "select i.id, i.price, o.day {joined} where i.price > {low}",
        "by_day": "select o.day, count(*) n, sum(i.price) total {joined} where i.price < {high} group by o.day",
        "by_week": "select o.day div 7 week, max(i.price) most {joined} where o.day >= {day} group by o.day div 7",
        "items": "select order_id, count(*) n, sum(price) total from items where price % 5 = {rest} group by order_id",
    }.items()
}


def change(wh: bv.Warehouse, turn: int, changed: int) -> None:
    first = turn * 977 % 19_000
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 7) % 1000"}, where=f"id >= {first} and id < {first + changed}")


def measure(wh: bv.Warehouse, options: argparse.Namespace, progress: Progress) -> Sheet:
    names = list(VIEWS)
    together: list[float] = []
    alone: dict[str, list[float]] = {n: [] for n in names}
    counts: dict[str, tuple[int, int, int, int]] = {}
    task = progress.add_task("refreshing", total=options.repeat)
    for turn in range(-1, options.repeat):  # the first round makes the plans
        change(wh, 2 * turn + 2, options.changed)
        began = time.perf_counter()
        reports = wh.refresh(*names)
        took = time.perf_counter() - began
        counts["together"] = _counts(reports)
        change(wh, 2 * turn + 3, options.changed)
        for name in names:
            began = time.perf_counter()
            report = wh.view(name).refresh()
            if turn >= 0:
                alone[name].append(time.perf_counter() - began)
            counts[name] = _counts([report])
        if turn >= 0:
            together.append(took)
        progress.update(task, completed=turn + 1)
    one = mean(median(s) for s in alone.values())
    sheet = Sheet(f"{len(names)} views after {options.changed} changed rows, on {options.engine}")
    sums = [sum(counts[n][i] for n in names) for i in range(len(HEADS))]
    for what, seconds, cells in (
        ("all together", median(together), list(counts["together"])),
        ("one, on average", one, [round(s / len(names)) for s in sums]),
        ("one after the other", sum(median(s) for s in alone.values()), sums),
    ):
        point = {"refreshed": what, "ms": seconds * 1000, "to one": seconds / one}
        sheet.points.append(point | dict(zip(HEADS, cells, strict=True)))
    ratio = median(together) / one
    sheet.bar(f"{len(names)} together cost at most {MOST:g} times one", ratio <= MOST, f"{ratio:.2f}")
    wrong = [n for n in names if not wh.view(n).verify().ok]
    sheet.bar("all equal recomputation", not wrong, ", ".join(wrong) or "verified")
    return sheet


def _counts(reports: list[bv.Refresh]) -> tuple[int, int, int, int]:
    rs = reports
    return sum(r.jobs for r in rs), sum(r.rows_read for r in rs), sum(r.bytes_read for r in rs), sum(r.files for r in rs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--changed", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--json", type=Path)
    options, console = parser.parse_args(), Console()
    with tempfile.TemporaryDirectory() as place, bv.open(Path(place) / "w", engine=options.engine) as wh:
        load(wh, options.rows, VIEWS)
        with Progress(console=console, transient=True) as progress:
            sheet = measure(wh, options, progress)
    sheet.show(console)
    save(options.json, "together", [sheet])
    return 0 if sheet.good else 1


if __name__ == "__main__":
    sys.exit(main())
