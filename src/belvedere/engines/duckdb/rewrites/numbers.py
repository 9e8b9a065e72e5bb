"""Functions of numbers. Only those whose result is exact, or rounded correctly by both engines."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import BigInt, Decimal, Double, Integral, String
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build


def absolute(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return cast_node(build.call("abs", go.arg(node)), type_of(node))


def digits(node: exp.Expr | None) -> int:
    if node is None:
        return 0
    inner = node.unnest()
    sign = -1 if isinstance(inner, exp.Neg) else 1
    return sign * int((inner.this if isinstance(inner, exp.Neg) else inner).name)


def rounded(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """round(x, n) half up, exact for decimals and integers. Doubles go through their shortest decimal text, as in Spark."""
    value, places = node.args["this"], digits(node.args.get("decimals"))
    t, source = type_of(node), type_of(value)
    made = go(value)
    if isinstance(source, Decimal) and isinstance(t, Decimal):
        if places >= 0:
            return cast_node(made, t)
        return cast_node(_to_power(cast_node(made, Decimal(38, source.scale)), -places), t)
    if isinstance(source, Integral):
        return made if places >= 0 else cast_node(_to_power(cast_node(made, Decimal(38, 0)), -places), t)
    if isinstance(source, Double) and 0 <= places <= 15:
        small = build.case(exp.LT(this=build.call("abs", made), expression=cast_node(build.text("1e15"), Double())), made.copy())
        return build.call("bv_round", made.copy(), cast_node(cast_node(small, String()), Decimal(38, places)))
    raise refused(node)


def _to_power(value: exp.Expr, power: int) -> exp.Expr:
    """Rounded half up to a multiple of 10^power."""
    return build.call("round", value, build.number(-power))


def whole(name: str) -> Rule:
    """floor and ceil without a number of digits."""

    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        if node.args.get("decimals") is not None:
            raise refused(node)
        source = type_of(node.this)
        if isinstance(source, Integral):
            return cast_node(go.arg(node), BigInt())
        return cast_node(build.call(name, go.arg(node)), type_of(node))

    return rule


def sign(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Spark keeps NaN; DuckDB calls it 0."""
    value = go.arg(node)
    return build.case(build.call("isnan", value), value.copy(), cast_node(build.call("sign", value.copy()), Double()))


def square_root(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Spark gives NaN for a negative number, DuckDB an error."""
    value = go.arg(node)
    negative = exp.LT(this=build.paren(value), expression=build.number(0))
    return build.case(negative, cast_node(build.text("NaN"), Double()), build.call("sqrt", value.copy()))


def is_nan(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.call("coalesce", build.call("isnan", go.arg(node)), exp.false())


def nanvl(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = go.arg(node)
    return build.case(build.call("isnan", value), go.arg(node, "expression"), value.copy())


RULES: dict[type[exp.Expr], Rule] = {
    exp.Abs: absolute, exp.Round: rounded, exp.Floor: whole("floor"), exp.Ceil: whole("ceil"), exp.Sign: sign,
    exp.Sqrt: square_root, exp.IsNan: is_nan, exp.Nanvl: nanvl,
}  # fmt: skip
NAMED: dict[str, Rule] = {}
