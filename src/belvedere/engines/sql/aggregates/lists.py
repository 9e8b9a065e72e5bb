"""collect_list, collect_set, listagg, percentiles. Elements come sorted, so that the list is a function of the group's rows."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, BigInt, Double, Struct
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call
from belvedere.engines.sql.aggregates.extremes import refuse_maps
from belvedere.errors import Unsupported


def collect(call: Call) -> exp.Expr:
    return call.cast(_sorted(call))


def joined(call: Call) -> exp.Expr:
    """listagg(x [, separator]): the values in order, with a constant between them; NULL without values."""
    separator = _constant(call) or build.text("")
    listed = call.derive(_sorted(call), Array(call.type))
    some = exp.GT(this=call.dialect.size(listed), expression=build.number(0))
    return call.cast(build.case(some, call.dialect.join_list(listed.copy(), separator)))


def percentile(call: Call) -> exp.Expr:
    """percentile(x, p) and median(x): between the two values next to the place (n − 1)·p, weighted as Spark does."""
    share = _constant(call) or call.dialect.cast(build.text("0.5"), Double())
    if not all(isinstance(t, Double) for t in call.types):
        raise Unsupported(f"{call.fn} takes one share between 0 and 1")
    listed = call.derive(_sorted(call), Array(Double()))
    last = exp.Paren(this=exp.Sub(this=call.dialect.size(listed.copy()), expression=build.number(1)))
    place = exp.Paren(this=exp.Mul(this=call.dialect.cast(last, Double()), expression=build.paren(share)))
    low, high = exp.Floor(this=place), exp.Ceil(this=place.copy())
    below, above = (call.dialect.element(listed.copy(), call.dialect.cast(n, BigInt())) for n in (low, high))
    weighted = exp.Add(
        this=exp.Mul(this=exp.Paren(this=exp.Sub(this=high.copy(), expression=place.copy())), expression=below.copy()),
        expression=exp.Mul(this=exp.Paren(this=exp.Sub(this=place.copy(), expression=low.copy())), expression=above.copy()),
    )
    equal = exp.EQ(this=below, expression=above)
    chosen = build.case(equal, below.copy(), weighted)
    some = exp.GT(this=call.dialect.size(listed.copy()), expression=build.number(0))
    return call.cast(build.case(some, chosen))


def _constant(call: Call) -> exp.Expr | None:
    """The second argument, which must be the same for all rows."""
    if len(call.args) < 2:
        return None
    if call.args[1].find(exp.Column) is not None:
        raise Unsupported(f"the second argument of {call.fn} must be a constant")
    return call.args[1].copy()


def _sorted(call: Call) -> exp.Expr:
    """The values of the first argument, ascending, as often as they occur."""
    refuse_maps(call, call.type)
    distinct = call.distinct or call.fn == "collect_set"
    value, t = call.arg, call.type
    nested = bool(t.children)
    if nested:
        value = call.dialect.struct({"k": call.dialect.orderable(call.arg, t, call.names), "v": value})
        t = Struct((("k", call.type), ("v", call.type)))
    if call.weight is None or distinct:
        listed = call.dialect.collect(value, call.agg, distinct=distinct, where=build.not_null(call.arg))
        gathered = call.stage(listed, Array(t))
    else:
        copies = call.dialect.repeat_list(value, call.weight.copy())
        listed = call.dialect.collect(copies, call.agg, where=build.not_null(call.arg))
        gathered = call.dialect.flatten(call.stage(listed, Array(Array(t))))
    ordered = call.dialect.sort_list(gathered)
    if nested:
        ordered = call.dialect.map_list(ordered, call.names, lambda e: call.dialect.field(e, "v"))
    return ordered
