"""+ − * / % div on numbers, dates and timestamps; bit operators."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from belvedere.algebra.types import (
    BigInt,
    DataType,
    Date,
    Decimal,
    Double,
    Fractional,
    Int,
    Integral,
    String,
    Timestamp,
    TimestampNtz,
    Void,
)
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.coerce import common
from belvedere.algebra.typing.context import Context, Rule
from belvedere.algebra.typing.intervals import is_interval, shifted
from belvedere.errors import TypeMismatch

_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "div",
    exp.SafeAdd: "try_add", exp.SafeSubtract: "try_subtract", exp.SafeMultiply: "try_multiply", exp.SafeDivide: "try_divide",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^",
}  # fmt: skip

_DECIMAL: dict[type[exp.Expr], Callable[[Decimal, Decimal], Decimal]] = {
    exp.Add: decimals.add, exp.Sub: decimals.add, exp.Mul: decimals.multiply, exp.Div: decimals.divide,
    exp.Mod: decimals.remainder, exp.SafeAdd: decimals.add, exp.SafeSubtract: decimals.add,
    exp.SafeMultiply: decimals.multiply, exp.SafeDivide: decimals.divide, exp.Anonymous: decimals.remainder,
}  # fmt: skip

_DATED = (Date, Timestamp, TimestampNtz)


def _operands(node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    if isinstance(node, exp.Anonymous):
        return node.expressions[0], node.expressions[1]
    return node.args["this"], node.args["expression"]


def binary(ctx: Context, node: exp.Expr) -> DataType:
    """Numbers widen to a common type; decimals keep their own and the result's is computed; strings become numbers."""
    left, right = _operands(node)
    if isinstance(node, (exp.Add, exp.Sub)) and (is_interval(left) or is_interval(right)):
        return _moved(ctx, node, left, right)
    a, b = ctx.visit(left), ctx.visit(right)
    if isinstance(node, (exp.Add, exp.Sub)) and (isinstance(a, _DATED) or isinstance(b, _DATED)):
        return _dated(ctx, node, a, b)
    if isinstance(a, Void) and isinstance(b, Void):
        a, b = ctx.cast(left, Double()), ctx.cast(right, Double())
    both = _with_decimals(ctx, left, right, a, b)
    if both is not None and type(node) in _DECIMAL:
        return _DECIMAL[type(node)](*both)
    t = common(a, b)
    if t is None or not t.is_numeric:
        sign = _SIGNS.get(type(node), node.name)
        raise ctx.error(TypeMismatch, f"{sign} takes numbers, and its sides are of types {a} and {b}; cast them", node)
    if isinstance(node, (exp.Div, exp.SafeDivide)):
        t = Double()
    ctx.cast(left, t)
    ctx.cast(right, t)
    return t


def _with_decimals(ctx: Context, left: exp.Expr, right: exp.Expr, a: DataType, b: DataType) -> tuple[Decimal, Decimal] | None:
    """Both sides as decimals, where one is and neither is floating: an integer literal takes just the digits it has."""
    if not (isinstance(a, Decimal) or isinstance(b, Decimal)):
        return None
    out = []
    for node, t, other in ((left, a, b), (right, b, a)):
        if isinstance(t, Integral):
            t = ctx.cast(node, _literal_decimal(node) or decimals.of_integral(t))
        elif isinstance(t, Void):
            t = ctx.cast(node, other)
        if not isinstance(t, Decimal):
            return None
        out.append(t)
    return out[0], out[1]


def _literal_decimal(node: exp.Expr) -> Decimal | None:
    inner = node.this if isinstance(node, exp.Neg) else node
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return decimals.of_literal(str(inner.this).lstrip("0") or "0")
    return None


def _moved(ctx: Context, node: exp.Expr, left: exp.Expr, right: exp.Expr) -> DataType:
    if is_interval(right):
        return shifted(ctx, node, left, right)
    if isinstance(node, exp.Sub):
        raise ctx.error(TypeMismatch, "an interval is taken from a date, not a date from an interval", node)
    return shifted(ctx, node, right, left)


def _dated(ctx: Context, node: exp.Expr, a: DataType, b: DataType) -> DataType:
    """date ± days. Differences of dates are intervals, which are no values here."""
    left, right = _operands(node)
    if isinstance(a, Date) and isinstance(b, (Integral, Void)) and not isinstance(b, BigInt):
        ctx.cast(right, Int())
        return Date()
    if isinstance(node, exp.Add) and isinstance(b, Date) and isinstance(a, (Integral, Void)) and not isinstance(a, BigInt):
        ctx.cast(left, Int())
        return Date()
    if isinstance(a, BigInt) or isinstance(b, BigInt):
        raise ctx.error(TypeMismatch, "a date moves by an int number of days; cast the bigint to int", node)
    if isinstance(node, exp.Sub) and isinstance(a, _DATED) and isinstance(b, (*_DATED, String)):
        raise ctx.unsupported(node, f"{a} - {b} is an interval, which is not supported as a value; use datediff or timestampdiff")
    raise ctx.error(TypeMismatch, f"{_SIGNS[type(node)]} is not defined for {a} and {b}", node)


def integral_division(ctx: Context, node: exp.Expr) -> DataType:
    """div: whole numbers become bigint, decimals stay, the result is a bigint."""
    left, right = node.args["this"], node.args["expression"]
    a, b = ctx.visit(left), ctx.visit(right)
    if isinstance(a, Fractional) or isinstance(b, Fractional) or not _integral_like(a) or not _integral_like(b):
        raise ctx.error(TypeMismatch, f"div takes whole numbers or decimals, and its sides are of types {a} and {b}", node)
    if _with_decimals(ctx, left, right, a, b) is None:
        ctx.cast(left, BigInt())
        ctx.cast(right, BigInt())
    return BigInt()


def _integral_like(t: DataType) -> bool:
    return isinstance(t, (Integral, Decimal, String, Void))


def bits(ctx: Context, node: exp.Expr) -> DataType:
    left, right = node.args["this"], node.args["expression"]
    a, b = ctx.visit(left), ctx.visit(right)
    t = common(a, b)
    if not isinstance(t, Integral):
        raise ctx.error(TypeMismatch, f"{_SIGNS[type(node)]} takes integers, and its sides are of types {a} and {b}", node)
    ctx.cast(left, t)
    ctx.cast(right, t)
    return t


def shift(ctx: Context, node: exp.Expr) -> DataType:
    left, right = node.args["this"], node.args["expression"]
    a, b = ctx.visit(left), ctx.visit(right)
    if not isinstance(a, Integral) or not isinstance(b, Integral) or isinstance(b, BigInt):
        raise ctx.error(TypeMismatch, f"a shift takes an integer and an int, and these are {a} and {b}", node)
    ctx.cast(right, Int())
    return a if isinstance(a, BigInt) else ctx.cast(left, Int())


def bit_not(ctx: Context, node: exp.Expr) -> DataType:
    t = ctx.arg(node)
    if not isinstance(t, Integral):
        raise ctx.mismatch(node, "an integer", t, "~")
    return t


def modulus(ctx: Context, node: exp.Expr) -> DataType:
    """pmod(a, b) by name; sqlglot keeps the operator in its own class."""
    if len(node.expressions) != 2:
        raise ctx.error(TypeMismatch, "pmod takes two numbers", node)
    return binary(ctx, node)


RULES: dict[type[exp.Expr], Rule] = {
    exp.Add: binary, exp.Sub: binary, exp.Mul: binary, exp.Div: binary, exp.Mod: binary, exp.IntDiv: integral_division,
    exp.SafeAdd: binary, exp.SafeSubtract: binary, exp.SafeMultiply: binary, exp.SafeDivide: binary,
    exp.BitwiseAnd: bits, exp.BitwiseOr: bits, exp.BitwiseXor: bits, exp.BitwiseNot: bit_not,
    exp.BitwiseLeftShift: shift, exp.BitwiseRightShift: shift,
}  # fmt: skip
NAMED: dict[str, Rule] = {"pmod": modulus}
