"""How many rows a plan will read, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, SemiJoin, gets

#: rows that one key is expected to find where nothing better is known
FANOUT = 8
#: rows of a row group: a lookup reads at least one of them whole
GROUP = 8192
#: what it costs in rows to find out whether a part is needed, and to read it now and then
ASKED = 1024


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
    """Deltas are read whole; of leaves that are looked up a row group, and a few rows more per delta row; other leaves whole,
    unless they are asked for only if another part has rows."""
    total = 0.0
    sure = _sure(node)
    for n in gets(node):
        rows = size(n)
        if n not in sure:
            rows = min(rows, ASKED)
        total += min(rows, GROUP + max(1, delta) * FANOUT) if n.by else rows
    return total


def _sure(node: Node) -> frozenset[Get]:
    """The leaves that are read in any case."""
    known: frozenset[Get] | None = node.__dict__.get("_sure")
    if known is None:
        if isinstance(node, Get):
            known = frozenset({node})
        else:
            asked = isinstance(node, SemiJoin) and node.is_question
            known = frozenset[Get]().union(*(_sure(i) for i in (node.inputs[1:] if asked else node.inputs)))
        node.__dict__["_sure"] = known
    return known
