"""Aggregates over the set of objects that a path reaches: each object once, numbers as reals, whatever is no number left out.

Without objects a count is 0, and so is a sum; avg, min and max are then missing, and no comparison with them is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Join, OuterJoin, Project
from belvedere.algebra.scalar import Scalar, cast, col, cols, conjunction, equal, is_null, negation, null, string, true, when
from belvedere.algebra.types import BigInt, Double, Schema, String
from belvedere.algebra.typing import scalar
from belvedere.languages.lorel.coercion import Atom
from belvedere.languages.lorel.frames import Frame, extended, nothing_bound
from belvedere.languages.lorel.resolved import Follow, Some, Total, free

if TYPE_CHECKING:
    from belvedere.languages.lorel.where import Where


def with_total(frame: Frame, total: Total, where: Where) -> tuple[Frame, Atom]:
    """The frame with the aggregate beside each row."""
    members, keys, over = _members(frame, total, where)
    node = members
    if not _once(total):
        columns = tuple(dict.fromkeys([c for _, c in keys] + [over]))
        node = Aggregate(members, tuple((c, col(members.schema[c])) for c in columns), ())
    agg = Agg("count", (), BigInt())
    if total.function != "count":
        values = where.graph.values()
        numbers = values.where(negation(is_null(values.scalar("number"))))
        node = Join(node, numbers.node, equal(node.schema[over], values.column("oid")))
        agg = Agg(total.function, (values.scalar("number"),), Double())
    fresh = where.graph.session.fresh
    name = fresh(total.function)
    own = {c: fresh(c) for _, c in keys}
    grouped = Aggregate(node, tuple((own[c], col(node.schema[c])) for c in own), ((name, agg),))
    if own:
        on = conjunction(equal(frame.column(v), grouped.schema[own[c]]) for v, c in keys)
        wide: Node = OuterJoin(frame.node, grouped, on, "left")
    else:
        wide = Join(frame.node, grouped, true())
    shown = fresh(total.function)
    wide = Project(wide, (*cols(wide.schema), (shown, _filled(total.function, col(wide.schema[name])))))
    return Frame(wide, frame.columns), _atom(total.function, col(wide.schema[shown]))


def _members(frame: Frame, total: Total, where: Where) -> tuple[Node, tuple[tuple[str, str], ...], str]:
    """The objects to aggregate: a relation, its keys (variable of the frame, column), and the column of the objects."""
    if total.hops:
        found = where.with_object(frame, Some(total.hops, total.where), total.over)
        if found is not None:
            return found[0].node, found[0].keys, found[1]
    variables = tuple(sorted(free(total)))
    domain = frame.narrowed(variables, where.graph) if variables else nothing_bound()
    wider = extended(domain, total.hops, where.graph)
    assert wider is not None
    kept = where.holds(wider, total.where)
    return kept.node, tuple((v, kept.columns[v]) for v in variables), kept.columns[total.over]


def _once(total: Total) -> bool:
    """Whether no object comes twice as it is: between two objects there is one edge of a label."""
    if total.where is not None or len(total.hops) != 1:
        return False
    hop = total.hops[0]
    return isinstance(hop, Follow) and len(hop.labels) == 1 and not hop.labels[0].pattern


def _filled(function: str, value: Scalar) -> Scalar:
    """What the aggregate is over nothing."""
    if function == "count":
        return when(is_null(value), cast(scalar("0", Schema(())), BigInt()), value)
    if function == "sum":
        return when(is_null(value), cast(scalar("0", Schema(())), Double()), value)
    return value


def _atom(function: str, value: Scalar) -> Atom:
    if function == "count":
        return Atom(string("int"), value, cast(value, Double()), cast(value, String()))
    return Atom(string("real"), null(BigInt()), value, null(String()))
