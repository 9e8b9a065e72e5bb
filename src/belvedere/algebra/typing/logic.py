"""Comparisons, boolean operators, and what chooses among values: case, if, coalesce, greatest, in, between."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Boolean, DataType, String, Struct, Void
from belvedere.algebra.typing.coerce import common, common_of, orderable
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.errors import TypeMismatch


def unify(ctx: Context, node: exp.Expr, parts: list[exp.Expr], where: str) -> DataType:
    """Visit the parts and cast them all to their common type."""
    types = [ctx.visit(p) for p in parts]
    t = common_of(types)
    if t is None:
        shown = ", ".join(dict.fromkeys(map(str, types)))
        raise ctx.error(TypeMismatch, f"{where}: there is no common type for {shown}; cast them", node)
    for p in parts:
        ctx.cast(p, t)
    return t


def comparison(ctx: Context, node: exp.Expr) -> DataType:
    left, right = node.args["this"], node.args["expression"]
    if isinstance(right, (exp.Any, exp.All)):
        raise ctx.unsupported(node, "any/all over a list is not supported; use in (…) or a subquery")
    a, b = ctx.visit(left), ctx.visit(right)
    t = common(a, b)
    if t is None:
        raise ctx.error(TypeMismatch, f"{a} and {b} cannot be compared; cast one of them", node)
    _comparable(ctx, node, t)
    ctx.cast(left, t)
    ctx.cast(right, t)
    return Boolean()


def _comparable(ctx: Context, node: exp.Expr, t: DataType) -> None:
    if not orderable(t):
        raise ctx.error(TypeMismatch, f"values of type {t} cannot be compared", node)


def connective(ctx: Context, node: exp.Expr) -> DataType:
    for key in ("this", "expression"):
        if key in node.args:
            condition(ctx, ctx.part(node, key), node.key)
    return Boolean()


def condition(ctx: Context, node: exp.Expr, where: str) -> None:
    t = ctx.visit(node)
    if isinstance(t, Void):
        ctx.cast(node, Boolean())
    elif not isinstance(t, Boolean):
        raise ctx.mismatch(node, "a boolean", t, where)


def is_(ctx: Context, node: exp.Expr) -> DataType:
    """x is null, x is true."""
    t = ctx.arg(node)
    ctx.arg(node, "expression")
    if isinstance(node.args["expression"], exp.Boolean) and not isinstance(t, (Boolean, Void)):
        raise ctx.mismatch(node, "a boolean", t, "is true/false")
    return Boolean()


def is_null(ctx: Context, node: exp.Expr) -> DataType:
    """isnull(x), isnotnull(x) by name."""
    if len(node.expressions) != 1:
        raise ctx.error(TypeMismatch, f"{name_of(node)} takes one argument", node)
    ctx.visit(node.expressions[0])
    return Boolean()


def between(ctx: Context, node: exp.Expr) -> DataType:
    """All three are compared in one common type."""
    x, low, high = node.args["this"], node.args["low"], node.args["high"]
    t = unify(ctx, node, [x, low, high], "between")
    _comparable(ctx, node, t)
    return Boolean()


def in_(ctx: Context, node: exp.Expr) -> DataType:
    if node.args.get("query") is not None or node.args.get("unnest") is not None:
        raise ctx.unsupported(node, "a subquery cannot stand here")
    values = [node.args["this"], *node.expressions]
    if all(isinstance(v, exp.Tuple) for v in values):
        return _rows_in(ctx, node, values)
    t = unify(ctx, node, values, "in")
    _comparable(ctx, node, t)
    return Boolean()


def _rows_in(ctx: Context, node: exp.Expr, rows: list[exp.Expr]) -> DataType:
    """(a, b) in ((1, 2), …): each position finds its own common type."""
    if len({len(r.expressions) for r in rows}) != 1:
        raise ctx.error(TypeMismatch, "in: all rows must have the same number of values", node)
    for i in range(len(rows[0].expressions)):
        _comparable(ctx, node, unify(ctx, node, [r.expressions[i] for r in rows], "in"))
    for r in rows:
        r.meta["t"] = Struct(tuple((f"col{i}", e.meta["t"]) for i, e in enumerate(r.expressions, 1)))
    return Boolean()


def row(ctx: Context, node: exp.Expr) -> DataType:
    """(a, b): a struct with the names that Spark gives it."""
    return Struct(tuple((f"col{i}", ctx.visit(e)) for i, e in enumerate(node.expressions, 1)))


def like(ctx: Context, node: exp.Expr) -> DataType:
    left, right = node.args["this"], node.args["expression"]
    patterns = [right]
    if isinstance(right, (exp.Any, exp.All)):
        inner = right.this
        patterns = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner.unnest()]
        right.meta["t"] = Boolean()
        inner.meta["t"] = Boolean()
    for side in (left, *patterns):
        t = ctx.visit(side)
        if not isinstance(t, (String, Void)):
            raise ctx.mismatch(side, "strings", t, "like")
        ctx.cast(side, String())
    return Boolean()


def escaped(ctx: Context, node: exp.Expr) -> DataType:
    ctx.arg(node)
    ctx.arg(node, "expression")
    return Boolean()


def case(ctx: Context, node: exp.Expr) -> DataType:
    """The branches share a type; `case x when v` compares x with each v."""
    subject = node.args.get("this")
    branches = node.args["ifs"]
    if subject is not None:
        t = unify(ctx, node, [subject, *(b.this for b in branches)], "case")
        _comparable(ctx, node, t)
    else:
        for b in branches:
            condition(ctx, b.this, "case when")
    results = [b.args["true"] for b in branches]
    default = node.args.get("default")
    t = unify(ctx, node, [*results, *([default] if default is not None else [])], "case")
    for b in branches:
        b.meta["t"] = t
    return t


def if_(ctx: Context, node: exp.Expr) -> DataType:
    condition(ctx, node.args["this"], "if")
    other = node.args.get("false")
    return unify(ctx, node, [node.args["true"], *([other] if other is not None else [])], "if")


def first_known(ctx: Context, node: exp.Expr) -> DataType:
    return unify(ctx, node, [node.args["this"], *node.expressions], name_of(node))


def extreme(ctx: Context, node: exp.Expr) -> DataType:
    """greatest and least: strings are not read as numbers here."""
    parts = [node.args["this"], *node.expressions]
    kinds = {isinstance(t, String) for p in parts if not isinstance(t := ctx.visit(p), Void)}
    if len(kinds) > 1:
        raise ctx.error(TypeMismatch, f"{name_of(node)} takes values of one kind, and some are strings; cast them", node)
    t = unify(ctx, node, parts, name_of(node))
    _comparable(ctx, node, t)
    return t


def nullif(ctx: Context, node: exp.Expr) -> DataType:
    """nullif(a, b) is `if(a = b, null, a)`: the sides are compared in their common type, the result keeps a's."""
    left, right = node.args["this"], node.args["expression"]
    a, b = ctx.visit(left), ctx.visit(right)
    t = common(a, b)
    if t is None:
        raise ctx.error(TypeMismatch, f"{a} and {b} cannot be compared; cast one of them", node)
    if t == a:
        ctx.cast(right, t)
    return a


def nvl2(ctx: Context, node: exp.Expr) -> DataType:
    ctx.arg(node)
    return unify(ctx, node, [node.args["true"], node.args["false"]], "nvl2")


RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), comparison),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ, exp.EqualNull), comparison),
    exp.And: connective, exp.Or: connective, exp.Not: connective,
    exp.Is: is_, exp.Between: between, exp.In: in_, exp.Tuple: row,
    exp.Like: like, exp.ILike: like, exp.RegexpLike: like, exp.Escape: escaped,
    exp.Case: case, exp.If: if_, exp.Coalesce: first_known, exp.Greatest: extreme, exp.Least: extreme,
    exp.Nullif: nullif, exp.Nvl2: nvl2,
}  # fmt: skip
NAMED: dict[str, Rule] = {"isnull": is_null, "isnotnull": is_null}
