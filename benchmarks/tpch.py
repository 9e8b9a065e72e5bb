"""The 22 TPC-H queries as maintained views, against recomputation.

Batches come in turns, eight of each kind; of the last three of a kind the middle counts. For each kind of change and each view:
strategy, engine, what was read, time to refresh (that of the first batch of the kind, the middle, the slowest), time to recompute
in-process over plain Parquet files, and with --spark on Spark too; speed-ups and their medians. Ends with "verified" if every
view equals the query's own text on a plain database. Exit code 1 if not, or if a bar is not met at scale 1: median gains of 50
over Spark and 3 over recomputation in-process (with --engine spark 5 over Spark), and no view slower than its recomputation by
more than 10%. With --on-spark, further batches are followed by engine="spark" and compared with recomputation on Spark.

    python benchmarks/tpch.py [--scale 0.1] [--engine auto|duckdb|spark] [--queries q1,q3] [--spark] [--rounds 8]
                              [--on-spark 0] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.tpch.measure import ROUNDS, Run, batches_of, open_warehouse, rows_of
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.queries import chosen
from benchmarks.tpch.report import ON_SPARK, bars, save, show
from benchmarks.tpch.tables import generate, load

import belvedere as bv

#: columns of a terminal that the table needs
WIDTH = 165


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--engine", choices=["auto", "duckdb", "spark"], default="duckdb", help="where views are worked on")
    parser.add_argument("--queries", help="a list like q1,q3; all 22 if there is none")
    parser.add_argument("--spark", action="store_true", help="time the recomputation on Spark too")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="batches of each kind")
    parser.add_argument("--on-spark", type=int, default=0, help="batches of each kind, after those, that views follow on Spark")
    parser.add_argument("--seed", type=int, default=20261115)
    parser.add_argument("--data", type=Path, help="Parquet files of tpchgen-cli at this scale; made there if there are none")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belvedere-tpch-") as directory:
        return run(options, Path(directory))


def run(options: argparse.Namespace, directory: Path) -> int:
    console = Console(width=max(Console().width, WIDTH))
    data = options.data or directory / "data"
    if not any(data.glob("*.parquet")):
        generate(options.scale, data)
    plain = Plain(data, directory / "plain.duckdb")
    with open_warehouse(directory, options.engine) as warehouse:
        began = time.perf_counter()
        load(warehouse, data)
        console.print(f"scale {options.scale:g}: loaded in {time.perf_counter() - began:.1f} s")
        this = Run(warehouse, plain, chosen(options.queries), options.scale, directory)
        creation = dict(this.create())
        console.print(f"{len(creation)} views made in {sum(creation.values()):.1f} s")
        engine = None if options.engine == "auto" else options.engine
        done: dict[str, list[dict[str, tuple[bv.Refresh, float]]]] = {}
        for make, on_spark in batches_of(plain, options.scale, options.seed, options.rounds, options.on_spark):
            batch = make()
            took = this.refresh(batch, "spark" if on_spark else engine)
            name = batch.name + (ON_SPARK if on_spark else "")
            done.setdefault(name, []).append(took)
            console.print(f"batch {name}: {sum(s for _, s in took.values()):.1f} s to refresh all views")
        rows = rows_of(done, this.recompute(spark=options.spark))
        show(console, rows)
        wrong = this.wrong()
    plain.close()
    held = bars(rows, options.scale, options.engine)
    if options.json:
        save(options.json, options.scale, options.engine, creation, rows, wrong, held)
    for bar in held:
        console.print(f"{bar.text}: {'[green]met[/]' if bar.met else '[red]NOT MET[/]'} ({bar.found})", highlight=False)
    for line in wrong:
        console.print(f"[red]{line}")
    console.print(f"{len(wrong)} differences" if wrong else f"verified: all {len(creation)} views equal their queries")
    return 1 if wrong or not all(b.met for b in held) else 0


if __name__ == "__main__":
    sys.exit(main())
