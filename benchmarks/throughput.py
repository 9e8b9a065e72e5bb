"""A million changed rows through the demo's views, in batches of 10,000.

Each batch is one transaction of orders and items that come, change and go, as many as come, and one refresh of all four views.
Before the million come some batches that fill what is kept in memory on purpose. Reported: rows per second, and the memory of
the process after the first tenth and at the end. Bar: it grows by less than 10%. Exit code 1 if a view is wrong or the bar is
not met.

    python benchmarks/throughput.py [--rows 1000000] [--batch 10000] [--warm 30] [--scale 0.2] [--engine duckdb|auto]
                                    [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
from benchmarks.book.machine import resident
from benchmarks.book.sheet import Sheet, save
from rich.console import Console
from rich.progress import Progress

import belvedere as bv
from belvedere.cli.demo.shop import SCHEMAS, VIEWS, Batch, Sizes, rows_sql

MOST_GROWTH = 1.1


class Next(Batch):
    """A batch in which every row does change, however many there were before: what came with the batch before it goes, so that
    the data stay of one size, and memory that grows is not theirs."""

    @property
    def inserts(self) -> int:
        return self.size * 2 // 5

    @property
    def updates(self) -> int:
        return self.size - 2 * self.inserts

    def send(self, tx: bv.Transaction) -> None:
        super().send(tx)
        tx.delete("orders", where=self.gone_orders())

    def gone_orders(self) -> str:
        return self._before("orders", max(1, self.inserts // 5))

    def changed_orders(self) -> str:
        return self._window("orders", max(1, self.updates // 5))

    def changed_items(self) -> str:
        return self._window("items", self.updates - max(1, self.updates // 5))

    def gone_items(self) -> str:
        return self._before("items", self.inserts - max(1, self.inserts // 5))

    def _before(self, table: str, count: int) -> str:
        """As many rows, which came with the batch before; before the first one, the last of the table."""
        first = self._unused(table) - 10_000_000 if self.number > 1 else self.sizes.of(table) - count
        return f"id >= {first} and id < {first + count}"

    def _window(self, table: str, count: int) -> str:
        first = self.number * count % (self.sizes.of(table) - count - self.deletes)
        return f"id >= {first} and id < {first + count}"


def load(wh: bv.Warehouse, sizes: Sizes) -> None:
    for table, (schema, key) in SCHEMAS.items():
        wh.create_table(table, schema, key=key)
        wh.load("row_numbers", pa.table({"id": pa.array(range(sizes.of(table)), pa.int64())}))
        wh.load(table, wh.query(f"select {rows_sql(table, sizes)} from row_numbers").arrow())
        wh.drop_table("row_numbers")
    for name, text in VIEWS.items():
        wh.create_view(name, text)


def measure(wh: bv.Warehouse, options: argparse.Namespace, sizes: Sizes, progress: Progress) -> Sheet:
    count = options.rows // options.batch
    stretch = max(1, count // 10)
    sheet = Sheet(f"{options.rows:,} changed rows in batches of {options.batch:,}, on {options.engine}")
    task = progress.add_task("batches", total=count)
    held: list[int] = []
    reports: list[bv.Refresh] = []
    commits: list[float] = []
    refreshes: list[float] = []
    for number in range(1 - options.warm, count + 1):
        batch = Next(number + options.warm, options.batch, sizes)
        began = time.perf_counter()
        with wh.transaction() as tx:
            batch.send(tx)
        middle = time.perf_counter()
        done = wh.refresh()
        if number < 1:
            continue
        reports += done
        commits.append(middle - began)
        refreshes.append(time.perf_counter() - middle)
        progress.update(task, completed=number)
        if number % stretch == 0:
            wh.upkeep.rest()  # what merges beside took goes back when it is quiet, and this never is
            gc.collect()
            held.append(resident())
            seconds = sum(commits[-stretch:]) + sum(refreshes[-stretch:])
            sheet.points.append({
                "batches": f"{number - stretch + 1} to {number}", "rows a second": options.batch * stretch / seconds,
                "transaction ms": median(commits[-stretch:]) * 1000, "refresh ms": median(refreshes[-stretch:]) * 1000,
                "jobs": sum(r.jobs for r in reports), "rows read": sum(r.rows_read for r in reports),
                "bytes read": sum(r.bytes_read for r in reports), "files": sum(r.files for r in reports),
                "recomputed": sum(r.strategy == "recompute" for r in reports), "memory MiB": held[-1] // 2**20,
            })  # fmt: skip
            reports.clear()
    rate = options.batch * count / (sum(commits) + sum(refreshes))
    growth = held[-1] / held[0]
    found = f"{growth - 1:+.1%}; {rate:,.0f} rows a second"
    sheet.bar(f"memory grows by less than {MOST_GROWTH - 1:.0%}", growth < MOST_GROWTH, found)
    wrong = [name for name in VIEWS if not wh.view(name).verify().ok]
    sheet.bar("all equal recomputation", not wrong, ", ".join(wrong) or "verified")
    return sheet


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--warm", type=int, default=30, help="batches before those that count")
    parser.add_argument("--scale", type=float, default=0.2, help="1 is three million items")
    parser.add_argument("--engine", choices=["duckdb", "auto"], default="duckdb")
    parser.add_argument("--json", type=Path)
    options, console = parser.parse_args(), Console()
    with tempfile.TemporaryDirectory() as place, bv.open(Path(place) / "w", engine=options.engine) as wh:
        sizes = Sizes.at(options.scale)
        load(wh, sizes)
        with Progress(console=console, transient=True) as progress:
            sheet = measure(wh, options, sizes, progress)
    sheet.show(console)
    save(options.json, "throughput", [sheet])
    return 0 if sheet.good else 1


if __name__ == "__main__":
    sys.exit(main())
