"""Outer joins are sums: L⟕R = (L⋈R) + (L▷R)×NULL, and so are their changes.

Each summand asks for the changes of both sides, so an outer join of outer joins would hold those of the inner ones twice, and a
row of n of them 2^n times: the inner ones are worked out first, and shared.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Join, OuterJoin, Project, SemiJoin, UnionAll
from belvedere.algebra.scalar import col, null
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import propagate, rule, settle


@rule(OuterJoin)
def outer_join(node: OuterJoin, change: Change) -> Node | None:
    for inner in (n for side in node.inputs for n in _outer_joins(side)):
        if inner not in change.known:
            settle(inner, change)
    parts: list[Node] = [Join(node.left, node.right, node.on)]
    if node.kind in ("left", "full"):
        parts.append(_padded(SemiJoin(node.left, node.right, node.on, anti=True), node))
    if node.kind in ("right", "full"):
        parts.append(_padded(SemiJoin(node.right, node.left, node.on, anti=True), node))
    return propagate(UnionAll(tuple(parts)), change)


def _padded(rows: Node, node: OuterJoin) -> Node:
    """All columns of the join, NULL where the rows have none."""
    return Project(rows, tuple((c.name, col(c) if c.name in rows.schema else null(c.type)) for c in node.schema))


def _outer_joins(node: Node) -> list[Node]:
    """Those in a tree, the lowest first."""
    return [n for n in reversed(list(node.walk())) if isinstance(n, OuterJoin)]
