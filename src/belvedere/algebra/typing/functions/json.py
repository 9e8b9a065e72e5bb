"""JSON text and variants, by path."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, DataType, Int, Map, String, Struct, Variant, parse_schema, parse_type
from belvedere.algebra.typing.context import Context, Rule
from belvedere.algebra.typing.expect import JSON, STRING, call, named, take
from belvedere.errors import TypeMismatch


def path(ctx: Context, node: exp.Expr) -> DataType:
    """get_json_object(x, '$.a[0]') and x:a[0]: the text at a path."""
    take(ctx, node, node.args["this"], JSON)
    where = node.args["expression"]
    if not isinstance(where, exp.JSONPath) and not (isinstance(where, exp.Literal) and where.is_string):
        raise ctx.unsupported(node, "a JSON path that is not a literal")
    where.meta["t"] = String()
    return String()


def from_json(ctx: Context, node: exp.Expr) -> DataType:
    take(ctx, node, node.args["this"], STRING)
    schema = node.args.get("expression")
    if not isinstance(schema, exp.Literal) or not schema.is_string:
        raise ctx.unsupported(node, "from_json with a schema that is not a literal; write it as a string, 'a int, b string'")
    schema.meta["t"] = String()
    try:
        return parse_type(schema.name)
    except TypeMismatch:
        pass
    try:
        return Struct(tuple((c.name, c.type) for c in parse_schema(schema.name)))
    except TypeMismatch as e:
        raise ctx.error(TypeMismatch, e.message, schema) from None


def to_json(ctx: Context, node: exp.Expr) -> DataType:
    t = ctx.arg(node)
    if not isinstance(t, (Struct, Array, Map)):
        raise ctx.mismatch(node.args["this"], "a struct, an array or a map", t, "to_json")
    return String()


RULES: dict[type[exp.Expr], Rule] = {
    exp.JSONExtract: path, exp.JSONExtractScalar: path, exp.FromJson: from_json, exp.JSONFormat: to_json,
    exp.ParseJSON: call(Variant(), this=STRING),
}  # fmt: skip


def not_literal(ctx: Context, node: exp.Expr) -> DataType:
    raise ctx.unsupported(node, "variant_get takes a literal path and a literal type: variant_get(v, '$.a', 'int')")


NAMED: dict[str, Rule] = {"variant_get": not_literal, "json_array_length": named(Int(), STRING)}
