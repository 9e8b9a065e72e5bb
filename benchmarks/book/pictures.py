"""The plots of the book, from the numbers that the programs saved."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.book.plot import Line, Mark, draw


def pictures(results: Path) -> dict[str, list[Path]]:
    """Draw what there are numbers for; the pictures of each chapter."""
    found: dict[str, list[Path]] = {}
    for name, make in (("breakeven", _breakeven), ("growth", _growth)):
        saved = results / f"{name}.json"
        if saved.exists():
            found[name] = make(json.loads(saved.read_text()), results)
    return found


def _breakeven(points: list[dict[str, Any]], results: Path) -> list[Path]:
    """For each view and kind of change: incremental, recomputation and what the planner did, over the size of the delta."""
    paths = []
    for kind, view in dict.fromkeys((p["kind"], p["view"]) for p in points):
        mine = [p for p in points if (p["kind"], p["view"]) == (kind, view)]
        ways = {way: [(p["part"] * 100, median(p["seconds"][way]) * 1000) for p in mine] for way in mine[0]["seconds"]}
        lost = [part for (part, ours), (_, theirs) in zip(ways["incremental"], ways["recompute"], strict=True) if ours > theirs]
        marks = [Mark(min(lost), "break-even")] if lost else []
        title = f"{view}, rows {'that ' if kind == 'come' else ''}{kind}{'d' if kind == 'change' else ''}: ms over % of the base"
        picture = draw(title, "% of the base that changes", "ms", [Line(w, p) for w, p in ways.items()], marks)
        paths.append(_written(results / f"breakeven-{view}-{kind}.svg", picture))
    return paths


def _growth(document: dict[str, Any], results: Path) -> list[Path]:
    """For each view: both ways over the size of the base."""
    points = [p for sheet in document["sheets"] for p in sheet["points"] if "rows" in p]
    paths = []
    for view in dict.fromkeys(p["view"] for p in points):
        mine = [p for p in points if p["view"] == view]
        lines = [Line(way, [(p["rows"], p[f"{way} ms"]) for p in mine]) for way in ("incremental", "recompute")]
        picture = draw(f"{view}: ms over rows of the base", "rows of the base", "ms", lines)
        paths.append(_written(results / f"growth-{view}.svg", picture))
    return paths


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
