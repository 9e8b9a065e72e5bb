"""Aggregates that are expressions over other aggregates: median, percentile, listagg, all made of the group's sorted list.

Their order is the values' own, so that the result is a function of the group and not of how its rows came in.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.typing.context import name_of
from belvedere.algebra.typing.dialect import parse_expression
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.state import Env

#: Spark's interpolation between the two values around a position
_PERCENTILE = """
case when size(everything) = 0 then cast(null as double)
     when floor(place) = ceil(place) then sort_array(everything)[cast(floor(place) as int)]
     else (ceil(place) - place) * sort_array(everything)[cast(floor(place) as int)]
        + (place - floor(place)) * sort_array(everything)[cast(ceil(place) as int)] end
"""
_LISTAGG = "case when size(everything) > 0 then array_join(sort_array(everything), separator) end"


def derived(node: exp.Expr, env: Env) -> exp.Expr | None:
    """The expression that an aggregate stands for, or None where it is one of the algebra's own."""
    condition = None
    if isinstance(node, exp.Filter):
        condition, node = node.expression.this, node.this
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileCont):
        ordered = node.expression.expressions[0]
        fraction = _fraction(node.this.this, node, env)
        return _percentile(ordered.this, 1 - fraction if ordered.args.get("desc") else fraction, condition)
    if isinstance(node, exp.Median):
        return _percentile(node.this, 0.5, condition)
    if isinstance(node, exp.Quantile):
        return _percentile(node.this, _fraction(node.args["quantile"], node, env), condition)
    if isinstance(node, exp.GroupConcat):
        return _listagg(node, condition, env)
    return None


def _fraction(e: exp.Expr, node: exp.Expr, env: Env) -> float:
    if not isinstance(e, exp.Literal) or e.is_string or not 0 <= float(e.this) <= 1:
        raise env.session.error(TypeMismatch, f"{name_of(node)} takes a literal fraction between 0 and 1", node)
    return float(e.this)


def _percentile(value: exp.Expr, fraction: float, condition: exp.Expr | None) -> exp.Expr:
    values = _collected(exp.Cast(this=_single(value), to=exp.DataType.build("double")), value, condition)
    place = parse_expression("cast(size(everything) - 1 as double) * fraction")
    tree = _filled(parse_expression(_PERCENTILE), {"place": exp.Paren(this=place)})
    return _filled(
        tree, {"everything": values, "fraction": exp.Cast(this=exp.Literal.number(fraction), to=exp.DataType.build("double"))}
    )


def _listagg(node: exp.GroupConcat, condition: exp.Expr | None, env: Env) -> exp.Expr:
    value = node.this
    if isinstance(value, exp.Order):
        keys = value.expressions
        if len(keys) != 1 or keys[0].args.get("desc") or keys[0].this != _single(value.this):
            raise env.session.unsupported("listagg in another order than that of its own values", node)
        value = value.this
    separator = node.args.get("separator") or exp.Literal.string("")
    values = _collected(exp.Cast(this=_single(value), to=exp.DataType.build("string", dialect="spark")), value, condition)
    return _filled(parse_expression(_LISTAGG), {"everything": values, "separator": separator})


def _single(value: exp.Expr) -> exp.Expr:
    return value.expressions[0].copy() if isinstance(value, exp.Distinct) else value.copy()


def _collected(value: exp.Expr, given: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    argument = exp.Distinct(expressions=[value]) if isinstance(given, exp.Distinct) else value
    call: exp.Expr = exp.ArrayAgg(this=argument, nulls_excluded=True)
    if condition is not None:
        call = exp.Filter(this=call, expression=exp.Where(this=condition.copy()))
    return call


def _filled(tree: exp.Expr, parts: dict[str, exp.Expr]) -> exp.Expr:
    """The template with its bare names replaced."""

    def swap(e: exp.Expr) -> exp.Expr:
        if isinstance(e, exp.Column) and not e.args.get("table") and e.name in parts:
            return parts[e.name].copy()
        return e

    return tree.transform(swap)
