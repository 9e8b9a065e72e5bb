"""How much of a large table does a small delta read?

A table of 5,000,000 rows, joined by key with a small one; 10 rows of the small one change. The refresh may read at most 2% of
the large table's rows, on either engine. Exit code 1 if it reads more.

    python benchmarks/lookup.py [--rows 5000000] [--engine both|duckdb|spark]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

import belvedere as bv

VIEW = "select p.id, p.picked, l.name, l.price from picks p join products l on p.product = l.id"
MOST = 0.02
CHUNK = 1_000_000


def load(wh: bv.Warehouse, rows: int) -> None:
    wh.create_table("products", "id bigint, name string, price bigint", key="id")
    wh.create_table("picks", "id bigint, product bigint, picked int", key="id")
    for first in range(0, rows, CHUNK):
        ids = range(first, min(rows, first + CHUNK))
        names, prices = [f"product {n}" for n in ids], [n * 7919 % 10_007 for n in ids]
        wh.load("products", pa.table({"id": pa.array(ids), "name": names, "price": prices}))
    wh.load("picks", [{"id": n, "product": n * 4001 % rows, "picked": 0} for n in range(1_000)])
    wh.create_view("picked", VIEW)


def measure(wh: bv.Warehouse, engine: str, turn: int, rows: int) -> bool:
    ids = range(10_000 + turn * 10, 10_010 + turn * 10)
    with wh.transaction() as tx:
        tx.insert("picks", [{"id": n, "product": n * 499_979 % rows, "picked": 1} for n in ids])
    started = time.perf_counter()
    done = wh.view("picked").refresh(strategy="incremental", engine=engine)
    seconds = time.perf_counter() - started
    share = done.rows_read / rows
    print(
        f"{engine:7} {done.strategy}: {done.rows_in} rows in, {done.rows_out} out, {done.rows_read:,} rows read, "
        f"{share:.3%} of {rows:,} (at most {MOST:.0%}), {done.bytes_read:,} bytes, {seconds:.3f} s",
        flush=True,
    )
    return share <= MOST and done.rows_out == 10 and done.rows_read > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--engine", choices=["both", "duckdb", "spark"], default="both")
    chosen = parser.parse_args()
    engines = ["duckdb", "spark"] if chosen.engine == "both" else [chosen.engine]
    with tempfile.TemporaryDirectory() as directory, bv.open(Path(directory, "warehouse")) as wh:
        started = time.perf_counter()
        load(wh, chosen.rows)
        print(f"loaded {chosen.rows:,} rows and made the view in {time.perf_counter() - started:.1f} s", flush=True)
        good = [measure(wh, engine, turn, chosen.rows) for turn, engine in enumerate(e for e in engines for _ in range(2))]
        verified = wh.view("picked").verify().ok
    print(f"the view equals its recomputation: {'yes' if verified else 'NO'}")
    return 0 if all(good) and verified else 1


if __name__ == "__main__":
    sys.exit(main())
