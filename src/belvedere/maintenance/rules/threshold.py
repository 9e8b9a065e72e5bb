"""A projection passes a delta on; of rows compared with one value of all, such as an average, those between the old and the new.

Law: let ΔS change the values v that rows of L are compared with, and let nothing of S be kept. A row of L whose x is below all
the v, or above all of them, finds x op v the same for each. So it counts Σ of their weights, or not at all, and where these add
up to 0, as when one value takes the place of another, it does not change. What is left are the rows with min v ≤ x ≤ max v; a
few more do no harm. A v of NULL meets nothing, and is left out of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Join, Keys, Project, Tally, UnionAll, keep
from belvedere.algebra.scalar import Scalar, col, compare, conjunction, disjunction, integer, is_null, negation, sides, true
from belvedere.algebra.types import BigInt, Column, Date, Decimal, Fractional, Integral, String, Timestamp, TimestampNtz
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import propagate, rule
from belvedere.maintenance.rules.linear import linear

#: types that every engine puts in the same order
ORDERED = (Integral, Decimal, Fractional, Date, Timestamp, TimestampNtz, String)


@dataclass(frozen=True)
class _Threshold:
    """Rows, the values that they are compared with, and what is compared on each side."""

    rows: Node
    values: Node
    x: Scalar
    v: Scalar


@rule(Project)
def project(node: Project, change: Change) -> Node | None:
    found = _threshold(node)
    if found is None or not change.touches(found.values):
        return linear(node, change)
    assert isinstance(node.input, Join)
    on = node.input.on
    terms: list[Node] = []
    came = propagate(found.rows, change)
    if came is not None:
        terms.append(Join(came, change.at(found.values, "old"), on))
    moved = propagate(found.values, change)
    if moved is not None:
        moved = change.share(moved, "values")
        terms.append(Join(moved, _between(change.at(found.rows, "new"), moved, found, change), on))
    if not terms:
        return None
    parts = tuple(Project(t, node.items) for t in terms)
    return parts[0] if len(parts) == 1 else UnionAll(parts)


def _threshold(node: Project) -> _Threshold | None:
    """The join below, if it compares two values and nothing is kept but one of its sides."""
    if not isinstance(node.input, Join):
        return None
    parts = node.input.on.conjuncts()
    compared = sides(parts[0]) if len(parts) == 1 else None
    if compared is None or not all(isinstance(s.type, ORDERED) for s in compared):
        return None
    used = frozenset[str]().union(*(s.columns for _, s in node.items))
    for rows, values in ((node.input.left, node.input.right), (node.input.right, node.input.left)):
        mine, theirs = set(rows.schema.names), set(values.schema.names)
        for x, v in (compared, compared[::-1]):
            if used <= mine and x.columns and x.columns <= mine and v.columns and v.columns <= theirs:
                return _Threshold(rows, values, x, v)
    return None


def _between(rows: Node, moved: Node, found: _Threshold, change: Change) -> Node:
    """The rows that may change, or all where the weights do not add up to 0."""
    key, low, high, weight = (change.fresh(stem) for stem in ("v", "low", "high", "sum"))
    known = Filter(moved, negation(is_null(found.v)))
    value = col(Column(key, found.v.type))
    ends = Aggregate(
        Keys(known, ((key, found.v),)), (), ((low, Agg("min", (value,), value.type)), (high, Agg("max", (value,), value.type)))
    )
    total = Tally(known, (), ((weight, integer(1)),))
    least, most = col(Column(low, value.type)), col(Column(high, value.type))
    inside = conjunction([compare(">=", found.x, least), compare("<=", found.x, most)])
    changes = disjunction([inside, compare("<>", col(Column(weight, BigInt())), integer(0))])
    return keep(Join(rows, Join(ends, total, true()), changes), rows.schema.names)
