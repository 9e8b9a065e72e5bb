"""Object views measured as the two papers measured theirs.

Fig 12 of the first paper: reading the view against asking its query, and following an inserted object or a modified attribute
against re-materialization, as ratios of medians in one run, with rows read. Exit code 1 if a view is wrong, or if at
1,000,000 employees following is not more than 132 times (the paper's best) faster than re-materialization.
Table 2 of the second paper: three queries kept fresh over 8,000 primary transactions with five subsequent ones each, in batches,
against the same maintenance by hand in plain Python and in PySpark.

    python benchmarks/objects.py [--employees 10000,100000,1000000] [--engine duckdb|spark] [--only figure12|table2] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.object_views.figure12 import Figure12, measure
from benchmarks.object_views.report import BEST, save, show_figure, show_table
from benchmarks.object_views.table2 import Took, by_hand, on_spark, with_belvedere

#: from here on the paper's best must be beaten
LARGE = 1_000_000


def numbers(text: str) -> list[int]:
    return [int(part.replace("_", "")) for part in text.split(",") if part]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--employees", type=numbers, default=[10_000, 100_000, 1_000_000], help="sizes for Fig 12")
    parser.add_argument("--transactions", type=int, default=8_000, help="primary transactions for Table 2")
    parser.add_argument("--batches", type=numbers, default=[1, 10, 100, 1_000], help="primary transactions in a batch")
    parser.add_argument("--mode", choices=["immediate", "deferred", "lazy", "hybrid"], default="immediate")
    parser.add_argument("--most", type=int, help="no more batches than this of each size, the time scaled; all if absent")
    parser.add_argument("--spark-most", type=int, default=10, help="the same for PySpark by hand; 0 leaves it out")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb", help="where views are worked on")
    parser.add_argument("--only", choices=["figure12", "table2"])
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    return parser.parse_args()


def figure12(options: argparse.Namespace, directory: Path, progress: Progress) -> Iterator[Figure12]:
    for employees in options.employees:
        task = progress.add_task(f"{employees:,} employees", total=6)
        for doing, found in measure(directory, employees, options.engine):
            progress.update(task, description=f"{employees:,} employees: {doing}")
            if doing == "done":
                yield found
            else:
                progress.advance(task)


def table2(options: argparse.Namespace, directory: Path, progress: Progress) -> Iterator[Took]:
    count = options.transactions
    for size in options.batches:
        place = directory / f"batches-{size}"
        ours = with_belvedere(place, options.engine, options.mode, count, size, options.most)
        yield run(ours, f"batches of {size:,}: Belvedere", progress)
        yield by_hand(count, size)
    if options.spark_most:
        from belvedere.engines.spark import SparkEngine

        engine = SparkEngine()
        for size in options.batches:
            theirs = on_spark(engine.session, directory / f"spark-{size}", count, size, options.spark_most)
            yield run(theirs, f"batches of {size:,}: PySpark by hand", progress)
        engine.close()


def run(work: Iterator[Any], what: str, progress: Progress) -> Took:
    """A program to its end, with a bar that shows how far it is."""
    task = progress.add_task(what, total=1.0)
    for step in work:
        if isinstance(step, Took):
            return step
        progress.update(task, completed=step)
    raise AssertionError("a program ends with what it took")


def main() -> int:
    options, console = arguments(), Console()
    sizes: list[Figure12] = []
    took: list[Took] = []
    with tempfile.TemporaryDirectory(prefix="belvedere-objects-") as directory, Progress(console=console) as progress:
        if options.only != "table2":
            sizes = list(figure12(options, Path(directory), progress))
        if options.only != "figure12":
            took = list(table2(options, Path(directory), progress))
    if sizes:
        show_figure(console, sizes)
    show_table(console, took)
    if options.json:
        save(options.json, options.engine, sizes, took)
    slow = [s for s in sizes if s.employees >= LARGE and s.followed <= BEST]
    for s in slow:
        console.print(f"[red]at {s.employees:,} employees following is not {BEST} times faster than re-materialization")
    return 1 if slow or not all(s.verified for s in sizes) else 0


if __name__ == "__main__":
    sys.exit(main())
