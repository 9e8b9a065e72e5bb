"""Functions that take a lambda: transform, filter, exists, forall, aggregate, zip_with, and those of maps."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, Boolean, DataType, Int, Map, Void
from belvedere.algebra.typing.coerce import common
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.algebra.typing.expect import ARRAY, MAP, take
from belvedere.errors import TypeMismatch


def body(ctx: Context, node: exp.Expr, function: object, types: list[DataType], *, fewest: int | None = None) -> DataType:
    """The type of a lambda's body, its parameters having these types; the last ones may be left out."""
    if not isinstance(function, exp.Lambda):
        raise ctx.error(TypeMismatch, f"{name_of(node)} takes a function, such as x -> x + 1", node)
    names = [p.name for p in function.expressions]
    low = len(types) if fewest is None else fewest
    if not low <= len(names) <= len(types):
        raise ctx.error(TypeMismatch, f"the function given to {name_of(node)} takes {len(types)} parameter(s)", function)
    for p, t in zip(function.expressions, types, strict=False):
        p.meta["t"] = t
    with ctx.bound(dict(zip(names, types, strict=False))):
        t = ctx.visit(function.this)
    function.meta["t"] = t
    return t


def _array(ctx: Context, node: exp.Expr, part: exp.Expr) -> DataType:
    t = take(ctx, node, part, ARRAY)
    assert isinstance(t, Array)
    return t.element


def transform(ctx: Context, node: exp.Expr) -> DataType:
    element = _array(ctx, node, node.args["this"])
    return Array(body(ctx, node, node.args.get("expression"), [element, Int()], fewest=1))


def _predicate(ctx: Context, node: exp.Expr, function: exp.Lambda, types: list[DataType], fewest: int) -> None:
    t = body(ctx, node, function, types, fewest=fewest)
    if isinstance(t, Void):
        ctx.cast(function.this, Boolean())
    elif not isinstance(t, Boolean):
        raise ctx.mismatch(function.this, "a function that gives a boolean", t, name_of(node))


def keep(ctx: Context, node: exp.Expr) -> DataType:
    element = _array(ctx, node, node.args["this"])
    _predicate(ctx, node, node.args["expression"], [element, Int()], 1)
    return Array(element)


def exists(ctx: Context, node: exp.Expr) -> DataType:
    function = node.args.get("expression")
    if function is None:
        raise ctx.unsupported(node, "a subquery cannot stand here")
    _predicate(ctx, node, function, [_array(ctx, node, node.args["this"])], 1)
    return Boolean()


def forall(ctx: Context, node: exp.Expr) -> DataType:
    source, function = _two(ctx, node)
    _predicate(ctx, node, function, [_array(ctx, node, source)], 1)
    return Boolean()


def _two(ctx: Context, node: exp.Expr) -> tuple[exp.Expr, exp.Lambda]:
    if len(node.expressions) != 2 or not isinstance(node.expressions[1], exp.Lambda):
        raise ctx.error(TypeMismatch, f"{name_of(node)} takes a collection and a function, such as x -> x > 1", node)
    return node.expressions[0], node.expressions[1]


def reduce(ctx: Context, node: exp.Expr) -> DataType:
    """aggregate(array, start, (acc, x) -> …, acc -> …): the accumulator has the start's type throughout."""
    element = _array(ctx, node, node.args["this"])
    start = ctx.arg(node, "initial")
    merge = node.args["merge"]
    t = body(ctx, node, merge, [start, element])
    if t != start:
        if common(t, start) != start:
            message = f"the start of aggregate is of type {start} and its step gives {t}; cast the start"
            raise ctx.error(TypeMismatch, message, node)
        ctx.cast(merge.this, start)
    finish = node.args.get("finish")
    return body(ctx, node, finish, [start]) if finish is not None else start


def zip_with(ctx: Context, node: exp.Expr) -> DataType:
    if len(node.expressions) != 3:
        raise ctx.error(TypeMismatch, "zip_with takes two arrays and a function", node)
    a, b, function = node.expressions
    return Array(body(ctx, node, function, [_array(ctx, node, a), _array(ctx, node, b)]))


def _entries(ctx: Context, node: exp.Expr) -> tuple[Map, exp.Lambda]:
    source, function = _two(ctx, node)
    t = take(ctx, node, source, MAP)
    assert isinstance(t, Map)
    return t, function


def map_filter(ctx: Context, node: exp.Expr) -> DataType:
    t, function = _entries(ctx, node)
    _predicate(ctx, node, function, [t.key, t.value], 2)
    return t


def transform_values(ctx: Context, node: exp.Expr) -> DataType:
    t, function = _entries(ctx, node)
    return Map(t.key, body(ctx, node, function, [t.key, t.value]))


def transform_keys(ctx: Context, node: exp.Expr) -> DataType:
    t, function = _entries(ctx, node)
    return Map(body(ctx, node, function, [t.key, t.value]), t.value)


def stray(ctx: Context, node: exp.Expr) -> DataType:
    raise ctx.error(TypeMismatch, "a function x -> … can only be an argument of transform, filter and their kind", node)


RULES: dict[type[exp.Expr], Rule] = {
    exp.Transform: transform, exp.ArrayFilter: keep, exp.Exists: exists, exp.Reduce: reduce, exp.Lambda: stray,
}  # fmt: skip
NAMED: dict[str, Rule] = {
    "forall": forall, "zip_with": zip_with, "map_filter": map_filter, "transform_values": transform_values,
    "transform_keys": transform_keys,
}  # fmt: skip
