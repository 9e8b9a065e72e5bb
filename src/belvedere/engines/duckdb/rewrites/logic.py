"""Comparisons, boolean operators and what chooses among values.

Both engines hold NaN equal to NaN and above all numbers. They differ in how NULLs inside of structs and arrays order, so
an order of nested values is asked of Spark.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, Map, Struct
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build

_NESTED = (Array, Map, Struct)


def equality(go: Rewriter, node: exp.Expr) -> exp.Expr:
    kind = type(node)
    return kind(this=go.tight(node), expression=go.tight(node, "expression"))


def inequality(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if isinstance(type_of(node.args["this"]), _NESTED):
        raise refused(node)
    return equality(go, node)


def null_safe(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return exp.NullSafeEQ(this=go.tight(node), expression=go.tight(node, "expression"))


def connective(go: Rewriter, node: exp.Expr) -> exp.Expr:
    kind = type(node)
    return kind(this=_operand(go, node.args["this"], kind), expression=_operand(go, node.args["expression"], kind))


def _operand(go: Rewriter, node: exp.Expr, parent: type[exp.Expr]) -> exp.Expr:
    made = go(node)
    loose = (exp.Or, exp.And, exp.Case) if parent is exp.Or else (exp.Or, exp.Case)
    return exp.Paren(this=made) if isinstance(made, loose) and not isinstance(made, parent) else made


def negation(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return exp.Not(this=build.paren(go.arg(node)))


def is_(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return exp.Is(this=go.tight(node), expression=go.arg(node, "expression"))


def is_null(go: Rewriter, node: exp.Expr) -> exp.Expr:
    tested = build.is_null(go(node.expressions[0]))
    return tested if node.name.lower() == "isnull" else exp.Not(this=tested)


def between(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if isinstance(type_of(node.args["this"]), _NESTED):
        raise refused(node)
    return exp.Between(this=go.tight(node), low=go.tight(node, "low"), high=go.tight(node, "high"))


def in_(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if isinstance(node.args["this"], exp.Tuple):  # rows compare as structs, in which NULL equals NULL
        rows = [e.expressions for e in node.expressions]
        left = node.args["this"].expressions
        options = [
            build.conjunction(
                exp.NullSafeEQ(this=build.paren(go(a)), expression=build.paren(go(b))) for a, b in zip(left, r, strict=True)
            )
            for r in rows
        ]
        made = [exp.Paren(this=o) for o in options if o is not None]
        result: exp.Expr = made[0]
        for o in made[1:]:
            result = exp.Or(this=result, expression=o)
        return exp.Paren(this=result)
    if not isinstance(node.args["this"], exp.Column):
        # DuckDB 2.0 turns `s.x IN (1, 3)` over a file whose bounds for s.x are 1 and 1 into `s IS NOT NULL`, and lets NULL pass
        tests: list[exp.Expr] = [exp.EQ(this=go.tight(node), expression=build.paren(go(e))) for e in node.expressions]
        either = tests[0]
        for t in tests[1:]:
            either = exp.Or(this=either, expression=t)
        return exp.Paren(this=either)
    return exp.In(this=go.tight(node), expressions=[go(e) for e in node.expressions])


def case(go: Rewriter, node: exp.Expr) -> exp.Expr:
    branches = [exp.If(this=go(b.this), true=go(b.args["true"])) for b in node.args["ifs"]]
    return exp.Case(this=go.optional(node, "this"), ifs=branches, default=go.optional(node, "default"))


def if_(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.case(go.arg(node), go.arg(node, "true"), go.optional(node, "false"))


def chosen(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """coalesce, greatest, least: NULLs are skipped by both."""
    if not isinstance(node, exp.Coalesce) and isinstance(type_of(node.args["this"]), _NESTED):
        raise refused(node)
    name = node.sql_name() if isinstance(node, exp.Func) else ""
    return build.call(name, go.arg(node), *(go(e) for e in node.expressions))


def nullif(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if type_of(node.args["this"]) != type_of(node.args["expression"]):
        raise refused(node)
    return build.call("nullif", go.arg(node), go.arg(node, "expression"))


def nvl2(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.case(build.not_null(go.arg(node)), go.arg(node, "true"), go.arg(node, "false"))


def like(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Spark escapes with a backslash unless told otherwise. A pattern that ends in its escape is an error there."""
    pattern = node.args["expression"]
    if isinstance(pattern, (exp.Any, exp.All)):
        if node.args.get("negate"):
            raise refused(node)
        return _like_many(go, node, pattern)
    made = _like(go, type(node), go.tight(node), go(pattern), build.text("\\"))
    return exp.Not(this=exp.Paren(this=made)) if node.args.get("negate") else made


def _like(go: Rewriter, kind: type[exp.Expr], value: exp.Expr, pattern: exp.Expr, escape: exp.Expr) -> exp.Expr:
    return exp.Escape(this=kind(this=value, expression=build.paren(pattern)), expression=escape)


def _like_many(go: Rewriter, node: exp.Expr, options: exp.Expr) -> exp.Expr:
    inner = options.this
    patterns = inner.expressions if isinstance(inner, exp.Tuple) else [inner.unnest()]
    parts = [_like(go, type(node), go.tight(node), go(p), build.text("\\")) for p in patterns]
    made: exp.Expr = exp.Paren(this=parts[0])
    for p in parts[1:]:
        joiner = exp.Or if isinstance(options, exp.Any) else exp.And
        made = joiner(this=made, expression=exp.Paren(this=p))
    return exp.Paren(this=made)


def escaped(go: Rewriter, node: exp.Expr) -> exp.Expr:
    inner = node.this
    if not isinstance(inner, (exp.Like, exp.ILike)) or isinstance(inner.expression, (exp.Any, exp.All)):
        raise refused(node)
    made = _like(go, type(inner), go.tight(inner), go.arg(inner, "expression"), go.arg(node, "expression"))
    return exp.Not(this=exp.Paren(this=made)) if inner.args.get("negate") else made


def zero_if_null(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = node.expressions[0]
    return build.call("coalesce", go(value), cast_node(build.number(0), type_of(value)))


def null_if_zero(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = node.expressions[0]
    return build.call("nullif", go(value), cast_node(build.number(0), type_of(value)))


def decode_case(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """decode(x, v1, r1, …, default): NULL matches NULL."""
    args = [go(a) for a in node.expressions]
    pairs = args[1:] if len(args) % 2 else args[1:-1]
    branches = [
        exp.If(this=exp.NullSafeEQ(this=build.paren(args[0].copy()), expression=build.paren(v)), true=r)
        for v, r in zip(pairs[0::2], pairs[1::2], strict=True)
    ]
    return exp.Case(ifs=branches, default=None if len(args) % 2 else args[-1])


RULES: dict[type[exp.Expr], Rule] = {
    exp.EQ: equality, exp.NEQ: equality, exp.NullSafeEQ: null_safe, exp.EqualNull: null_safe,
    exp.NullSafeNEQ: lambda go, node: exp.NullSafeNEQ(this=go.tight(node), expression=go.tight(node, "expression")),
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), inequality),
    exp.And: connective, exp.Or: connective, exp.Not: negation, exp.Is: is_, exp.Between: between, exp.In: in_,
    exp.Case: case, exp.If: if_, exp.Coalesce: chosen, exp.Greatest: chosen, exp.Least: chosen, exp.Nullif: nullif,
    exp.Nvl2: nvl2, exp.Like: like, exp.ILike: like, exp.Escape: escaped, exp.DecodeCase: decode_case,
}  # fmt: skip
NAMED: dict[str, Rule] = {"isnull": is_null, "isnotnull": is_null, "zeroifnull": zero_if_null, "nullifzero": null_if_zero}
