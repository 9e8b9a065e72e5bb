"""Inner joins of many inputs: taken apart, and put together again starting from the small one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Join, Project, equi_pairs, keep
from belvedere.algebra.scalar import Scalar, conjunction
from belvedere.algebra.types import Decimal, Fractional
from belvedere.maintenance.change import Change

#: a row that finds no more than this many is no reason to join in another order
MANY = 64

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
    """Join start with the others, each next one connected by equality if any is, by another condition else. Where a row would
    find very many of one, others come first."""
    tree, remaining, todo = start, list(others), list(conditions)
    while remaining:
        best = max(remaining, key=lambda x: _rank(tree, x, todo, change))
        remaining.remove(best)
        known = {*tree.schema.names, *best.schema.names}
        usable = [c for c in todo if c.columns <= known]
        todo = [c for c in todo if c not in usable]
        on = conjunction(usable)
        links = equi_pairs(on, tree.schema, best.schema)
        tree = Join(tree, reach(best, tree, links, change), on)
    return keep(tree, names)


def _rank(tree: Node, candidate: Node, conditions: Sequence[Scalar], change: Change) -> tuple[bool, float, bool, int, int]:
    known = {*tree.schema.names, *candidate.schema.names}
    own = set(candidate.schema.names)
    usable = [c for c in conditions if c.columns <= known and c.columns & own and not c.columns <= own]
    pairs = equi_pairs(conjunction(usable), tree.schema, candidate.schema)
    found = _found(candidate, [b for _, b in pairs], change) if pairs else None
    # what is measured names nothing: rows that cost the same are no reason to look one up by the other
    named = any(not isinstance(candidate.schema[b].type, (Decimal, Fractional)) for _, b in pairs)
    return bool(pairs), 0.0 if found is None or found <= MANY else -found, named, len(pairs), len(usable)


def _found(node: Node, columns: Sequence[str], change: Change) -> float | None:
    """How many rows of a leaf the values of some columns find, if that is known."""
    if change.fanout is None:
        return None
    match node:
        case Get(name=name):
            return change.fanout(name, tuple(node.source(c) for c in columns))
        case Filter(input=i):
            return _found(i, columns, change)
        case Project(input=i, items=items):
            below = [dict(items)[c].column for c in columns]
            return None if None in below else _found(i, [c for c in below if c is not None], change)
        case _:
            return None
