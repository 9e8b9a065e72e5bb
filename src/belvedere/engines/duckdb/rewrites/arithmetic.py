"""+ − * / % div, and bits. Overflow and division by zero raise, as Spark does with ANSI on."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Date, Decimal, Fractional, Integral, Timestamp, TimestampNtz
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.rewrites import decimals
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build

_DATED = (Date, Timestamp, TimestampNtz)


def sides(node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    if isinstance(node, exp.Anonymous):
        return node.expressions[0], node.expressions[1]
    return node.args["this"], node.args["expression"]


# Where a result would need more than 38 digits Spark gives up digits after the point. DuckDB computes in 38 digits, rounds to
# Spark's scale afterwards, and raises for the rare numbers that do not fit on the way.


def additive(go: Rewriter, node: exp.Expr) -> exp.Expr:
    t = type_of(node)
    if isinstance(t, _DATED):
        from belvedere.engines.duckdb.rewrites.dates import moved

        return moved(go, node)
    left, right = sides(node)
    made = type(node)(this=build.paren(go(left)), expression=build.paren(go(right)))
    if not isinstance(t, Decimal):
        return made
    return cast_node(made, t)


def product(go: Rewriter, node: exp.Expr) -> exp.Expr:
    t = type_of(node)
    left, right = sides(node)
    made = exp.Mul(this=build.paren(go(left)), expression=build.paren(go(right)))
    if not isinstance(t, Decimal):
        return made
    a, b = type_of(left), type_of(right)
    if not isinstance(a, Decimal) or not isinstance(b, Decimal) or a.scale + b.scale > 38:
        raise too_wide(node)
    return cast_node(made, t)


def too_wide(node: exp.Expr) -> Exception:
    from belvedere.errors import Unsupported

    return Unsupported(f"'{node.sql('spark')}' needs decimals of more than 38 digits on the way: it runs on Spark only")


def division(go: Rewriter, node: exp.Expr) -> exp.Expr:
    left, right = sides(node)
    t, a, b = type_of(node), type_of(left), type_of(right)
    if isinstance(t, Decimal) and isinstance(a, Decimal) and isinstance(b, Decimal):
        shift = t.scale - a.scale + b.scale
        return decimals.quotient(decimals.unscaled(go(left), a), decimals.unscaled(go(right), b), shift, t)
    if isinstance(t, Fractional):
        return build.call("bv_divide", cast_node(go(left), t), cast_node(go(right), t))
    raise refused(node)


def remainder(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """a % b has the sign of a, in both engines."""
    left, right = sides(node)
    t, a, b = type_of(node), type_of(left), type_of(right)
    if isinstance(t, Integral):
        return exp.Mod(this=build.paren(go(left)), expression=build.paren(go(right)))
    if isinstance(t, Decimal) and isinstance(a, Decimal) and isinstance(b, Decimal):
        scale = max(a.scale, b.scale)
        wide_a, wide_b = a.precision + scale - a.scale, b.precision + scale - b.scale
        if max(wide_a, wide_b) > 38 or t.scale != scale:
            raise too_wide(node)
        x = decimals.unscaled(cast_node(go(left), Decimal(wide_a, scale)), Decimal(wide_a, scale))
        y = decimals.unscaled(cast_node(go(right), Decimal(wide_b, scale)), Decimal(wide_b, scale))
        return decimals.rescaled(build.call("bv_remainder", x, y), t)
    if isinstance(t, Fractional):
        return build.call("bv_remainder", go(left), go(right))
    raise refused(node)


def integral_division(go: Rewriter, node: exp.Expr) -> exp.Expr:
    left, right = sides(node)
    if not isinstance(type_of(left), Integral) or not isinstance(type_of(right), Integral):
        raise refused(node)
    return cast_node(exp.IntDiv(this=build.paren(go(left)), expression=build.paren(go(right))), type_of(node))


def negative(go: Rewriter, node: exp.Expr) -> exp.Expr:
    inner, t = node.args["this"], type_of(node)
    made = exp.Neg(this=exp.Literal.number(inner.name)) if _is_number(inner) else exp.Neg(this=build.paren(go(inner)))
    return cast_node(made, t) if not isinstance(t, Fractional) or _is_number(inner) else made


def _is_number(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string


def positive_modulus(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """pmod: the remainder that is not negative for a positive divisor."""
    if not isinstance(type_of(node), Integral):
        raise refused(node)
    a, b = (build.paren(go(e)) for e in sides(node))
    inner = exp.Paren(this=exp.Mod(this=a, expression=b))
    return build.case(
        exp.LT(this=inner, expression=build.number(0)),
        exp.Mod(this=exp.Paren(this=exp.Add(this=inner.copy(), expression=b.copy())), expression=b.copy()), inner.copy(),
    )  # fmt: skip


def bits(go: Rewriter, node: exp.Expr) -> exp.Expr:
    left, right = sides(node)
    a, b = build.paren(go(left)), build.paren(go(right))
    if isinstance(node, exp.BitwiseXor):
        return build.call("xor", a, b)
    return exp.Paren(this=type(node)(this=a, expression=b))


def bit_not(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return exp.BitwiseNot(this=go.tight(node))


RULES: dict[type[exp.Expr], Rule] = {
    exp.Add: additive, exp.Sub: additive, exp.Mul: product, exp.Div: division, exp.Mod: remainder, exp.IntDiv: integral_division,
    exp.Neg: negative, exp.Negative: negative, exp.BitwiseAnd: bits, exp.BitwiseOr: bits, exp.BitwiseXor: bits,
    exp.BitwiseNot: bit_not,
}  # fmt: skip
NAMED: dict[str, Rule] = {
    "pmod": positive_modulus,
    "positive": lambda go, node: build.paren(go(node.expressions[0])),
}
