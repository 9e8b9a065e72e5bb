"""What a definition computes, computed at its very end: below it, joins and conditions over columns as they are stored.

A value that is computed between two joins, as one nested collection is before the next is joined, says nothing of the objects
behind it. Law: a projection passes a filter, a join and the left side of a left join, if what stands above speaks of what it is
made of.
"""

from __future__ import annotations

from collections.abc import Mapping

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Join, OuterJoin, Project
from belvedere.algebra.scalar import Scalar, col

#: visible column → what it is, over the columns below
Meaning = Mapping[str, Scalar]
Items = tuple[tuple[str, Scalar], ...]


def lifted(node: Node, head: Items) -> tuple[Node, Items]:
    """The node without projections on its way to the leaves, and the head over that."""
    core, meaning = _lift(node)
    return core, tuple((n, s.substitute(meaning)) for n, s in head)


def _lift(node: Node) -> tuple[Node, Meaning]:
    match node:
        case Project(input=i, items=items) if not any(s.from_outside or s.may_fail for _, s in items):
            core, below = _lift(i)
            return core, {n: s.substitute(below) for n, s in items}
        case Filter(input=i, condition=c):
            core, below = _lift(i)
            return Filter(core, c.substitute(below)), below
        case Join(left=a, right=b, on=on):
            left, right = _lift(a), _lift(b)
            if not set(left[0].schema.names) & set(right[0].schema.names):
                both = {**left[1], **right[1]}
                return Join(left[0], right[0], on.substitute(both)), both
        case OuterJoin(left=a, right=b, on=on, kind="left"):
            core, below = _lift(a)
            if not set(core.schema.names) & set(b.schema.names):
                both = {**below, **_as_it_is(b)}
                return OuterJoin(core, b, on.substitute(both), "left"), both
    return node, _as_it_is(node)


def _as_it_is(node: Node) -> Meaning:
    return {c.name: col(c) for c in node.schema}
