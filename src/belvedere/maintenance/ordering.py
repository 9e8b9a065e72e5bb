"""Inner joins of many inputs: taken apart, and put together again starting from the small one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Join, equi_pairs, keep
from belvedere.algebra.scalar import Scalar, conjunction
from belvedere.maintenance.change import Change

Reach = Callable[[Node, Node, Sequence[tuple[str, str]], Change], Node]


def flatten(node: Node) -> tuple[list[Node], list[Scalar]]:
    """The inputs of a tree of inner joins, left to right, and all its conditions."""
    if isinstance(node, Join):
        left, a = flatten(node.left)
        right, b = flatten(node.right)
        return left + right, a + b + list(node.on.conjuncts())
    return [node], []


def ordered(
    start: Node, others: Sequence[Node], conditions: Sequence[Scalar], names: tuple[str, ...], change: Change, reach: Reach
) -> Node:
    """Join start with the others, each next one connected by equality if any is, by another condition else."""
    tree, remaining, todo = start, list(others), list(conditions)
    while remaining:
        best = max(remaining, key=lambda x: _connection(tree, x, todo))
        remaining.remove(best)
        known = {*tree.schema.names, *best.schema.names}
        usable = [c for c in todo if c.columns <= known]
        todo = [c for c in todo if c not in usable]
        on = conjunction(usable)
        links = equi_pairs(on, tree.schema, best.schema)
        tree = Join(tree, reach(best, tree, links, change), on)
    return keep(tree, names)


def _connection(tree: Node, candidate: Node, conditions: Sequence[Scalar]) -> tuple[int, int]:
    known = {*tree.schema.names, *candidate.schema.names}
    own = set(candidate.schema.names)
    usable = [c for c in conditions if c.columns <= known and c.columns & own and not c.columns <= own]
    return len(equi_pairs(conjunction(usable), tree.schema, candidate.schema)), len(usable)
