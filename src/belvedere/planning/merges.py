"""What merging runs really took lately.

A merge sums up and sorts what a refresh only evaluates, and a full one leaves a snapshot for other readers, so its rows cost more
than those of a refresh. By how much is seen from the merges of this process: the middle of the last ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from belvedere.planning.cost import CostModel, Work

#: merges of fewer rows say more of fixed costs than of rows
ROWS = 8192
#: how many are remembered
KEPT = 20


@dataclass
class Merges:
    """(work, seconds) of the last ones."""

    seen: deque[tuple[Work, float]] = field(default_factory=lambda: deque(maxlen=KEPT))

    def add(self, reports: Iterable[Mapping[str, Any]]) -> None:
        """From what maintaining the store tells.

        >>> merges = Merges()
        >>> merges.add([{"action": "merge", "rows_in": 90_000, "rows": 80_000, "seconds": 0.5}, {"action": "expire"}])
        >>> list(merges.seen)
        [(Work(read=90000, written=80000), 0.5)]
        """
        for r in reports:
            if r["action"] in ("merge", "full") and r["rows_in"] >= ROWS:
                self.seen.append((Work(r["rows_in"], r["rows"]), r["seconds"]))

    def factor(self, model: CostModel) -> float:
        """What to multiply the model's estimate of a merge by."""
        ratios = [s / expected for w, s in tuple(self.seen) if (expected := model.more("duckdb", w)) > 0]
        return median(ratios) if ratios else 1.0
