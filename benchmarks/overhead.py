"""What a refresh costs beyond its delta query.

Ten changed rows of 200,000. For three views a whole refresh (plan, run, write, commit) against the same delta query and append
written by hand for DuckDB, on the same files in the same run: read what changed (from a file that lies ready), join it with the
files of the other table, write the result to a new file. The two take turns. Bar: at most 3 times (medians, elapsed). Exit code 1
if a view is wrong or a bar is not met.

    python benchmarks/overhead.py [--rows 200000] [--repeat 30] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import duckdb
import pyarrow.parquet as pq
from benchmarks.book.items import VIEWS, load
from benchmarks.book.sheet import Sheet, save
from rich.console import Console
from rich.progress import Progress

import belvedere as bv
from belvedere.store.inlined import is_inlined

CHANGED, MOST = 10, 3.0
#: the delta queries: `changed` are the changed items with their weights, `orders` are the files of the other table
BY_HAND = {
    "selected": "select id, price * 2 twice, _w from changed where price < 800",
    "joined": "select i.id, i.price, o.day, i._w from changed i join orders o on i.order_id = o.id",
    "summed": (
        "select o.day, sum(i._w) n, sum(i.price * i._w) total from changed i join orders o on i.order_id = o.id group by o.day"
    ),
}


class ByHand:
    """A connection, and the files of the warehouse: those of a whole table, or of what changed in an epoch."""

    def __init__(self, wh: Any, place: Path) -> None:
        self.store, self.place = wh.core.store, place
        self.connection = duckdb.connect()
        self.written = 0

    def files(self, table: str, since: int | None = None) -> str:
        """A FROM item: the rows of a table, or those that came and went after an epoch."""
        collection = self.store.collection(table)
        runs = self.store.reader.snapshot(collection, None, None)
        if since is not None:
            runs = self.store.reader.delta(collection.id, since, self.store.reader.newest)
        names = ", ".join(f'c{c.id} as "{c.name}"' for c in collection.schema)
        paths = ", ".join(f"'{self._file(r.path)}'" for r in runs)
        return f"(select {names}, _w from read_parquet([{paths}]))"

    def _file(self, path: str) -> str:
        """A run as a file. One that the catalog holds is made one, by nobody's clock."""
        if not is_inlined(path):
            return path
        made = self.place / f"{Path(path).stem}.parquet"
        if not made.exists():
            pq.write_table(self.store.inlined.read(path), made)
        return str(made)

    def run(self, view: str, since: int) -> float:
        """Seconds of the delta query and of writing what it gives."""
        changed, orders = self.files("items", since), self.files("orders")
        self.written += 1
        target = self.place / f"{view}-{self.written}.parquet"
        began = time.perf_counter()
        text = BY_HAND[view].replace("from changed", f"from {changed}").replace("join orders o", f"join {orders} o")
        self.connection.execute(f"copy ({text}) to '{target}' (format parquet)")
        return time.perf_counter() - began


def measure(wh: bv.Warehouse, place: Path, repeat: int, progress: Progress) -> Sheet:
    sheet, hand = Sheet(f"A refresh after {CHANGED} changed rows"), ByHand(wh, place)
    ours: dict[str, list[float]] = {v: [] for v in VIEWS}
    theirs: dict[str, list[float]] = {v: [] for v in VIEWS}
    reports: dict[str, bv.Refresh] = {}
    task = progress.add_task("refreshing", total=repeat)
    for turn in range(-2, repeat):  # the first rounds make the plans
        before = wh.epoch
        first = turn * 97 + 1000
        with wh.transaction() as tx:
            tx.update("items", {"price": "(price + 1) % 1000"}, where=f"id >= {first} and id < {first + CHANGED}")
        for view in VIEWS:
            began = time.perf_counter()
            reports[view] = wh.view(view).refresh(strategy="incremental")
            seconds = time.perf_counter() - began
            by_hand = hand.run(view, before)
            if turn >= 0:
                ours[view].append(seconds)
                theirs[view].append(by_hand)
        progress.update(task, completed=max(turn + 1, 0))
    for view, report in reports.items():
        whole, least = median(ours[view]) * 1000, median(theirs[view]) * 1000
        sheet.points.append({
            "view": view, "refresh ms": whole, "by hand ms": least, "refresh : by hand": whole / least, "jobs": report.jobs,
            "rows read": report.rows_read, "bytes read": report.bytes_read, "files": report.files,
        })  # fmt: skip
        sheet.bar(f"{view}: at most {MOST:g} times by hand", whole <= MOST * least, f"{whole / least:.2f}")
    for view in VIEWS:
        sheet.bar(f"{view}: equals recomputation", wh.view(view).verify().ok, "verified")
    return sheet


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options, console = parser.parse_args(), Console()
    with tempfile.TemporaryDirectory() as place, bv.open(Path(place) / "w", engine="duckdb") as wh:
        load(wh, options.rows)
        with Progress(console=console, transient=True) as progress:
            sheet = measure(wh, Path(place), options.repeat, progress)
    sheet.show(console)
    save(options.json, "overhead", [sheet])
    return 0 if sheet.good else 1


if __name__ == "__main__":
    sys.exit(main())
