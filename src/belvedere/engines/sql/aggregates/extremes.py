"""Functions that look at which values occur, not how often: min, max, bool_and, bool_or, min_by, max_by, any value."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, DataType, Map, Struct
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call
from belvedere.errors import Unsupported


def extreme(call: Call) -> exp.Expr:
    """min, max; bool_and and bool_or are the same on booleans; any_value and first take the smallest, which is one of them."""
    low = call.fn in ("min", "bool_and", "every", "any_value", "first", "first_value")
    kind = exp.Min if low else exp.Max
    if isinstance(call.type, (Array, Struct, Map)):
        return _nested(call, kind)
    return call.cast(call.agg(kind(this=call.arg)))


def _nested(call: Call, kind: type[exp.Min] | type[exp.Max]) -> exp.Expr:
    refuse_maps(call, call.type)
    key = call.dialect.orderable(call.arg, call.type, call.names)
    pair = call.dialect.struct({"k": key, "v": call.arg})
    return call.cast(call.dialect.field(call.agg(kind(this=pair), call.present()), "v"))


def extreme_by(call: Call) -> exp.Expr:
    """min_by(x, y), max_by(x, y): x where y is extreme. Ties go to the extreme x, so that the rows decide."""
    kind = exp.Min if call.fn == "min_by" else exp.Max
    value, by = call.args
    refuse_maps(call, call.types[0])
    refuse_maps(call, call.types[1])
    triple = call.dialect.struct({
        "y": call.dialect.orderable(by.copy(), call.types[1], call.names),
        "there": build.not_null(value.copy()),
        "k": call.dialect.orderable(value.copy(), call.types[0], call.names),
        "x": value.copy(),
    })  # fmt: skip
    return call.cast(call.dialect.field(call.agg(kind(this=triple), build.not_null(by.copy())), "x"))


def bits(call: Call) -> exp.Expr:
    """bit_and, bit_or: which values occur; bit_xor: which occur an odd number of times."""
    where = None
    if call.fn == "bit_xor" and call.weight is not None and not call.distinct:
        where = exp.EQ(this=exp.Mod(this=build.paren(call.weight.copy()), expression=build.number(2)), expression=build.number(1))
    value: exp.Expr = exp.Distinct(expressions=[call.arg]) if call.distinct and call.fn == "bit_xor" else call.arg
    kinds: dict[str, type[exp.Expr]] = {"bit_and": exp.BitwiseAndAgg, "bit_or": exp.BitwiseOrAgg, "bit_xor": exp.BitwiseXorAgg}
    return call.cast(call.agg(kinds[call.fn](this=value), where))


def single(call: Call) -> exp.Expr:
    """single_value(x): x of the only row, NULL without rows; more rows are an error."""
    many = exp.GT(this=call.rows(), expression=build.number(1))
    message = "a scalar subquery returned more than one row; make it return one, for example with an aggregate or limit 1"
    return build.case(
        many, call.dialect.cast(call.dialect.fail(message), call.result), call.cast(call.agg(exp.AnyValue(this=call.arg)))
    )


def refuse_maps(call: Call, t: DataType) -> None:
    if t.contains(Map):
        raise Unsupported(f"{call.fn} over {t}: maps have no order")
