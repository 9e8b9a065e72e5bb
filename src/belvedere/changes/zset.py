"""A Z-set: an Arrow table of visible columns and `_w` (int64), the weight: +1 a row came, -1 a row went.

The door to what can be done with one: arithmetic, comparison, and plain rows out of it.
"""

from __future__ import annotations

from belvedere.changes.arithmetic import (
    add,
    consolidate,
    empty,
    expand,
    is_weighted,
    negate,
    negative,
    positive,
    project,
    visible,
    weighted,
)
from belvedere.changes.compare import difference, equal
from belvedere.changes.names import WEIGHT
from belvedere.changes.plain import to_rows

__all__ = [
    "WEIGHT", "add", "consolidate", "difference", "empty", "equal", "expand", "is_weighted", "negate", "negative",
    "positive", "project", "to_rows", "visible", "weighted",
]  # fmt: skip
