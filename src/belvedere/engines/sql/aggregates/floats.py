"""Sums over floating-point numbers, made to be functions of the rows and not of the order in which they come.

Addition of doubles is not associative, and NaN or ∞ cannot be subtracted again. So equal values are put together first
(their weight multiplies), the products are sorted, and they are added from left to right. The same bag gives the same
bits on either engine, in any partitioning: a group that is evaluated again does not seem to have changed.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, Double, Struct
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call
from belvedere.engines.sql.dialect import Step


def total(call: Call) -> exp.Expr:
    value = call.dialect.sum_list(_products(call), call.names)
    if call.fn == "sum0":
        return call.cast(exp.Coalesce(this=value, expressions=[call.dialect.cast(build.number(0), Double())]))
    return call.cast(value)


def mean(call: Call) -> exp.Expr:
    value = call.dialect.sum_list(_products(call), call.names)
    rows = call.dialect.cast(_rows(call), Double())
    return build.case(exp.GT(this=rows, expression=build.number(0)), _divide(value, rows.copy()))


def _rows(call: Call) -> exp.Expr:
    if call.distinct:
        return call.agg(exp.Count(this=exp.Distinct(expressions=[call.arg])))
    return call.rows(call.present())


def _products(call: Call) -> exp.Expr:
    """The list of value * weight, ascending."""
    value = call.dialect.cast(call.arg, Double())
    if call.weight is not None and not call.distinct:
        value = exp.Mul(this=value, expression=call.dialect.cast(call.weight.copy(), Double()))
    gathered = call.stage(call.dialect.collect(value, call.agg, distinct=call.distinct), Array(Double()))
    return call.dialect.sort_list(gathered)


def moments(call: Call) -> exp.Expr:
    """Variance and standard deviation in two passes over the sorted values: their mean first, then Σ w·(x − mean)²."""
    number = call.dialect.cast(call.arg, Double())
    weight: exp.Expr = build.number(1) if call.weight is None or call.distinct else call.weight.copy()
    pair = call.dialect.struct({"x": number, "w": call.dialect.cast(weight, Double())})
    shape = Struct((("x", Double()), ("w", Double())))
    gathered = call.dialect.collect(pair, call.agg, distinct=call.distinct, where=call.present())
    listed = call.dialect.sort_list(call.stage(gathered, Array(shape)))

    def part(e: exp.Expr, name: str) -> exp.Expr:
        return call.dialect.field(e.copy(), name)

    def total(step: Step) -> exp.Expr:
        return call.dialect.sum_list(call.dialect.map_list(listed.copy(), call.names, step), call.names)

    count = call.derive(total(lambda e: part(e, "w")), Double())
    sum_ = call.derive(total(lambda e: exp.Mul(this=part(e, "x"), expression=part(e, "w"))), Double())
    mean = exp.Paren(this=_divide(sum_, count))

    def spread(e: exp.Expr) -> exp.Expr:
        distance = exp.Paren(this=exp.Sub(this=part(e, "x"), expression=mean.copy()))
        return exp.Mul(this=exp.Mul(this=part(e, "w"), expression=distance), expression=distance.copy())

    sample = call.fn in ("stddev", "stddev_samp", "std", "var_samp", "variance")
    divisor: exp.Expr = exp.Paren(this=exp.Sub(this=count.copy(), expression=build.number(1))) if sample else count.copy()
    result = _divide(total(spread), divisor)
    if call.fn.startswith("std"):
        result = exp.Sqrt(this=result)
    return call.cast(build.case(exp.GT(this=divisor.copy(), expression=build.number(0)), result))


def _divide(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.Div(this=a, expression=b, typed=False, safe=False)
