"""The cost of one maintenance query, J = B0 + (B1 + B2 · Card) · Attr, fitted by least squares to queries that were timed.

The features are [1, Attr, Card · Attr]. Coefficients are never negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from belvedere.planning.squares import Squares

SIZE = 3


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
    """The queries seen so far. `keep` < 1 lets old queries fade with every new one."""

    keep: float = 1.0
    sums: Squares = field(default_factory=lambda: Squares(SIZE))

    @property
    def count(self) -> float:
        return self.sums.count

    def add(self, card: float, attr: float, seconds: float, weight: float = 1.0) -> None:
        if self.keep < 1.0:
            self.sums.fade(self.keep)
        self.sums.add((1.0, attr, card * attr), seconds, weight)

    def function(self, guess: CostFunction | None = FIRST) -> CostFunction:
        """The best fit without a negative coefficient; `guess` settles what the queries leave open."""
        if not self.count:
            return guess or FIRST
        sums = self.sums
        if guess is not None:
            sums = sums.copy()
            for card, attr in GUESSES:
                sums.add((1.0, attr, card * attr), guess.seconds(card, attr), GUESS_WEIGHT)
        return CostFunction(*sums.best())

    def explained(self, function: CostFunction) -> float:
        """How much of the variation of the measured costs the function accounts for: 1 is all of it."""
        sums = self.sums
        spread = sums.squares - sums.vector[0] ** 2 / sums.count if sums.count else 0.0
        if spread <= 0.0:
            return 1.0
        return 1.0 - sums.error([function.start, function.per_attribute, function.per_value]) / spread

    def to_dict(self) -> dict[str, Any]:
        return {"keep": self.keep, **self.sums.to_dict()}

    @staticmethod
    def from_dict(d: Mapping[str, Any]) -> Fit:
        return Fit(float(d["keep"]), Squares.from_dict(d))
