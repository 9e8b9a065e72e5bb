"""What the refreshes of one view really took lately.

The cost model knows rows and engines. It does not know that maintaining one view takes a dozen small statements, recomputing it
a single one. So the last refreshes of a view are remembered, and where maintaining it was clearly slower than recomputing it, it
is recomputed. What was seen is forgotten after a while, and tried again: data grow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: refreshes by maintenance before they count, for the first ones also pay for making plans; how many refreshes are remembered
ENOUGH, KEPT = 3, 40
#: slower by so much is clearly slower
CLEARLY = 1.2
#: deltas of so many times the size, or less by as much, are alike
ALIKE = 8


@dataclass
class Experience:
    """(strategy, rows that came in, seconds) of the last refreshes, oldest first."""

    seen: deque[tuple[str, int, float]] = field(default_factory=lambda: deque(maxlen=KEPT))

    @staticmethod
    def of(history: Iterable[Mapping[str, Any]]) -> Experience:
        """From the records of a view's refreshes, oldest first."""
        made = Experience()
        for r in history:
            made.add(r["strategy"], r["rows_in"], r["seconds"])
        return made

    def add(self, strategy: str, rows_in: int, seconds: float) -> None:
        self.seen.append((strategy, rows_in, seconds))

    def against_maintenance(self, rows_in: int) -> str | None:
        """Why a delta of this size is better not maintained; None where nothing speaks against it.

        >>> e = Experience()
        >>> e.add("recompute", 500, 0.02)
        >>> for seconds in (0.9, 0.06, 0.05):
        ...     e.add("incremental", 1, seconds)
        >>> e.against_maintenance(2)
        'lately maintenance took 0.050 s and recomputation 0.020 s'
        >>> e.against_maintenance(100) is None
        True
        """
        whole = [s for strategy, _, s in self.seen if strategy == "recompute"]
        alike = [
            s for strategy, rows, s in self.seen
            if strategy == "incremental" and rows <= rows_in * ALIKE and rows_in <= rows * ALIKE
        ]  # fmt: skip
        if not whole or len(alike) < ENOUGH or min(alike) <= min(whole) * CLEARLY:
            return None
        return f"lately maintenance took {min(alike):.3f} s and recomputation {min(whole):.3f} s"
