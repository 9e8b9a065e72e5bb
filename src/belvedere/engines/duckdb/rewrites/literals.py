"""Columns, lambda parameters and literals. A literal has the type that Spark gives it, so it is cast where DuckDB's differs."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Binary, Decimal, Int
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build


def literal(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if node.args.get("is_string"):
        return build.text(node.name)
    t = type_of(node)
    made = exp.Literal.number(node.name)
    if isinstance(t, Int):
        return made
    if isinstance(t, Decimal):
        return cast_node(build.text(node.name), t)
    return cast_node(made, t)


def column(go: Rewriter, node: exp.Expr) -> exp.Expr:
    assert isinstance(node, exp.Column)
    return go.column(node)


def parameter(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return go.parameter(node)


def paren(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.paren(go.arg(node))


def boolean(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return exp.Boolean(this=node.this)


def raw(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.text(node.name)


def hexadecimal(go: Rewriter, node: exp.Expr) -> exp.Expr:
    digits = node.name if len(node.name) % 2 == 0 else "0" + node.name
    return cast_node(build.call("unhex", build.text(digits)), Binary())


RULES: dict[type[exp.Expr], Rule] = {
    exp.Literal: literal, exp.Column: column, exp.Identifier: parameter, exp.Paren: paren, exp.Boolean: boolean,
    exp.Null: lambda go, node: exp.Null(), exp.RawString: raw, exp.National: raw, exp.HexString: hexadecimal,
}  # fmt: skip
NAMED: dict[str, Rule] = {}
