"""Functions of numbers."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import BigInt, Boolean, DataType, Decimal, Double, Float, Int, Integral
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.coerce import common
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.algebra.typing.expect import BIGINT, DOUBLE, INT, NUMBER, call, counted, named, take
from belvedere.algebra.typing.logic import unify
from belvedere.errors import TypeMismatch

F64, I32 = Double(), Int()


def _literal_int(ctx: Context, node: exp.Expr | None, where: str) -> int:
    if node is None:
        return 0
    inner, sign = (node.this, -1) if isinstance(node, exp.Neg) else (node, 1)
    if not isinstance(inner, exp.Literal) or inner.is_string or not str(inner.this).isdigit():
        raise ctx.error(TypeMismatch, f"{where} takes a literal number of digits", node)
    for n in {id(node): node, id(inner): inner}.values():
        n.meta["t"] = I32
    return sign * int(inner.this)


def _rounded(t: Decimal, digits: int) -> Decimal:
    """Spark's type for a decimal rounded to some digits: one more whole digit, for 9.9 becomes 10."""
    whole = t.precision - t.scale + 1
    if digits < 0:
        return Decimal(min(max(whole, -digits + 1), decimals.MAX), 0)
    scale = min(t.scale, digits)
    return Decimal(min(whole + scale, decimals.MAX), scale)


def round_(ctx: Context, node: exp.Expr) -> DataType:
    if isinstance(node, exp.Anonymous):
        value, digits = node.expressions[0], (node.expressions[1] if len(node.expressions) > 1 else None)
    else:
        value, digits = node.args["this"], node.args.get("decimals")
    t = take(ctx, node, value, NUMBER)
    places = _literal_int(ctx, digits, name_of(node))
    return _rounded(t, places) if isinstance(t, Decimal) else t


def floor(ctx: Context, node: exp.Expr) -> DataType:
    """floor(x) is a bigint, or a decimal of scale 0; floor(x, n) is a decimal."""
    t = take(ctx, node, node.args["this"], NUMBER)
    digits = node.args.get("decimals")
    if digits is not None:
        places = _literal_int(ctx, digits, name_of(node))
        if isinstance(t, Decimal):
            exact = t
        elif isinstance(t, Integral):
            exact = decimals.of_integral(t)
        else:
            exact = Decimal(14, 7) if isinstance(t, Float) else Decimal(30, 15)
        ctx.cast(node.args["this"], exact)
        return _rounded(exact, places)
    if isinstance(t, Decimal):
        return Decimal(min(t.precision - t.scale + 1, decimals.MAX), 0) if t.scale else Decimal(t.precision, 0)
    if isinstance(t, Integral):
        ctx.cast(node.args["this"], BigInt()) if not isinstance(t, BigInt) else None
        return BigInt()
    ctx.cast(node.args["this"], F64)
    return BigInt()


def absolute(ctx: Context, node: exp.Expr) -> DataType:
    return take(ctx, node, node.args["this"], NUMBER)


def nanvl(ctx: Context, node: exp.Expr) -> DataType:
    t = unify(ctx, node, [node.args["this"], node.args["expression"]], "nanvl")
    if not isinstance(t, (Float, Double)):
        raise ctx.mismatch(node, "floats or doubles", t, "nanvl")
    return t


def is_nan(ctx: Context, node: exp.Expr) -> DataType:
    t = ctx.arg(node)
    if not isinstance(t, (Float, Double)):
        take(ctx, node, node.args["this"], DOUBLE)
    return Boolean()


def zero_if_null(ctx: Context, node: exp.Expr) -> DataType:
    """coalesce(x, 0), so an int widens what is narrower."""
    t = take(ctx, node, node.expressions[0], NUMBER)
    return common(t, I32) or t


def positive(ctx: Context, node: exp.Expr) -> DataType:
    return take(ctx, node, node.expressions[0], NUMBER)


_ONE = (
    exp.Sqrt, exp.Cbrt, exp.Exp, exp.Ln, exp.Sin, exp.Cos, exp.Tan, exp.Asin, exp.Acos, exp.Atan, exp.Sinh, exp.Cosh,
    exp.Tanh, exp.Degrees, exp.Radians, exp.Cot, exp.Asinh, exp.Acosh, exp.Atanh, exp.Rint,
)  # fmt: skip

RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys(_ONE, call(F64, this=DOUBLE)),
    exp.Pow: call(F64, this=DOUBLE, expression=DOUBLE),
    exp.Atan2: call(F64, this=DOUBLE, expression=DOUBLE),
    exp.Log: call(F64, this=DOUBLE, expression=DOUBLE),
    exp.Sign: call(F64, this=DOUBLE),
    exp.Pi: call(F64),
    exp.Factorial: call(BigInt(), this=INT),
    exp.BitwiseCount: call(I32, this=BIGINT),
    exp.WidthBucket: call(BigInt(), this=DOUBLE, min_value=DOUBLE, max_value=DOUBLE, num_buckets=BIGINT),
    exp.Abs: absolute, exp.Round: round_, exp.Floor: floor, exp.Ceil: floor, exp.Nanvl: nanvl, exp.IsNan: is_nan,
}  # fmt: skip

NAMED: dict[str, Rule] = {
    "bround": counted(round_, 1, 2),
    "log1p": named(F64, DOUBLE),
    "expm1": named(F64, DOUBLE),
    "hypot": named(F64, DOUBLE, DOUBLE),
    "e": named(F64),
    "positive": counted(positive, 1),
    "zeroifnull": counted(zero_if_null, 1),
    "nullifzero": counted(positive, 1),
    "sec": named(F64, DOUBLE),
    "csc": named(F64, DOUBLE),
}
