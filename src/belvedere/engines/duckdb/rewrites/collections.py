"""Functions of arrays and maps. Spark's answers for NULL elements and NULL arrays are written out where DuckDB's differ."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, DataType, Integral, Map, Struct
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, direct, refused, type_of
from belvedere.engines.duckdb.rewrites.nested import field, pack
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build
from belvedere.engines.sql.dialect import Step

_NESTED = (Array, Map, Struct)


def element_type(node: exp.Expr) -> DataType:
    t = type_of(node)
    if not isinstance(t, Array):
        raise refused(node)
    return t.element


def contains(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """NULL if it is not found and the array holds a NULL."""

    def looked_up(values: exp.Expr) -> exp.Expr:
        found = build.call("list_contains", values, go.arg(node, "expression"))
        unsure = build.call("list_contains", _each(go, values.copy(), build.is_null), exp.true())
        return go.once(
            found,
            lambda f: exp.Case(ifs=[exp.If(this=f, true=exp.true()), exp.If(this=unsure, true=exp.Null())], default=f.copy()),
        )

    return go.once(go.arg(node), looked_up)


def position(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """From 1; 0 if it is not there; NULL for a NULL array or value."""
    values, wanted = go.arg(node), go.arg(node, "expression")
    both = build.conjunction([build.not_null(values), build.not_null(wanted)])
    assert both is not None
    found = build.call("coalesce", build.call("list_position", values.copy(), wanted.copy()), build.number(0))
    return build.case(both, cast_node(found, type_of(node)))


def appended(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        item = go.arg(node, "expression")

        def longer(values: exp.Expr) -> exp.Expr:
            parts = (item, values.copy()) if name == "list_prepend" else (values.copy(), item)
            return build.case(build.not_null(values), build.call(name, *parts))

        return go.once(go.arg(node), longer)

    return rule


def removed(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """All elements equal to the value go; NULLs stay."""
    values, item = go.arg(node), go.arg(node, "expression")
    p = go.names.fresh("e")
    keep = exp.NullSafeNEQ(this=build.column(p), expression=build.paren(item.copy()))
    return build.case(build.not_null(item), build.call("list_filter", values, build.lambda_([p], keep)))


def ordered(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """sort_array puts NULLs first, array_sort last; descending turns it around."""
    element = element_type(node.this)
    if node.args.get("expression") is not None:
        raise refused(node)
    asc = node.args.get("asc")
    if asc is not None and not isinstance(asc, exp.Boolean):
        raise refused(node)
    down = isinstance(asc, exp.Boolean) and not asc.this
    nulls = node.args.get("nulls_first")
    first = isinstance(nulls, exp.Boolean) and bool(nulls.this) and not down
    if isinstance(element, _NESTED):
        if first or down:
            raise refused(node)
        return _ordered_nested(go, go.arg(node), element)
    words = ("DESC" if down else "ASC", "NULLS FIRST" if first else "NULLS LAST")
    return build.call("list_sort", go.arg(node), *map(build.text, words))


def _ordered_nested(go: Rewriter, values: exp.Expr, element: DataType) -> exp.Expr:
    """By what can be put in order of each element; NULLs last."""
    from belvedere.engines.duckdb.dialect import DuckDBDialect

    p, q = go.names.fresh("e"), go.names.fresh("e")
    key = DuckDBDialect().orderable(build.column(p), element, go.names)
    boxed = pack({"n": build.is_null(build.column(p)), "k": key, "v": build.column(p)})
    in_order = build.call("list_sort", build.call("list_transform", values, build.lambda_([p], boxed)))
    return build.call("list_transform", in_order, build.lambda_([q], field(build.column(q), "v")))


def extreme(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        if isinstance(element_type(node.this), _NESTED):
            raise refused(node)
        return build.call(name, go.arg(node))

    return rule


def sliced(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """slice(a, start, length) with a start from 1 on."""
    start, size = node.args["start"], node.args["end"]
    if not isinstance(start, exp.Literal) or int(start.name) < 1 or not isinstance(size, exp.Literal):
        raise refused(node)
    first = int(start.name)
    return build.call("list_slice", go.arg(node), build.number(first), build.number(first + int(size.name) - 1))


def flattened(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """NULL if one of the inner arrays is NULL."""

    def flat(values: exp.Expr) -> exp.Expr:
        p = go.names.fresh("e")
        missing = build.call("list_filter", values, build.lambda_([p], build.is_null(build.column(p))))
        none = exp.EQ(this=build.call("len", missing), expression=build.number(0))
        return build.case(none, build.call("flatten", values.copy()))

    return go.once(go.arg(node), flat)


def joined(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if node.args.get("null") is not None:
        raise refused(node)
    return build.call("array_to_string", go.arg(node), go.arg(node, "expression"))


def sequence(go: Rewriter, node: exp.Expr) -> exp.Expr:
    t = element_type(node)
    if not isinstance(t, Integral):
        raise refused(node)
    start, end = go.arg(node, "start"), go.arg(node, "end")
    step = go.optional(node, "step")
    if step is None:
        step = build.case(
            exp.LTE(this=build.paren(start.copy()), expression=build.paren(end.copy())), build.number(1), build.number(-1)
        )
    elif not isinstance(node.args["step"], exp.Literal):
        raise refused(node)
    return cast_node(build.call("generate_series", start, end, step), type_of(node))


def compact(go: Rewriter, node: exp.Expr) -> exp.Expr:
    p = go.names.fresh("e")
    return build.call("list_filter", go.arg(node), build.lambda_([p], build.not_null(build.column(p))))


def repeated(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value, times = (go(e) for e in node.expressions)
    made = build.call("repeat", build.call("list_value", value), build.call("greatest", times, build.number(0)))
    return build.case(build.not_null(times.copy()), cast_node(made, type_of(node)))


def has_key(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return build.call("list_contains", build.call("map_keys", go.arg(node)), go.arg(node, "key"))


def by_name(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        return cast_node(build.call(name, go(node.expressions[0])), type_of(node))

    return rule


def _each(go: Rewriter, values: exp.Expr, test: Step) -> exp.Expr:
    p = go.names.fresh("e")
    return build.call("list_transform", values, build.lambda_([p], test(build.column(p))))


RULES: dict[type[exp.Expr], Rule] = {
    exp.ArrayContains: contains, exp.ArrayPosition: position, exp.ArrayAppend: appended("list_append"),
    exp.ArrayPrepend: appended("list_prepend"), exp.ArrayRemove: removed, exp.ArraySort: ordered,
    exp.ArrayMin: extreme("list_min"), exp.ArrayMax: extreme("list_max"), exp.ArraySlice: sliced, exp.Flatten: flattened,
    exp.ArrayToString: joined, exp.GenerateSeries: sequence, exp.ArrayCompact: compact, exp.MapContainsKey: has_key,
    exp.MapKeys: direct("map_keys"),
}  # fmt: skip
NAMED: dict[str, Rule] = {
    "map_values": by_name("map_values"), "map_entries": by_name("map_entries"), "array_repeat": repeated,
}  # fmt: skip
