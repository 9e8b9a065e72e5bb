"""How many rows of a collection a value of some of its columns finds, by what is known of its runs without opening them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from belvedere.store.model import SMALL
from belvedere.store.store import Store


@dataclass(frozen=True)
class Fanouts:
    """Asked when a plan of maintenance is made, which then holds for a while: orders of magnitude are enough."""

    store: Store
    epoch: int | None = None

    def __call__(self, name: str, columns: tuple[str, ...]) -> float | None:
        """None where nothing is known, or where there are so few rows that it does not matter."""
        c = self.store.collection(name, self.epoch)
        runs = [] if c is None else self.store.snapshot(c, self.epoch)
        rows = sum(r.rows for r in runs)
        if c is None or not rows or rows < SMALL:
            return None
        ids = {c.schema[n].id for n in columns}
        if c.key and set(c.key) <= ids:
            return 1.0
        largest = max(runs, key=lambda r: r.rows)
        different = 1.0
        for number in ids:
            found = _different(largest.stats.get(str(number), {}))
            if found is None:
                return None
            different *= found
        return rows / min(different, rows)


def _different(stats: Mapping[str, Any]) -> int | None:
    """How many values a column has at most.

    >>> _different({"min": 0, "max": 24}), _different({"min": "2024-01-01", "max": "2024-01-31"}), _different({"min": "a"})
    (25, 31, None)
    """
    if "values" in stats:
        return max(1, len(stats["values"]))
    low, high = stats.get("min"), stats.get("max")
    if isinstance(low, int) and isinstance(high, int):
        return high - low + 1
    if isinstance(low, str) and isinstance(high, str):
        try:
            return (dt.date.fromisoformat(high) - dt.date.fromisoformat(low)).days + 1
        except ValueError:
            return None
    return None
