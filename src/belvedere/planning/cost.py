"""What a piece of work will cost on an engine: a fixed part, a part per row read, and a part per row written.

seconds ≈ a + b · read + c · written, fitted to the refreshes and merges seen so far. Until enough were seen on an engine, figures
measured on a small machine stand in. An error counts in relation to what the work took, so that long refreshes do not blur what
short ones tell of the fixed part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from belvedere.planning.squares import Squares


@dataclass(frozen=True)
class Work:
    """Rows to read and rows to write."""

    read: float
    written: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(self.read + other.read, self.written + other.written)


Expected = tuple[str, float, float]
"""The work that a refresh was expected to be: its engine, rows to read, rows to write."""


@dataclass(frozen=True)
class Line:
    """Seconds for work on one engine."""

    fixed: float
    per_row: float
    per_written: float

    def seconds(self, work: Work) -> float:
        return self.fixed + self.per_row * work.read + self.per_written * work.written


#: measured on 2 cores: an in-process query and a warm Spark query, what a row read adds, and one sorted and written
FIRST = {"duckdb": Line(0.012, 1.2e-7, 8e-7), "spark": Line(0.9, 2.5e-7, 1e-6)}
#: a coefficient that is off by its own size counts as much as this part of a refresh that is off by its own size
BELIEF = 0.003
#: shorter than this is noise of the clock
LEAST = 1e-3


def fit(points: Iterable[tuple[Work, float]], start: Line) -> Line:
    """Least squares over (work, seconds), drawn towards the starting line while points are few.

    >>> line = fit([(Work(0), 1.0), (Work(10_000), 2.0), (Work(10_000, 10_000), 3.0)] * 500, FIRST["duckdb"])
    >>> round(line.fixed, 1), round(line.per_row * 10_000, 1), round(line.per_written * 10_000, 1)
    (1.0, 1.0, 1.0)
    """
    seen = Squares(3)
    for work, seconds in points:
        seen.add((1.0, work.read, work.written), seconds, 1 / max(seconds, LEAST) ** 2)
    if not seen.count:
        return start
    first = (start.fixed, start.per_row, start.per_written)
    found = list(first)
    for _ in range(2):  # the second time a machine that is slower by far is believed more easily
        sums = seen.copy()
        for i, (guess, now) in enumerate(zip(first, found, strict=True)):
            sums.add([float(i == j) for j in range(3)], guess, BELIEF / max(guess, now) ** 2)
        found = sums.best()
    return Line(*found)


@dataclass(frozen=True)
class CostModel:
    """A line per engine."""

    lines: dict[str, Line]

    @staticmethod
    def learn(history: Iterable[Mapping[str, object]]) -> CostModel:
        """From records of work: its engine, rows read and written, seconds."""
        points: dict[str, list[tuple[Work, float]]] = {}
        for record in history:
            engine, seconds = record.get("engine"), record.get("seconds")
            read, written = record.get("rows_read"), record.get("rows_written")
            known = isinstance(read, (int, float)) and isinstance(written, (int, float)) and isinstance(seconds, (int, float))
            if isinstance(engine, str) and known:
                points.setdefault(engine, []).append((Work(float(read), float(written)), float(seconds)))  # type: ignore[arg-type]
        return CostModel({name: fit(points.get(name, ()), line) for name, line in FIRST.items()})

    def seconds(self, engine: str, work: Work) -> float:
        return self.lines[engine].seconds(work)

    def more(self, engine: str, work: Work) -> float:
        """What the rows of some work add to work that is done anyway."""
        return self.lines[engine].seconds(work) - self.lines[engine].fixed
