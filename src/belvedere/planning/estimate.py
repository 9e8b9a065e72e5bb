"""How many rows a plan will read, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, SemiJoin, gets

#: rows that one key is expected to find where nothing better is known
FANOUT = 8
#: rows of a row group: a lookup reads at least one of them whole, where it is not in memory
GROUP = 8192
#: what it costs in rows to find out whether a part is needed, and to read it now and then
ASKED = 1024


class Plan(Protocol):
    @property
    def node(self) -> Node: ...

    @property
    def reads_base(self) -> bool: ...


P = TypeVar("P", bound=Plan)


def a_group(leaf: Get) -> float:
    """What a lookup looks at besides what it finds, where nothing is known of what is in memory."""
    return GROUP


def cheapest(
    plans: Sequence[P], size: Callable[[Get], int], delta: int, beside: Callable[[Get], float] = a_group
) -> P:
    """The plan that reads least; one that leaves base data alone before any that does not."""
    if len(plans) == 1 or not plans[0].reads_base:
        return plans[0]
    return min(plans, key=lambda p: rows_read(p.node, size, delta, beside))


def rows_read(node: Node, size: Callable[[Get], int], delta: int, beside: Callable[[Get], float] = a_group) -> float:
    """Deltas are read whole; of leaves that are looked up a few rows per delta row, and what a lookup looks at `beside` them;
    other leaves whole, unless they are asked for only if another part has rows."""
    total = 0.0
    sure = _sure(node)
    for n in gets(node):
        rows = size(n)
        if n not in sure:
            rows = min(rows, ASKED)
        total += min(rows, beside(n) + max(1, delta) * FANOUT) if n.by else rows
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
