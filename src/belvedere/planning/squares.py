"""Least squares without a negative coefficient, over few features.

Only sums are kept (the normal equations), so an observation can be added at any time and a fit can be stored. Costs are never
negative: a choice between plans relies on more rows costing no less. With a handful of features the best fit under that
condition is found by trying which ones are zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

SINGULAR = 1e-9


@dataclass
class Squares:
    """Sums over weighted observations of `size` features each."""

    size: int
    count: float = 0.0
    matrix: list[list[float]] = field(default_factory=list)
    vector: list[float] = field(default_factory=list)
    squares: float = 0.0

    def __post_init__(self) -> None:
        self.matrix = self.matrix or [[0.0] * self.size for _ in range(self.size)]
        self.vector = self.vector or [0.0] * self.size

    def add(self, features: Sequence[float], value: float, weight: float = 1.0) -> None:
        for i, x in enumerate(features):
            self.vector[i] += weight * x * value
            for j, y in enumerate(features):
                self.matrix[i][j] += weight * x * y
        self.squares += weight * value * value
        self.count += weight

    def fade(self, keep: float) -> None:
        """What was seen so far counts for less."""
        self.count *= keep
        self.squares *= keep
        self.vector = [v * keep for v in self.vector]
        self.matrix = [[v * keep for v in line] for line in self.matrix]

    def copy(self) -> Squares:
        return Squares(self.size, self.count, [list(line) for line in self.matrix], list(self.vector), self.squares)

    def best(self) -> list[float]:
        """The coefficients with the least error, none of them negative.

        >>> s = Squares(2)
        >>> for x in (0.0, 1.0, 2.0):
        ...     s.add((1.0, x), 1.0 + 3.0 * x)
        >>> [round(b, 6) for b in s.best()]
        [1.0, 3.0]
        """
        best = (self.squares, [0.0] * self.size)
        for many in range(1, self.size + 1):
            for chosen in combinations(range(self.size), many):
                found = _solve([[self.matrix[i][j] for j in chosen] for i in chosen], [self.vector[i] for i in chosen])
                if found is None or min(found) < 0.0:
                    continue
                full = [0.0] * self.size
                for i, value in zip(chosen, found, strict=True):
                    full[i] = value
                # more coefficients must earn their place, or rounding would choose between equal fits
                error = self.error(full)
                if error < best[0] * (1 - 1e-9):
                    best = (error, full)
        return best[1]

    def error(self, b: Sequence[float]) -> float:
        """The sum of squared errors of a fit."""
        each = range(self.size)
        cross = sum(b[i] * self.vector[i] for i in each)
        square = sum(b[i] * b[j] * self.matrix[i][j] for i in each for j in each)
        return max(self.squares - 2 * cross + square, 0.0)

    def to_dict(self) -> dict[str, Any]:
        return {"count": self.count, "matrix": self.matrix, "vector": self.vector, "squares": self.squares}

    @staticmethod
    def from_dict(d: Mapping[str, Any]) -> Squares:
        vector = [float(v) for v in d["vector"]]
        matrix = [[float(v) for v in line] for line in d["matrix"]]
        return Squares(len(vector), float(d["count"]), matrix, vector, float(d["squares"]))


def _solve(matrix: list[list[float]], vector: list[float]) -> list[float] | None:
    """The solution of a small symmetric system, scaled to a unit diagonal first; None if it has no single one."""
    n = len(vector)
    scale = [matrix[i][i] ** 0.5 for i in range(n)]
    if min(scale) <= 0.0:
        return None
    rows = [[matrix[i][j] / (scale[i] * scale[j]) for j in range(n)] + [vector[i] / scale[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        if abs(rows[pivot][i]) < SINGULAR:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            ratio = rows[r][i] / rows[i][i]
            rows[r] = [a - ratio * b for a, b in zip(rows[r], rows[i], strict=True)]
    out = [0.0] * n
    for i in reversed(range(n)):
        out[i] = (rows[i][n] - sum(rows[i][j] * out[j] for j in range(i + 1, n))) / rows[i][i]
    return [value / s for value, s in zip(out, scale, strict=True)]
