"""The tables that a person reads, and the same as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.graph_views.measure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def show(console: Console, figure: Figure, engine: str) -> None:
    table = Table(title=f"{figure.title}, on {engine}", title_justify="left", box=SIMPLE_HEAD)
    heads = list(dict.fromkeys(h for p in figure.points for h in p))
    for head in heads:
        words = any(isinstance(p.get(head), str) for p in figure.points)
        table.add_column(head, justify="left" if words else "right", no_wrap=head == "update")
    for point in figure.points:
        table.add_row(*(_cell(head, point.get(head)) for head in heads))
    console.print(table)
    for fact, value in figure.facts.items():
        console.print(f"  {fact}: {_cell(fact, value)}", highlight=False)
    for bar in figure.bars:
        met = "[green]met[/]" if bar.met else "[red]NOT MET[/]"
        console.print(f"  {bar.text}: {met} ({bar.found})", highlight=False)
    right = "[green]yes[/]" if figure.verified and all(figure.verified) else "[red]NO[/]"
    console.print(f"  equals recomputation: {right}\n", highlight=False)


def _cell(head: str, value: Any) -> str:
    match value:
        case None:
            return ""
        case float() if head == "selectivity":
            return f"{value:.0%}"
        case float() if value >= 100:
            return f"{value:,.0f}"
        case float():
            return f"{value:,.1f}"
        case int():
            return f"{value:,}"
    return str(value)


def save(path: Path, engine: str, figures: Sequence[Figure]) -> None:
    """Everything, for who wants to compute with it."""
    document = {
        "benchmark": "lorel", "engine": engine, "python": platform.python_version(), "machine": platform.machine(),
        "versions": {p: version(p) for p in ("duckdb", "pyspark", "pyarrow", "sqlglot")},
        "figures": [f.document() for f in figures],
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
