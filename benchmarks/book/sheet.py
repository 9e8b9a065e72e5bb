"""A table of measurements with what must hold of them: for the terminal, and as JSON for the book."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.book.machine import versions
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Bar:
    """Something that must hold, and what was found."""

    text: str
    met: bool
    found: str


@dataclass
class Sheet:
    """One table. A point is a row of it; all points of a column have the same kind of value."""

    title: str
    points: list[dict[str, Any]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)

    def bar(self, text: str, met: bool, found: str) -> None:
        self.bars.append(Bar(text, met, found))

    @property
    def good(self) -> bool:
        return all(b.met for b in self.bars)

    def show(self, console: Console) -> None:
        table = Table(title=self.title, title_justify="left", box=SIMPLE_HEAD)
        heads = list(dict.fromkeys(h for p in self.points for h in p))
        for head in heads:
            words = any(isinstance(p.get(head), str) for p in self.points)
            table.add_column(head, justify="left" if words else "right")
        for point in self.points:
            table.add_row(*(cell(point.get(head)) for head in heads))
        console.print(table)
        for bar in self.bars:
            met = "[green]met[/]" if bar.met else "[red]NOT MET[/]"
            console.print(f"  {bar.text}: {met} ({bar.found})", highlight=False)


def cell(value: Any) -> str:
    """
    >>> cell(None), cell(1234.5), cell(12.34), cell(0.1234), cell(1234), cell(True)
    ('', '1,234', '12.3', '0.12', '1,234', 'yes')
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "NO"
        case float() if abs(value) >= 100:
            return f"{value:,.0f}"
        case float():
            return f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.2f}"
        case int():
            return f"{value:,}"
    return str(value)


def save(path: Path | None, benchmark: str, sheets: Sequence[Sheet]) -> None:
    """Everything, for who wants to compute with it."""
    if path is None:
        return
    document = {"benchmark": benchmark, "versions": versions(), "sheets": [asdict(s) for s in sheets]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
