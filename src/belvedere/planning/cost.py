"""What a piece of work will cost on an engine: a fixed part and a part per row, fitted to the refreshes seen so far.

seconds ≈ a + b · rows. Until enough refreshes were seen on an engine, figures measured on a small machine stand in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A fitted line."""

    fixed: float
    per_row: float

    def seconds(self, rows: float) -> float:
        return self.fixed + self.per_row * rows


#: measured on 2 cores: an in-process query and a warm Spark query, and what a million rows add
FIRST = {"duckdb": Line(0.012, 1.2e-7), "spark": Line(0.9, 2.5e-7)}


def fit(points: Iterable[tuple[float, float]], start: Line) -> Line:
    """Least squares over (rows, seconds), drawn towards the starting line while points are few.

    >>> line = fit([(0, 1.0), (10, 2.0)] * 200, Line(0.0, 0.0))
    >>> round(line.fixed, 2), round(line.per_row, 3)
    (1.0, 0.1)
    """
    data = list(points)
    if not data:
        return start
    # the starting line counts as a handful of observations at both ends of the range seen
    top = max(rows for rows, _ in data)
    prior = [(0.0, start.seconds(0))] + ([(top, start.seconds(top))] if top else [])
    data += prior
    n = len(data)
    mean_x = sum(x for x, _ in data) / n
    mean_y = sum(y for _, y in data) / n
    var = sum((x - mean_x) ** 2 for x, _ in data)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in data) / var if var else start.per_row
    slope = max(slope, 0.0)
    return Line(max(mean_y - slope * mean_x, 0.0), slope)


@dataclass(frozen=True)
class CostModel:
    """A line per engine."""

    lines: dict[str, Line]

    @staticmethod
    def learn(history: Iterable[dict[str, object]]) -> CostModel:
        """From records of refreshes with their engine, rows read and seconds."""
        points: dict[str, list[tuple[float, float]]] = {}
        for record in history:
            engine, rows, seconds = record.get("engine"), record.get("rows_read"), record.get("seconds")
            if isinstance(engine, str) and isinstance(rows, (int, float)) and isinstance(seconds, (int, float)):
                points.setdefault(engine, []).append((float(rows), float(seconds)))
        return CostModel({name: fit(points.get(name, ()), line) for name, line in FIRST.items()})

    def seconds(self, engine: str, rows: float) -> float:
        return self.lines[engine].seconds(rows)
