"""Groups with a least or greatest value: they are read again only if what went may have been that value.

Law: with D what went of a group, C what came and m its greatest value, the greatest value is now max(m, max C) if max D < m. The
same for the least, the other way round. What adds up (counts, sums of exact numbers) is added and subtracted as ever.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Join, Negate, Positive, Project, SemiJoin, Tally, UnionAll, keep
from belvedere.algebra.scalar import Scalar, col, compare, conjunction, disjunction, integer, negation, null, same
from belvedere.algebra.types import Column, Date, Decimal, Integral, String, Timestamp, TimestampNtz
from belvedere.maintenance.change import Change
from belvedere.maintenance.state import MERGE, State, summand

#: how a value that went must compare with the stored one to leave it as it is
SPARES = {"min": ">", "max": "<"}
#: types in which equal values look the same
PLAIN = (Integral, Decimal, Date, Timestamp, TimestampNtz, String)


def has_extremes(state: State) -> bool:
    """Are its groups made of least and greatest values, and of what adds up?"""
    partial = [a for _, a in state.aggregate.aggs if a.kind != "linear"]
    known = all(a.fn in SPARES and not a.distinct and isinstance(a.type, PLAIN) for a in partial)
    return bool(partial) and known and bool(state.aggregate.keys)


def at_risk(state: State, old: Node, delta: Node, change: Change) -> Node:
    """The stored groups that lost what may have been their extreme."""
    node = state.aggregate
    extremes = [(n, a) for n, a in node.aggs if a.fn in SPARES]
    names = {n: change.fresh("g") for n in (*node.key_names, *(n for n, _ in extremes))}
    keys = tuple((names[n], s) for n, s in node.keys)
    gone = Aggregate(Positive(Negate(delta)), keys, tuple((names[n], a) for n, a in extremes))
    on = [same(col(old.schema[n]), col(gone.schema[names[n]])) for n in node.key_names]
    lost = disjunction(
        negation(compare(SPARES[a.fn], col(gone.schema[names[n]]), col(old.schema[n]))) for n, a in extremes
    )  # where nothing but NULLs went, or is stored, this is not true
    return keep(Filter(Join(old, gone, conjunction(on)), lost), node.key_names)


def without(groups: Node, risky: Node, names: tuple[str, ...], keys: tuple[str, ...]) -> Node:
    """The groups but for those at risk."""
    on = conjunction(same(col(groups.schema[n]), col(risky.schema[k])) for n, k in zip(keys, names, strict=True))
    return SemiJoin(groups, risky, on, anti=True)


def merged(state: State, old: Node, delta: Node) -> Node:
    """The groups as they are now, if none is at risk: of what is stored, what the delta adds up to, and what came."""
    node = state.aggregate
    by = tuple((n, col(Column(n, s.type))) for n, s in node.keys)
    sums = tuple((n, summand(a)) for n, a in node.aggs if a.kind == "linear")
    extremes = tuple((n, a) for n, a in node.aggs if a.kind != "linear")
    parts = (old, _all(node, Tally(delta, node.keys, sums)), _all(node, Aggregate(Positive(delta), node.keys, extremes)))
    whole = tuple((n, Agg(MERGE[a.fn], (col(node.schema[n]),), a.type)) for n, a in node.aggs)
    now = Aggregate(UnionAll(parts), by, whole)
    return Filter(now, compare(">", col(now.schema[state.size]), integer(0)))


def _all(node: Aggregate, part: Node) -> Node:
    """A part in all columns; NULL adds nothing to a sum, and is no extreme."""

    def value(c: Column) -> Scalar:
        return col(c) if c.name in part.schema else null(c.type)

    return Project(part, tuple((c.name, value(c)) for c in node.schema))
