"""Exact decimal arithmetic as Spark defines it, on DuckDB's 128-bit integers.

DuckDB divides decimals as doubles. Here a quotient is computed on the unscaled integers and rounded half up at the scale
that Spark gives the result. What would need more than 38 digits on the way raises.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Decimal
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build


def unscaled(node: exp.Expr, t: Decimal) -> exp.Expr:
    """The decimal without its point, a HUGEINT."""
    if t.scale == 0:
        return hugeint(node)
    if t.precision + t.scale + 1 <= 38:
        power = cast_node(build.number(10**t.scale), Decimal(t.scale + 1, 0))
        return hugeint(exp.Mul(this=build.paren(node), expression=power))
    digits = build.call("replace", exp.Cast(this=node, to=exp.DataType(this=exp.DType.VARCHAR)), build.text("."), build.text(""))
    return hugeint(digits)


def rescaled(node: exp.Expr, t: Decimal) -> exp.Expr:
    """The decimal whose unscaled integer this is."""
    whole = cast_node(node, Decimal(38, 0))
    if t.scale == 0:
        return cast_node(whole, t)
    unit = cast_node(build.text("0." + "0" * (t.scale - 1) + "1"), Decimal(t.scale, t.scale))
    return cast_node(exp.Mul(this=whole, expression=unit), t)


def hugeint(node: exp.Expr) -> exp.Expr:
    return exp.Cast(this=node, to=exp.DataType(this=exp.DType.USERDEFINED, kind="HUGEINT"))


def quotient(a: exp.Expr, b: exp.Expr, shift: int, result: Decimal) -> exp.Expr:
    """a * 10^shift / b on unscaled integers, rounded half up, as a decimal."""
    if shift < 0:
        b, shift = exp.Mul(this=b, expression=hugeint(build.number(10**-shift))), 0
    return rescaled(build.call("bv_quotient", a, b, hugeint(build.number(10**shift))), result)
