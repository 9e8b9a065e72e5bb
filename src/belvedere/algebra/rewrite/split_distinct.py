"""Aggregates over distinct values in two steps: first one row for each group and value, then the groups.

f(distinct x) by g is f(x) over the distinct pairs (g, x). Both steps are maintained from their own state, where a distinct
aggregate as a whole would have to read its group again. Other functions of the same node go along as partial values, if
their partial values make up the whole: count, sum, min, max.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.types import Column

#: how the partial values of a function add up to the value
WHOLE = {"count": "sum0", "sum": "sum", "sum0": "sum0", "min": "min", "max": "max", "bool_and": "bool_and", "bool_or": "bool_or"}


def split_distinct(node: Node) -> Node:
    return node.transform(_split)


def _split(node: Node) -> Node:
    if not isinstance(node, Aggregate):
        return node
    value = _value(node)
    if value is None:
        return node
    taken = set(node.schema.names)
    inner_value = _free("_value", taken)
    first: list[tuple[str, Agg]] = []
    whole: list[tuple[str, Agg]] = []
    for name, agg in node.aggs:
        if agg.distinct:
            whole.append((name, Agg(agg.fn, (col(Column(inner_value, value.type)),), agg.type)))
        else:
            part = _free(f"_{agg.fn}", taken)
            first.append((part, agg))
            whole.append((name, Agg(WHOLE[agg.fn], (col(Column(part, agg.type)),), agg.type)))
    below = Aggregate(node.input, (*node.keys, (inner_value, value)), tuple(first))
    return Aggregate(below, tuple((n, col(Column(n, s.type))) for n, s in node.keys), tuple(whole))


def _value(node: Aggregate) -> Scalar | None:
    """The one value that distinct functions of the node are about, if there is one and the others can go along."""
    found: Scalar | None = None
    for _, agg in node.aggs:
        if not agg.distinct:
            if agg.fn not in WHOLE or (agg.fn in ("sum", "sum0") and not agg.args[0].type.is_exact):
                return None
            continue
        if len(agg.args) != 1 or agg.args[0].type.children or (found is not None and agg.args[0] != found):
            return None
        found = agg.args[0]
    return found


def _free(stem: str, taken: set[str]) -> str:
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    taken.add(f"{stem}{number}")
    return f"{stem}{number}"
