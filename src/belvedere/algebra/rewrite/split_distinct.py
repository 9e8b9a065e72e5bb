"""Aggregates over distinct values in two steps: first one row for each group and value, then the groups.

f(distinct x) by g is f(x) over the distinct pairs (g, x). Both steps are maintained from their own state, where a distinct
aggregate as a whole would have to read its group again. Other functions of the same node go along as partial values, if
their partial values make up the whole: count, sum, min, max.

A set of structs that are made on the spot is the bag of them over the distinct combinations of what they are made of.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from belvedere.algebra.copying import copied, replaced
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
        return _split_set(node)
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


def _split_set(node: Aggregate) -> Node:
    if len(node.aggs) != 1:
        return node
    ((name, agg),) = node.aggs
    parts = _parts(agg.args[0]) if agg.fn == "collect_set" else None
    if not parts:
        return node
    taken = set(node.schema.names)
    named = {p: _free("_part", taken) for p in parts}
    below = Aggregate(node.input, (*node.keys, *((n, p) for p, n in named.items())), ())
    made = Scalar(_made(agg.args[0].expr, {p.expr: col(Column(n, p.type)).expr for p, n in named.items()}), agg.args[0].type)
    keys = tuple((n, col(Column(n, s.type))) for n, s in node.keys)
    return Aggregate(below, keys, ((name, Agg("collect_list", (made,), agg.type)),))


def _parts(value: Scalar) -> list[Scalar] | None:
    """What a struct is made of, down to values that are no structs; None if it is not made here, or of collections."""
    if not value.is_struct or not all(isinstance(e, exp.PropertyEQ) for e in value.expr.expressions):
        return None
    found: list[Scalar] = []
    for item in value.expr.expressions:
        part = Scalar(item.expression, item.expression.meta["t"])
        inner = _parts(part) if part.is_struct else None if part.type.children else [part] if part.columns else []
        if inner is None:
            return None
        found += inner
    return found


def _made(struct: exp.Expr, parts: Mapping[exp.Expr, exp.Expr]) -> exp.Expr:
    """The struct of its parts, which are columns now."""
    return replaced(struct, lambda node: copied(parts[node]) if node in parts else None)


def _free(stem: str, taken: set[str]) -> str:
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    taken.add(f"{stem}{number}")
    return f"{stem}{number}"
