"""The tables that a person reads, and the same as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.object_views.figure12 import Figure12, Timed
from benchmarks.object_views.table2 import PAPER, Took
from rich.console import Console
from rich.table import Table

#: the first paper's best: so many times faster than re-materialization, for an insert into its large database
BEST = 132


def show_figure(console: Console, sizes: Sequence[Figure12]) -> None:
    """Times and rows read by size, then the ratios."""
    table = Table(title=f"First paper, Fig 12: olderEmpThatWorksFor, on {sizes[0].engine} (ms, median; rows read)")
    table.add_column("")
    for s in sizes:
        table.add_column(f"{s.employees:,} employees", justify="right")
    times: dict[str, Any] = {
        "query, materialized": lambda s: s.materialized, "query, virtual": lambda s: s.virtual,
        "the transaction itself": lambda s: s.transaction,
        "insert, incremental": lambda s: s.insert, "insert, re-materialized": lambda s: s.insert_again,
        "name, incremental": lambda s: s.modify, "name, re-materialized": lambda s: s.modify_again,
    }  # fmt: skip
    for name, of in times.items():
        table.add_row(name, *(_cell(of(s)) for s in sizes))
    table.add_section()
    for name in sizes[0].ratios:
        table.add_row(name, *(f"{s.ratios[name]:,.1f}" for s in sizes))
    table.add_section()
    table.add_row("rows of the view", *(f"{s.view_rows:,}" for s in sizes))
    table.add_row("equals recomputation", *("yes" if s.verified else "NO" for s in sizes))
    console.print(table)


def _cell(t: Timed) -> str:
    rows = f" ({t.rows:,})" if t.rows_read else ""
    return f"{t.median * 1000:,.1f}{rows}"


def show_table(console: Console, took: Sequence[Took]) -> None:
    """Total seconds by batch size, and ours to those of each program by hand."""
    if not took:
        return
    table = Table(title=f"Second paper, Table 2: {took[0].transactions:,} primary transactions (seconds in total)")
    for head in ("batch", "program", "objects", *PAPER, "total"):
        table.add_column(head, justify="left" if head == "program" else "right")
    for size in dict.fromkeys(t.batch for t in took):
        mine = [t for t in took if t.batch == size]
        for t in mine:
            name = t.program + (f" (scaled from {t.measured:,})" if t.scaled else "")
            table.add_row(f"{size:,}", name, *(f"{s:,.3f}" for s in (t.base, *(t.queries[q] for q in PAPER), t.total)))
        for name, ratios in _ratios(mine).items():
            table.add_row("", f"[bold]Belvedere / {name}", "", *(f"[bold]{ratios[q]:,.3g}" for q in (*PAPER, "total")))
        table.add_section()
    table.add_row("", "the paper: framework / by hand", "", *(str(r) for r in PAPER.values()), "")
    console.print(table)


def _ratios(took: Sequence[Took]) -> dict[str, dict[str, float]]:
    ours = next(t for t in took if t.program == "Belvedere")
    return {
        t.program: {q: ours.queries[q] / t.queries[q] for q in PAPER} | {"total": ours.total / t.total}
        for t in took
        if t is not ours
    }


def save(path: Path, engine: str, sizes: Sequence[Figure12], took: Sequence[Took]) -> None:
    """Everything, for who wants to compute with it."""
    batches = dict.fromkeys(t.batch for t in took)
    document = {
        "benchmark": "objects", "engine": engine, "python": platform.python_version(), "machine": platform.machine(),
        "versions": {p: version(p) for p in ("duckdb", "pyspark", "pyarrow", "sqlglot")},
        "figure12": [s.document() for s in sizes], "table2": [t.document() for t in took],
        "table2_ratios": {b: _ratios([t for t in took if t.batch == b]) for b in batches},
        "paper": {"best": BEST, "table2": PAPER},
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
