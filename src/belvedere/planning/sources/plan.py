"""A plan of maintenance as data: the queries in the order in which they are asked, each with its estimate."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

BATCH, GROUPING, SEQUENTIAL, RECOMPUTE, MIRROR = "batch", "grouping", "sequential", "recompute", "mirror"


@dataclass(frozen=True)
class Query:
    """One question to one place. `times` > 1 where it is asked again for every changed row (sequential)."""

    kind: str
    step: str
    origins: tuple[str, ...]
    to: str
    version: str
    rows: float
    attributes: float
    rows_out: float
    seconds: float
    times: float = 1.0

    def __str__(self) -> str:
        again = f" × {self.times:,.0f}" if self.times > 1 else ""
        if self.kind == "read":
            return f"read {self.to}: {self.rows_out:,.0f} rows, {self.seconds:.4f} s"
        if self.to == "":
            return f"{self.kind} at the view: {self.rows:,.0f} rows, {self.seconds:.4f} s"
        sent = f"{self.rows:,.1f} rows of {self.attributes:,.0f} attributes from {', '.join(self.origins)}"
        cost = f"{self.rows_out:,.1f} rows, {self.seconds:.4f} s{again}"
        return f"{self.kind} {self.step}: ask {self.to} ({self.version}) with {sent} → {cost}"


@dataclass(frozen=True)
class Plan:
    """What to do. `orders`: for batch and sequential a sequence of nodes for each delta; for grouping the one path."""

    strategy: str
    orders: tuple[tuple[str, ...], ...]
    queries: tuple[Query, ...]
    #: what a mirror would have to hold, in values
    stored: float = 0.0

    @property
    def seconds(self) -> float:
        return sum(q.seconds * q.times for q in self.queries)

    @property
    def asked(self) -> float:
        """How many queries go to sources."""
        return sum(q.times for q in self.queries if q.to)

    @property
    def name(self) -> str:
        return f"{self.strategy} {'; '.join('-'.join(o) for o in self.orders)}".strip()

    def __str__(self) -> str:
        stored = f", {self.stored:,.0f} values stored" if self.stored else ""
        return f"{self.name}: {self.asked:,.0f} queries, about {self.seconds:.4f} s{stored}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy, "orders": [list(o) for o in self.orders], "queries": [asdict(q) for q in self.queries],
            "asked": self.asked, "seconds": self.seconds, "stored": self.stored,
        }  # fmt: skip
