"""Groups that hold all their members: a collected bag is its group, so its change needs no look at where the members come from.

Law: if every row of a group gives a member, the bag B of them is linear in the rows, B(X + ΔX) = B(X) + B(ΔX). The old bag is
taken apart, the delta's members are added to it and taken from it, and what is left is gathered again.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Consolidate, Explode, Project, UnionAll
from belvedere.algebra.scalar import Scalar, col
from belvedere.maintenance.change import Change
from belvedere.maintenance.state import State


def gathering(state: State) -> str | None:
    """The column that holds the members of a group, if the state is that and the group's size. A box is never NULL, and so never
    left out."""
    rest = [(n, a) for n, a in state.aggregate.aggs if n != state.size]
    if len(rest) != 1:
        return None
    name, agg = rest[0]
    whole = agg.fn == "collect_list" and not agg.distinct and agg.args[0].is_struct
    return name if whole else None


def members(state: State, held: str, delta: Node, change: Change) -> tuple[Node, str]:
    """The members that come and go, with the keys of their groups, and the name that they get."""
    agg = dict(state.aggregate.aggs)[held]
    name = change.fresh("m")
    items = (*state.aggregate.keys, (name, agg.args[0]))
    return change.share(Consolidate(Project(delta, items)), "members"), name


def gathered(state: State, held: str, part: Node, member: str, old: Node) -> Node:
    """The groups as they are now, of their old rows and the members that come and go."""
    node = state.aggregate
    keys: tuple[tuple[str, Scalar], ...] = tuple((n, col(node.schema[n])) for n in node.key_names)
    apart = Explode(old, col(old.schema[held]), (member,))
    taken = Project(apart, (*keys, (member, col(apart.schema[member]))))
    now = Consolidate(UnionAll((taken, part)))
    again = {n: Agg(a.fn, (col(now.schema[member]),) if a.args else (), a.type) for n, a in node.aggs}
    return Aggregate(now, keys, tuple(again.items()))
