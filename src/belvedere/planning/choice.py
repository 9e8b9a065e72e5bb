"""The choice of strategy and engine for one refresh, with the reason and what else was on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from belvedere.planning.cost import CostModel, Expected, Work

#: estimates closer than this are equal; then the strategy that writes least wins
MARGIN = 0.1
PREFERENCE = ("incremental", "recompute")


@dataclass(frozen=True)
class Option:
    """rows: what it reads; seconds: what it takes in all; work: what the refresh alone has to do."""

    strategy: str
    engine: str
    rows: float
    seconds: float
    work: Work | None = None

    @property
    def expected(self) -> Expected | None:
        """The work, and where it is to be done, to learn from once it is known what it took."""
        return None if self.work is None else (self.engine, self.work.read, self.work.written)

    def __str__(self) -> str:
        return f"{self.strategy} on {self.engine}: about {self.rows:,.0f} rows, {self.seconds:.3f} s"


@dataclass(frozen=True)
class Choice:
    chosen: Option
    reason: str
    others: tuple[Option, ...]


def choose(
    work: Mapping[str, Work],
    engines: Mapping[str, Sequence[str]],
    model: CostModel,
    *,
    after: Mapping[str, Work] | None = None,
    factors: Mapping[str, float] | None = None,
    afterwards: float = 1.0,
    why_not: Mapping[str, str] | None = None,
) -> Choice:
    """work: strategy → what it would read and write; engines: strategy → engines that can run it; after: strategy → what it
    leaves to be done afterwards; factors: strategy → by how much this view was slower than the model lately; afterwards: the
    same of what was left to be done."""
    options = []
    for s, w in work.items():
        for e in engines[s]:
            later = model.more(e, after[s]) * afterwards if after and s in after else 0.0
            options.append(Option(s, e, w.read, model.seconds(e, w) * (factors or {}).get(s, 1.0) + later, w))
    options.sort(key=lambda o: o.seconds)
    close = [o for o in options if o.seconds <= options[0].seconds * (1 + MARGIN)]
    best = min(close, key=lambda o: (PREFERENCE.index(o.strategy), o.seconds))
    rest = tuple(o for o in options if o is not best)
    reasons = [f"{s} is not possible: {text}" for s, text in (why_not or {}).items()]
    if rest:
        next_best = f"{rest[0].strategy} on {rest[0].engine} {rest[0].seconds:.3f} s"
        reasons.append(f"estimated {best.seconds:.3f} s, next best {next_best}")
    elif not reasons:
        reasons.append("the only way allowed")
    return Choice(best, "; ".join(reasons), rest)
