"""The table that a person reads, and the same as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.book.sheet import Bar
from benchmarks.tpch.measure import Row
from rich.console import Console
from rich.table import Table

#: at scale 1, by how much a refresh must be faster than recomputation: of "auto" on Spark and in-process, of Spark on Spark
SPARK, IN_PROCESS, SPARK_BY_SPARK = 50, 3, 5
#: and by how much it may be slower
SLOWER = 1.1
#: what follows the name of a kind of batches that views follow on Spark
ON_SPARK = " on Spark"


def show(console: Console, rows: Sequence[Row]) -> None:
    """A table for each batch, with the medians in its last line."""
    for batch in dict.fromkeys(r.batch for r in rows):
        mine = [r for r in rows if r.batch == batch]
        with_spark = any(r.recompute_spark is not None for r in mine)
        table = Table(title=f"batch {batch}", title_justify="left")
        table.add_column("view")
        table.add_column("strategy")
        table.add_column("engine")
        heads = ["jobs", "files", "bytes", "rows in", "rows read", "first ms", "refresh ms", "slowest ms", "recompute ms", "gain"]
        for head in heads + (["Spark ms", "gain"] if with_spark else []):
            table.add_column(head, justify="right")
        for r in mine:
            table.add_row(r.view, r.strategy, r.engine, *_numbers(r))
        table.add_section()
        table.add_row("median", "", "", *_medians(mine))
        console.print(table)


def _numbers(r: Row) -> list[str]:
    cells = [f"{n:,}" for n in (r.jobs, r.files, r.bytes_read, r.rows_in, r.rows_read)]
    cells += [_ms(r.first), _ms(r.seconds), _ms(r.slowest), _ms(r.recompute), f"{r.gain:.1f}"]
    if r.recompute_spark is not None and r.gain_spark is not None:
        cells += [_ms(r.recompute_spark), f"{r.gain_spark:.1f}"]
    return cells


def _medians(rows: Sequence[Row]) -> list[str]:
    counts = ([getattr(r, n) for r in rows] for n in ("jobs", "files", "bytes_read", "rows_in", "rows_read"))
    cells = [f"{median(c):,.0f}" for c in counts]
    cells += [_ms(median(getattr(r, n) for r in rows)) for n in ("first", "seconds", "slowest", "recompute")]
    cells.append(f"{median(r.gain for r in rows):.1f}")
    spark = [(r.recompute_spark, r.gain_spark) for r in rows]
    times = [s for s, _ in spark if s is not None]
    gains = [g for _, g in spark if g is not None]
    return cells + ([_ms(median(times)), f"{median(gains):.1f}"] if times else [])


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def bars(rows: Sequence[Row], scale: float, engine: str) -> list[Bar]:
    """What must hold at scale 1, for each of the two large batches; smaller scales have less to gain."""
    found: list[Bar] = []
    if scale < 1:
        return found
    for batch in [b + where for where in ("", ON_SPARK) for b in ("rf1+rf2", "updates")]:
        mine = [r for r in rows if r.batch == batch]
        by_spark = engine == "spark" or batch.endswith(ON_SPARK)
        on_spark = [g for r in mine if (g := r.gain_spark) is not None]
        if on_spark:
            least = SPARK_BY_SPARK if by_spark else SPARK
            found.append(_at_least(f"{batch}: median gain over recomputation on Spark", median(on_spark), least))
        if mine and not by_spark:
            gain = median(r.gain for r in mine)
            found.append(_at_least(f"{batch}: median gain over recomputation in-process", gain, IN_PROCESS))
        gains = {r.view: g for r in mine if (g := r.gain_spark if by_spark else r.gain) is not None}
        if gains:
            slow = [f"{v} {1 / g:.2f}" for v, g in gains.items() if 1 / g > SLOWER]
            told = ", ".join(slow) or f"the slowest takes {1 / min(gains.values()):.2f} of it"
            found.append(Bar(f"{batch}: no view takes more than {SLOWER:g} times its recomputation", not slow, told))
    return found


def _at_least(text: str, ratio: float, least: float) -> Bar:
    return Bar(f"{text} at least {least:g}", ratio >= least, f"{ratio:.1f}")


def save(path: Path, scale: float, engine: str, creation: dict[str, float], rows: Sequence[Row], wrong: Sequence[str],
         held: Sequence[Bar]) -> None:  # fmt: skip
    """Everything, for who wants to compute with it."""
    document: dict[str, Any] = {
        "benchmark": "tpch", "scale": scale, "engine": engine, "python": platform.python_version(), "machine": platform.machine(),
        "versions": {p: version(p) for p in ("duckdb", "pyspark", "pyarrow", "sqlglot")}, "creation_seconds": creation,
        "rows": [asdict(r) | {"gain": r.gain, "gain_spark": r.gain_spark} for r in rows],
        "median_gain": {b: median(r.gain for r in rows if r.batch == b) for b in dict.fromkeys(r.batch for r in rows)},
        "wrong": list(wrong), "verified": not wrong, "bars": [asdict(b) for b in held],
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
