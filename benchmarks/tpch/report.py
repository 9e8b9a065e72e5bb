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

from benchmarks.tpch.measure import Row
from rich.console import Console
from rich.table import Table


def show(console: Console, rows: Sequence[Row]) -> None:
    """A table for each batch, with the medians in its last line."""
    for batch in dict.fromkeys(r.batch for r in rows):
        mine = [r for r in rows if r.batch == batch]
        with_spark = any(r.recompute_spark is not None for r in mine)
        table = Table(title=f"batch {batch}", title_justify="left")
        table.add_column("view")
        table.add_column("strategy")
        table.add_column("engine")
        heads = ["rows in", "rows read", "refresh ms", "recompute ms", "gain"]
        for head in heads + (["Spark ms", "gain"] if with_spark else []):
            table.add_column(head, justify="right")
        for r in mine:
            table.add_row(r.view, r.strategy, r.engine, *_numbers(r))
        table.add_section()
        table.add_row("median", "", "", *_medians(mine))
        console.print(table)


def _numbers(r: Row) -> list[str]:
    cells = [f"{r.rows_in:,}", f"{r.rows_read:,}", _ms(r.seconds), _ms(r.recompute), f"{r.gain:.1f}"]
    if r.recompute_spark is not None and r.gain_spark is not None:
        cells += [_ms(r.recompute_spark), f"{r.gain_spark:.1f}"]
    return cells


def _medians(rows: Sequence[Row]) -> list[str]:
    cells = [
        f"{median(r.rows_in for r in rows):,.0f}", f"{median(r.rows_read for r in rows):,.0f}",
        _ms(median(r.seconds for r in rows)), _ms(median(r.recompute for r in rows)), f"{median(r.gain for r in rows):.1f}",
    ]  # fmt: skip
    spark = [(r.recompute_spark, r.gain_spark) for r in rows]
    times = [s for s, _ in spark if s is not None]
    gains = [g for _, g in spark if g is not None]
    return cells + ([_ms(median(times)), f"{median(gains):.1f}"] if times else [])


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def save(path: Path, scale: float, engine: str, creation: dict[str, float], rows: Sequence[Row], wrong: Sequence[str]) -> None:
    """Everything, for who wants to compute with it."""
    document: dict[str, Any] = {
        "benchmark": "tpch", "scale": scale, "engine": engine, "python": platform.python_version(), "machine": platform.machine(),
        "versions": {p: version(p) for p in ("duckdb", "pyspark", "pyarrow", "sqlglot")}, "creation_seconds": creation,
        "rows": [asdict(r) | {"gain": r.gain, "gain_spark": r.gain_spark} for r in rows],
        "median_gain": {b: median(r.gain for r in rows if r.batch == b) for b in dict.fromkeys(r.batch for r in rows)},
        "wrong": list(wrong), "verified": not wrong,
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
