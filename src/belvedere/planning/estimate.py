"""How many rows a plan will read, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets

#: rows that one key is expected to find where nothing better is known
FANOUT = 8
#: rows of a row group: a lookup reads at least one of them whole
GROUP = 8192


class Plan(Protocol):
    @property
    def node(self) -> Node: ...

    @property
    def reads_base(self) -> bool: ...


P = TypeVar("P", bound=Plan)


def cheapest(plans: Sequence[P], size: Callable[[Get], int], delta: int) -> P:
    """The plan that reads least; one that leaves base data alone before any that does not."""
    if len(plans) == 1 or not plans[0].reads_base:
        return plans[0]
    return min(plans, key=lambda p: rows_read(p.node, size, delta))


def rows_read(node: Node, size: Callable[[Get], int], delta: int) -> float:
    """Deltas are read whole; of leaves that are looked up a row group, and a few rows more per delta row; other leaves whole."""
    total = 0.0
    for n in gets(node):
        rows = size(n)
        total += min(rows, GROUP + max(1, delta) * FANOUT) if n.by else rows
    return total
