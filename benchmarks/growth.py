"""The same delta over a growing base: what does a refresh cost when there is ten times the data?

The 22 views of TPC-H at scale 0.1 and scale 1, after batches of the same size. And three views (rows selected, a join, sums of a
join) over items, brought up to date incrementally and by recomputation after 100 rows changed, over bases of several sizes. Bars,
for ten times the data, and over the items from the smallest to the largest base: the median refresh grows at most 1.5 times, and
the rows that it reads at most 1.2 times. Exit code 1 if a view is wrong or a bar is not met.

    python benchmarks/growth.py [--only items,tpch] [--rows 20000,200000,2000000] [--changed 100] [--repeat 7] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.book.items import VIEWS, load
from benchmarks.book.sheet import Sheet, save
from benchmarks.tpch import grown
from rich.console import Console
from rich.progress import Progress

import belvedere as bv

TIME, READ = 1.5, 1.2
PARTS = ("items", "tpch")


def measure(wh: bv.Warehouse, rows: int, changed: int, repeat: int) -> list[dict[str, object]]:
    """A point for each view."""
    took: dict[tuple[str, str], list[float]] = {(v, w): [] for v in VIEWS for w in ("incremental", "recompute")}
    reports: dict[str, bv.Refresh] = {}
    read: dict[str, list[int]] = {v: [] for v in VIEWS}
    for turn in range(-2, repeat):
        for way in ("incremental", "recompute") if turn < 3 else ("incremental",):
            first = (turn + 2) * 1_009
            with wh.transaction() as tx:
                tx.update("items", {"price": "(price + 1) % 1000"}, where=f"id >= {first} and id < {first + changed}")
            for view in VIEWS:
                began = time.perf_counter()
                report = wh.view(view).refresh(strategy=way)
                if turn >= 0:
                    took[view, way].append(time.perf_counter() - began)
                    if way == "incremental":
                        reports[view] = report
                        read[view].append(report.rows_read)
    return [
        {
            "view": v, "rows": rows, "incremental ms": median(took[v, "incremental"]) * 1000,
            "recompute ms": median(took[v, "recompute"]) * 1000,
            "gain": median(took[v, "recompute"]) / median(took[v, "incremental"]), "rows read": int(median(read[v])),
            "bytes read": r.bytes_read, "files": r.files, "jobs": r.jobs,
        }
        for v, r in reports.items()
    ]  # fmt: skip


def of_items(options: argparse.Namespace, progress: Progress) -> Sheet:
    sizes = [int(n.replace("_", "")) for n in options.rows.split(",")]
    sheet = Sheet(f"{options.changed} changed rows over a growing base")
    wrong: list[str] = []
    task = progress.add_task("loading", total=len(sizes))
    for rows in sizes:
        progress.update(task, description=f"{rows:,} rows")
        with tempfile.TemporaryDirectory() as place, bv.open(Path(place) / "w", engine="duckdb") as wh:
            load(wh, rows)
            sheet.points += measure(wh, rows, options.changed, options.repeat)
            wrong += [f"{v} over {rows:,}" for v in VIEWS if not wh.view(v).verify().ok]
        progress.advance(task)
    tenth = max((n for n in sizes if n * 10 <= sizes[-1]), default=sizes[0])
    for less in dict.fromkeys((tenth, sizes[0])):
        for head, most in (("incremental ms", TIME), ("rows read", READ)):
            first, last = ([float(p[head]) for p in sheet.points if p["rows"] == size] for size in (less, sizes[-1]))
            grown_by = median(last) / max(median(first), 1)
            what = f"median {head}: at most {most:g} times more over {sizes[-1]:,} rows than over {less:,}"
            sheet.bar(what, grown_by <= most, f"{grown_by:.2f}")
    sheet.bar("all equal recomputation", not wrong, ", ".join(wrong) or "verified")
    return sheet


def of_tpch(options: argparse.Namespace, progress: Progress) -> Sheet:
    task = progress.add_task("TPC-H", total=None)
    return grown.measure(options.changed, options.repeat, TIME, READ, lambda text: progress.update(task, description=text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--rows", default="20000,200000,2000000")
    parser.add_argument("--changed", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options, console = parser.parse_args(), Console()
    wanted = options.only.split(",")
    if unknown := set(wanted) - set(PARTS):
        parser.error(f"--only {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    with Progress(console=console, transient=True) as progress:
        sheets = [part(options, progress) for name, part in zip(PARTS, (of_items, of_tpch), strict=True) if name in wanted]
    for sheet in sheets:
        sheet.show(console)
    save(options.json, "growth", sheets)
    return 0 if all(s.good for s in sheets) else 1


if __name__ == "__main__":
    sys.exit(main())
