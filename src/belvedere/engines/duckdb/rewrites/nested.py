"""Structs, arrays and maps: access and constructors. DuckDB counts list elements from 1 and gives NULL outside; Spark's
`a[i]` counts from 0, and both that and element_at raise."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, DataType, Map, Struct, Variant
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build
from belvedere.engines.sql.dialect import Step


def field(value: exp.Expr, name: str) -> exp.Expr:
    return build.call("struct_extract", value, build.text(name))


def dot(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """s.f, and for an array of structs the array of their fields."""
    value, name = go.arg(node), node.expression.name
    if isinstance(type_of(node.this), Array):
        p = go.names.fresh("e")
        return build.call("list_transform", value, build.lambda_([p], field(build.column(p), name)))
    return _typed(field(value, name), node)


def _typed(found: exp.Expr, node: exp.Expr) -> exp.Expr:
    """DuckDB forgets the type of a field where it can tell beforehand that the struct is NULL."""
    return found if node.find(exp.Column) is not None else cast_node(found, type_of(node))


def bracket(go: Rewriter, node: exp.Expr) -> exp.Expr:
    source, key = type_of(node.this), node.expressions[0]
    safe, from_one = bool(node.args.get("safe")), bool(node.args.get("offset"))
    if isinstance(source, Struct):
        return _typed(field(go.arg(node), key.name), node)
    if isinstance(source, Map):
        return exp.Bracket(this=go.tight(node), expressions=[go(key)])
    if not isinstance(source, Array):
        raise refused(node)
    if safe:
        return build.call("list_extract", go.arg(node), go(key))
    return build.call("bv_element_at" if from_one else "bv_at", go.arg(node), go(key))


def get(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """get(a, i): from 0, NULL outside."""
    values, index = (go(e) for e in node.expressions)
    inside = exp.GTE(this=build.paren(index), expression=build.number(0))
    place = exp.Add(this=build.paren(index.copy()), expression=build.number(1))
    return build.case(inside, build.call("list_extract", values, place))


def struct(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """A struct constructor, cast so that its fields have the names and types that Spark gives them."""
    t = type_of(node)
    assert isinstance(t, Struct)
    values = [_value(item) for item in node.expressions]
    return pack({n: go(v) for (n, _), v in zip(t.fields, values, strict=True)})


def _value(item: exp.Expr) -> exp.Expr:
    """What a field holds, without its name."""
    if isinstance(item, exp.PropertyEQ):
        item = item.args["expression"]
        assert isinstance(item, exp.Expr)
        return item
    return item.unalias()


def pack(fields: dict[str, exp.Expr]) -> exp.Expr:
    items = [exp.PropertyEQ(this=exp.Identifier(this=n, quoted=True), expression=v) for n, v in fields.items()]
    return exp.Struct(expressions=items)


def row(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return pack({f"col{i}": go(e) for i, e in enumerate(node.expressions, 1)})


def array(go: Rewriter, node: exp.Expr) -> exp.Expr:
    made = build.call("list_value", *(go(e) for e in node.expressions))
    return made if node.expressions else cast_node(made, type_of(node))


def map_(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return cast_node(build.call("map", go.arg(node, "keys"), go.arg(node, "values")), type_of(node))


def size(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    name = "cardinality" if isinstance(type_of(value), Map) else "len"
    return cast_node(build.call(name, go(value)), type_of(node))


def normal(node: exp.Expr, t: DataType, go: Rewriter) -> exp.Expr:
    """An equal value whose maps hold their entries in order, so that equal maps compare equal."""
    if not t.contains(Map) or isinstance(t, Variant):
        return node
    match t:
        case Map(key=k, value=v):
            entries = build.call("map_entries", node)
            if k.contains(Map) or v.contains(Map):
                entries = _each(
                    entries,
                    go,
                    lambda e: pack({"key": normal(field(e, "key"), k, go), "value": normal(field(e.copy(), "value"), v, go)}),
                )
            return build.case(build.not_null(node.copy()), build.call("map_from_entries", build.call("list_sort", entries)))
        case Array(element=e):
            return _each(node, go, lambda x: normal(x, e, go))
        case Struct(fields=fs):
            packed = pack({n: normal(field(node.copy(), n), ft, go) for n, ft in fs})
            return build.case(build.not_null(node.copy()), packed)
    return node


def _each(node: exp.Expr, go: Rewriter, step: Step) -> exp.Expr:
    p = go.names.fresh("e")
    return build.call("list_transform", node, build.lambda_([p], step(build.column(p))))


RULES: dict[type[exp.Expr], Rule] = {
    exp.Dot: dot, exp.Bracket: bracket, exp.Struct: struct, exp.Array: array, exp.VarMap: map_, exp.Map: map_,
    exp.ArraySize: size, exp.Tuple: row,
}  # fmt: skip
NAMED: dict[str, Rule] = {"get": get, "cardinality": size}
