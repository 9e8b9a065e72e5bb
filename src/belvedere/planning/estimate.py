"""How many rows a plan will read, before it runs."""

from __future__ import annotations

from collections.abc import Callable

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get

#: rows that one key is expected to find where nothing better is known
FANOUT = 8


def rows_read(node: Node, size: Callable[[Get], int], delta: int) -> float:
    """Deltas are read whole, leaves that are looked up give a few rows per delta row, other leaves are read whole."""
    total = 0.0
    seen: set[Get] = set()
    for n in node.walk():
        if not isinstance(n, Get) or n in seen:
            continue
        seen.add(n)
        rows = size(n)
        total += min(rows, max(1, delta) * FANOUT) if n.by else rows
    return total
