"""Take out of a disjunction what all its branches say: (a and b) or (a and c) becomes a and (b or c).

A join condition that hides in every branch is then a join condition, and what reads one side only can be pushed to it. The law
is distributivity, which holds for three truth values as it does for two.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Join, OuterJoin, SemiJoin
from belvedere.algebra.scalar import Scalar, conjunction, disjunction
from belvedere.algebra.types import Boolean


def factor(node: Node) -> Node:
    return node.transform(_factor)


def _factor(node: Node) -> Node:
    match node:
        case Filter(input=i, condition=c):
            return Filter(i, factored(c))
        case Join(left=a, right=b, on=on):
            return Join(a, b, factored(on))
        case SemiJoin(left=a, right=b, on=on, anti=anti):
            return SemiJoin(a, b, factored(on), anti)
        case OuterJoin(left=a, right=b, on=on, kind=kind):
            return OuterJoin(a, b, factored(on), kind)
        case _:
            return node


def factored(condition: Scalar) -> Scalar:
    """An equal condition, with common parts of disjunctions as parts of their own."""
    parts: list[Scalar] = []
    for part in condition.conjuncts():
        parts += _common(part)
    return conjunction(parts) if len(parts) != len(condition.conjuncts()) else condition


def disjuncts(part: Scalar) -> list[Scalar]:
    """The branches of a disjunction; the condition itself if it is none."""
    found: list[Scalar] = []
    for branch in part.expr.flatten() if isinstance(part.expr, exp.Or) else [part.expr]:
        inner = branch.unnest()
        found += disjuncts(Scalar(inner, Boolean())) if isinstance(inner, exp.Or) else [Scalar(inner, Boolean())]
    return found


def _common(part: Scalar) -> list[Scalar]:
    branches = [b.conjuncts() for b in disjuncts(part)]
    if len(branches) < 2:
        return [part]
    shared = [c for c in dict.fromkeys(branches[0]) if all(c in b for b in branches[1:])]
    if not shared:
        return [part]
    left = [[c for c in b if c not in shared] for b in branches]
    # a branch that says nothing more makes the disjunction of the rests true
    return shared if not all(left) else [*shared, disjunction([conjunction(b) for b in left])]


def implied(part: Scalar, names: frozenset[str]) -> Scalar | None:
    """What a disjunction says about some columns alone: true wherever the whole is true. None if it says nothing."""
    branches = [[c for c in b.conjuncts() if c.columns and c.columns <= names] for b in disjuncts(part)]
    if len(branches) < 2 or not all(branches):
        return None
    return disjunction([conjunction(b) for b in branches])
