"""count, sum and avg of exact numbers: linear in the weights, so they need no consolidation."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import BigInt, Decimal, Double
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call


def count(call: Call) -> exp.Expr:
    if call.distinct:
        counted: exp.Expr = exp.Count(this=exp.Distinct(expressions=[_one(call)]))
        return call.cast(call.agg(counted, call.present()))
    rows = call.rows(call.present() if call.args else None)
    return call.cast(rows if call.weight is None else exp.Coalesce(this=rows, expressions=[build.number(0)]))


def _one(call: Call) -> exp.Expr:
    """The arguments as one value."""
    if len(call.args) == 1:
        return call.arg
    return call.dialect.struct({f"a{i}": a.copy() for i, a in enumerate(call.args)})


def count_if(call: Call) -> exp.Expr:
    rows = call.rows(call.arg)
    return call.cast(exp.Coalesce(this=rows, expressions=[build.number(0)]))


def total(call: Call) -> exp.Expr:
    """sum and sum0."""
    value = _sum(call)
    if call.fn == "sum0":
        return call.cast(exp.Coalesce(this=value, expressions=[build.number(0)]))
    if call.positive or call.distinct:
        return call.cast(value)
    return call.cast(call.some(value))


def mean(call: Call) -> exp.Expr:
    value, rows = _sum(call), _rows(call)
    if isinstance(call.result, Decimal) and isinstance(call.type, Decimal):
        wide = Decimal(min(38, call.type.precision + 10), call.type.scale)
        divided = call.dialect.mean_decimal(value, wide, rows, call.result)
    else:
        as_double = call.dialect.cast(value, Double()), call.dialect.cast(rows, Double())
        divided = exp.Div(this=as_double[0], expression=as_double[1], typed=False, safe=False)
    return build.case(exp.GT(this=rows.copy(), expression=build.number(0)), call.cast(divided))


def _rows(call: Call) -> exp.Expr:
    if call.distinct:
        return call.agg(exp.Count(this=exp.Distinct(expressions=[call.arg])))
    return call.rows(call.present())


def _sum(call: Call) -> exp.Expr:
    """The exact sum; for avg its type is wide enough for any sum of that many values."""
    if isinstance(call.type, Decimal):
        wide = call.result if call.fn != "avg" else Decimal(min(38, call.type.precision + 10), call.type.scale)
    else:
        wide = Decimal(38, 0) if call.fn == "avg" and isinstance(call.type, BigInt) else BigInt()
    if call.distinct:
        return call.dialect.cast(call.agg(exp.Sum(this=exp.Distinct(expressions=[call.arg]))), wide)
    return call.dialect.sum_exact(call.arg, call.type, call.weight, wide, call.agg)
