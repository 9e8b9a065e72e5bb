"""The cost of one maintenance query, J = B0 + (B1 + B2 · Card) · Attr, fitted by least squares to queries that were timed.

Only sums are kept (the normal equations over the features [1, Attr, Card · Attr]), so a query can be added at any time and a fit
can be stored. Coefficients are never negative: the search for plans relies on a query costing no less for more rows. With three
of them the best fit under that condition is found by trying which ones are zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

SIZE = 3
SINGULAR = 1e-9


@dataclass(frozen=True)
class CostFunction:
    """Seconds for a query that is sent `card` rows of `attr` attributes."""

    start: float
    per_attribute: float
    per_value: float

    def seconds(self, card: float, attr: float) -> float:
        return self.start + (self.per_attribute + self.per_value * card) * attr

    @staticmethod
    def mean(functions: list[CostFunction]) -> CostFunction:
        """What a query over several edges costs as long as it was never seen: the average of what each would (§3.3)."""
        n = len(functions)
        return CostFunction(
            sum(f.start for f in functions) / n,
            sum(f.per_attribute for f in functions) / n,
            sum(f.per_value for f in functions) / n,
        )

    def __str__(self) -> str:
        return f"{self.start:.6f} + ({self.per_attribute:.6f} + {self.per_value:.3g}·Card)·Attr"


#: a database on the same machine, until something was measured
FIRST = CostFunction(0.004, 0.0002, 2e-6)
#: where the first guess is believed, and how much: a hundredth of a measured query
GUESSES = ((1.0, 1.0), (1000.0, 1.0), (1000.0, 4.0))
GUESS_WEIGHT = 0.01


@dataclass
class Fit:
    """Sums over the queries seen so far. `keep` < 1 lets old queries fade with every new one."""

    keep: float = 1.0
    count: float = 0.0
    matrix: list[list[float]] = field(default_factory=lambda: [[0.0] * SIZE for _ in range(SIZE)])
    vector: list[float] = field(default_factory=lambda: [0.0] * SIZE)
    squares: float = 0.0

    def add(self, card: float, attr: float, seconds: float, weight: float = 1.0) -> None:
        if self.keep < 1.0:
            self._fade()
        row = (1.0, attr, card * attr)
        for i in range(SIZE):
            self.vector[i] += weight * row[i] * seconds
            for j in range(SIZE):
                self.matrix[i][j] += weight * row[i] * row[j]
        self.squares += weight * seconds * seconds
        self.count += weight

    def _fade(self) -> None:
        self.count *= self.keep
        self.squares *= self.keep
        self.vector = [v * self.keep for v in self.vector]
        self.matrix = [[v * self.keep for v in line] for line in self.matrix]

    def function(self, guess: CostFunction | None = FIRST) -> CostFunction:
        """The best fit without a negative coefficient; `guess` settles what the queries leave open."""
        if not self.count:
            return guess or FIRST
        sums = self
        if guess is not None:
            sums = Fit(1.0, self.count, [list(line) for line in self.matrix], list(self.vector), self.squares)
            for card, attr in GUESSES:
                sums.add(card, attr, guess.seconds(card, attr), GUESS_WEIGHT)
        best = (sums.squares, [0.0] * SIZE)
        for size in range(1, SIZE + 1):
            for chosen in combinations(range(SIZE), size):
                found = _solve([[sums.matrix[i][j] for j in chosen] for i in chosen], [sums.vector[i] for i in chosen])
                if found is None or min(found) < 0.0:
                    continue
                full = [0.0] * SIZE
                for i, value in zip(chosen, found, strict=True):
                    full[i] = value
                # more coefficients must earn their place, or rounding would choose between equal fits
                error = sums.error(full)
                if error < best[0] * (1 - 1e-9):
                    best = (error, full)
        return CostFunction(*best[1])

    def error(self, b: list[float]) -> float:
        """The sum of squared errors of a fit."""
        cross = sum(b[i] * self.vector[i] for i in range(SIZE))
        square = sum(b[i] * b[j] * self.matrix[i][j] for i in range(SIZE) for j in range(SIZE))
        return max(self.squares - 2 * cross + square, 0.0)

    def explained(self, function: CostFunction) -> float:
        """How much of the variation of the measured costs the function accounts for: 1 is all of it."""
        spread = self.squares - self.vector[0] ** 2 / self.count if self.count else 0.0
        if spread <= 0.0:
            return 1.0
        return 1.0 - self.error([function.start, function.per_attribute, function.per_value]) / spread

    def to_dict(self) -> dict[str, Any]:
        return {
            "keep": self.keep, "count": self.count, "matrix": self.matrix, "vector": self.vector, "squares": self.squares,
        }  # fmt: skip

    @staticmethod
    def from_dict(d: Mapping[str, Any]) -> Fit:
        matrix = [[float(v) for v in line] for line in d["matrix"]]
        return Fit(float(d["keep"]), float(d["count"]), matrix, [float(v) for v in d["vector"]], float(d["squares"]))


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
