"""Does an epoch cost the same after a thousand others?

1,000 epochs of 10 rows each on a view that joins and groups. The median refresh of the last 100 must be at most 1.3 times that
of epochs 100 to 200, and the number of files must stay bounded. Exit code 1 if not.

    python benchmarks/epochs.py [--epochs 1000] [--keep DIRECTORY]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import belvedere as bv

VIEW = (
    "select c.region, o.day, count(*) orders, sum(o.amount) total "
    "from orders o join customers c on o.customer = c.id group by c.region, o.day"
)
CUSTOMERS, FIRST_ORDERS, ROWS = 2_000, 20_000, 10
MOST_GROWTH = 1.3
MOST_FILES_GROWTH = 2.0


def load(wh: bv.Warehouse, rng: random.Random) -> None:
    wh.create_table("customers", "id bigint, region string", key="id")
    wh.create_table("orders", "id bigint, customer bigint, day int, amount decimal(12,2)", key="id")
    wh.load("customers", [{"id": n, "region": f"region {n % 40}"} for n in range(CUSTOMERS)])
    wh.load("orders", [order(n, rng) for n in range(FIRST_ORDERS)])
    wh.create_view("by_region", VIEW)


def order(number: int, rng: random.Random) -> dict[str, object]:
    amount = f"{rng.randrange(10**6) / 100:.2f}"
    return {"id": number, "customer": rng.randrange(CUSTOMERS), "day": rng.randrange(30), "amount": amount}


def epoch(wh: bv.Warehouse, number: int, live: list[int], rng: random.Random) -> None:
    """Six orders come, two change, two go: ten rows, and the table keeps growing a little."""
    new = [order(FIRST_ORDERS + number * 6 + n, rng) for n in range(6)]
    picked = [live.pop(rng.randrange(len(live))) for _ in range(4)]
    with wh.transaction() as tx:
        tx.insert("orders", new)
        tx.update("orders", {"amount": "amount + 1"}, where=f"id in ({picked[0]}, {picked[1]})")
        tx.delete("orders", key=picked[2:])
    live += [int(str(row["id"])) for row in new] + picked[:2]


def files(path: Path) -> int:
    return sum(1 for f in path.rglob("*") if f.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=1_000)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = chosen.keep or Path(directory, "warehouse")
        with bv.open(path, engine="duckdb") as wh:
            return measure(wh, path, chosen.epochs)


def measure(wh: bv.Warehouse, path: Path, epochs: int) -> int:
    rng = random.Random(20261115)
    load(wh, rng)
    live = list(range(FIRST_ORDERS))
    refreshes, commits, counted, processor = [], [], [], []
    for number in range(epochs):
        started = time.perf_counter()
        epoch(wh, number, live, rng)
        committed, busy = time.perf_counter(), time.process_time()
        [done] = wh.refresh()
        finished = time.perf_counter()
        processor.append(time.process_time() - busy)
        if done.strategy != "incremental":
            print(f"epoch {number} was worked on by {done.strategy}, not incrementally")
            return 1
        commits.append(committed - started)
        refreshes.append(finished - committed)
        counted.append(files(path))
        if (number + 1) % 100 == 0:
            print(
                f"epochs {number - 98:5} to {number + 1:5}: refresh {median(refreshes[-100:]) * 1000:7.1f} ms, "
                f"commit {median(commits[-100:]) * 1000:7.1f} ms, files {counted[-1]:5} (at most {max(counted[-100:])})",
                flush=True,
            )
    early, late = median(refreshes[epochs // 10 : epochs // 5]), median(refreshes[-(epochs // 10) :])
    files_early, files_late = max(counted[epochs // 5 : 2 * epochs // 5]), max(counted[-(epochs // 5) :])
    cpu_early, cpu_late = median(processor[epochs // 10 : epochs // 5]), median(processor[-(epochs // 10) :])
    verified = wh.view("by_region").verify().ok
    ratio = late / early
    print(f"median refresh: {early * 1000:.1f} ms early, {late * 1000:.1f} ms late, ratio {ratio:.2f} (at most {MOST_GROWTH})")
    print(f"median processor time of a refresh: {cpu_early * 1000:.1f} ms early, {cpu_late * 1000:.1f} ms late")
    print(f"most files: {files_early} early, {files_late} late (at most {MOST_FILES_GROWTH:g} times as many)")
    print(f"the view equals its recomputation: {'yes' if verified else 'NO'}")
    return 0 if ratio <= MOST_GROWTH and files_late <= MOST_FILES_GROWTH * files_early and verified else 1


if __name__ == "__main__":
    sys.exit(main())
