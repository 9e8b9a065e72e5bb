"""Literals, columns, variables of lambdas, casts."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import BigInt, Binary, Boolean, DataType, Double, Int, String, Variant, Void, from_sqlglot
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.coerce import castable
from belvedere.algebra.typing.context import Context, Rule, sql_type
from belvedere.errors import TypeMismatch, UnknownName, suggest


def literal(_: Context, node: exp.Expr) -> DataType:
    """1 is an int, 3000000000 a bigint, 1.5 a decimal(2,1), 1e0 a double, 'x' a string."""
    if node.args.get("is_string"):
        return String()
    digits = str(node.this)
    if "e" in digits.lower():
        return Double()
    if "." in digits:
        return decimals.of_literal(digits)
    value = int(digits)
    if value <= 2**31 - 1:
        return Int()
    return BigInt() if value <= 2**63 - 1 else decimals.of_literal(digits)


def column(ctx: Context, node: exp.Expr) -> DataType:
    assert isinstance(node, exp.Column)
    return ctx.column(node)


def variable(ctx: Context, node: exp.Expr) -> DataType:
    """A bare identifier in a lambda's body is one of its parameters; Spark does not look at their case."""
    for name, t in ctx.variables.items():
        if name.lower() == node.name.lower():
            node.set("this", name)
            return t
    raise ctx.error(UnknownName, f"unknown variable '{node.name}'{suggest(node.name, list(ctx.variables))}", node)


def cast(ctx: Context, node: exp.Expr) -> DataType:
    source = ctx.arg(node)
    to = node.args["to"]
    if isinstance(source, Variant):
        source = _text_of_variant(ctx.part(node, "this"))
    try:
        target = from_sqlglot(to)
    except TypeMismatch as e:
        raise ctx.error(TypeMismatch, e.message, node) from None
    if not castable(source, target):
        raise ctx.error(TypeMismatch, f"a {source} cannot be cast to {target}", node)
    node.set("to", sql_type(target))
    return target


def _text_of_variant(value: exp.Expr) -> DataType:
    """A variant is stored as JSON text: its value is what stands at the root, a string without its quotes."""
    root = exp.JSONPath(expressions=[exp.JSONPathRoot()])
    wrapper = exp.JSONExtractScalar(expression=root)
    root.meta["t"] = wrapper.meta["t"] = String()
    value.replace(wrapper)
    wrapper.set("this", value)
    return String()


def cast_by_name(target: DataType) -> Rule:
    """`bigint(x)` and its kind, where sqlglot sees a call."""

    def rule(ctx: Context, node: exp.Expr) -> DataType:
        if len(node.expressions) != 1:
            raise ctx.error(TypeMismatch, f"{target}() takes one argument", node)
        source = ctx.visit(node.expressions[0])
        if not castable(source, target):
            raise ctx.error(TypeMismatch, f"a {source} cannot be cast to {target}", node)
        return target

    return rule


def paren(ctx: Context, node: exp.Expr) -> DataType:
    return ctx.arg(node)


def negative(ctx: Context, node: exp.Expr) -> DataType:
    """-2147483648 is an int, though 2147483648 is not."""
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string and inner.this in ("2147483648", "9223372036854775808"):
        t: DataType = Int() if inner.this == "2147483648" else BigInt()
        inner.meta["t"] = t
        return t
    t = ctx.arg(node)
    if isinstance(t, (String, Void)):
        return ctx.cast(ctx.part(node, "this"), Double())
    if not t.is_numeric:
        raise ctx.mismatch(node, "a number", t, "-")
    return t


def hex_string(_: Context, node: exp.Expr) -> DataType:
    return Binary()


RULES: dict[type[exp.Expr], Rule] = {
    exp.Literal: literal,
    exp.RawString: lambda _c, _n: String(),
    exp.National: lambda _c, _n: String(),
    exp.HexString: hex_string,
    exp.Boolean: lambda _c, _n: Boolean(),
    exp.Null: lambda _c, _n: Void(),
    exp.Column: column,
    exp.Identifier: variable,
    exp.Paren: paren,
    exp.Cast: cast,
    exp.TryCast: cast,
    exp.Neg: negative,
    exp.Negative: negative,
}
