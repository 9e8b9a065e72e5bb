"""transform, filter, exists, forall, aggregate. Lambda parameters are renamed so that no column is caught by one."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, Int
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build


def function(go: Rewriter, node: exp.Expr) -> tuple[list[str], exp.Expr]:
    """A lambda's parameters and body; DuckDB counts a second parameter, the index, from 1."""
    if not isinstance(node, exp.Lambda):
        raise refused(node)
    params, body = go.within(node)
    if len(params) == 2:
        index = params[1]

        def shift(n: exp.Expr) -> exp.Expr:
            if isinstance(n, exp.Column) and n.name == index:
                return exp.Paren(this=cast_node(exp.Sub(this=n.copy(), expression=build.number(1)), Int()))
            return n

        body = body.transform(shift)
    return params, body


def transform(go: Rewriter, node: exp.Expr) -> exp.Expr:
    params, body = function(go, node.args["expression"])
    return cast_node(build.call("list_transform", go.arg(node), build.lambda_(params, body)), type_of(node))


def keep(go: Rewriter, node: exp.Expr) -> exp.Expr:
    params, body = function(go, node.args["expression"])
    return build.call("list_filter", go.arg(node), build.lambda_(params, body))


def exists(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Three-valued: NULL if no element makes it true and one makes it NULL."""
    params, body = function(go, node.args["expression"])
    return _quantified(go, go.arg(node), params, body, found=True)


def forall(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """False as soon as one element makes it false, else NULL if one makes it NULL."""
    values, condition = node.expressions
    params, body = function(go, condition)
    return _quantified(go, go(values), params, exp.Not(this=build.paren(body)), found=False)


def _quantified(go: Rewriter, values: exp.Expr, params: list[str], body: exp.Expr, *, found: bool) -> exp.Expr:
    def decided(answers: exp.Expr) -> exp.Expr:
        p = go.names.fresh("e")
        unsure = build.call("list_filter", answers.copy(), build.lambda_([p], build.is_null(build.column(p))))
        return exp.Case(
            ifs=[
                exp.If(this=build.is_null(answers), true=exp.Null()),
                exp.If(this=build.call("list_contains", answers.copy(), exp.true()), true=exp.Boolean(this=found)),
                exp.If(this=exp.GT(this=build.call("len", unsure), expression=build.number(0)), true=exp.Null()),
            ],
            default=exp.Boolean(this=not found),
        )

    return go.once(build.call("list_transform", values, build.lambda_(params, body)), decided)


def reduce(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """aggregate(a, start, merge [, finish]), where the start is of the elements' type."""
    values, start, merge = node.args["this"], node.args["initial"], node.args["merge"]
    t, source = type_of(start), type_of(values)
    if not isinstance(source, Array) or source.element != t or not isinstance(merge, exp.Lambda):
        raise refused(node)
    params, body = go.within(merge)
    made = build.call("list_reduce", go(values), build.lambda_(params, cast_node(body, t)), cast_node(go(start), t))
    finish = node.args.get("finish")
    if finish is None:
        return made
    if not isinstance(finish, exp.Lambda):
        raise refused(node)
    last, result = go.within(finish)
    one = build.call("list_transform", build.call("list_value", made), build.lambda_(last, result))
    return build.call("list_extract", one, build.number(1))


RULES: dict[type[exp.Expr], Rule] = {exp.Transform: transform, exp.ArrayFilter: keep, exp.Exists: exists, exp.Reduce: reduce}
NAMED: dict[str, Rule] = {"forall": forall}
