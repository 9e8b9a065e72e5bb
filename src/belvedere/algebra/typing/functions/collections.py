"""Structs, arrays and maps: access, constructors, functions."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, BigInt, Boolean, DataType, Date, Int, Integral, Map, String, Struct, Timestamp, Void
from belvedere.algebra.typing.coerce import common, orderable
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.algebra.typing.expect import ANY, ARRAY, COLLECTION, DAYS, INT, MAP, STRING, call, counted, named, take
from belvedere.algebra.typing.logic import unify
from belvedere.errors import TypeMismatch, UnknownName, suggest

I32, BOOL = Int(), Boolean()


def _element(types: list[DataType]) -> DataType:
    t = types[0]
    assert isinstance(t, Array)
    return t.element


def _same(types: list[DataType]) -> DataType:
    return types[0]


def dot(ctx: Context, node: exp.Expr) -> DataType:
    """s.f: a field of a struct, of each struct of an array, or the value of a map under that key."""
    t = ctx.arg(node)
    name = node.args["expression"].name
    inner = t.element if isinstance(t, Array) else t
    if isinstance(inner, Struct):
        found = inner.field(name)
        if found is None:
            known = [n for n, _ in inner.fields]
            message = f"unknown field '{name}' of {node.this.sql('spark')}{suggest(name, known)}"
            raise ctx.error(UnknownName, message, node.args["expression"])
        node.set("expression", exp.to_identifier(found[0], quoted=True))
        return Array(found[1]) if isinstance(t, Array) else found[1]
    raise ctx.error(TypeMismatch, f"'{name}' is asked of a {t}; only a struct has fields", node.args["expression"])


def bracket(ctx: Context, node: exp.Expr) -> DataType:
    """a[i] from 0, m[k], s['f']; element_at(a, i) from 1."""
    t = ctx.arg(node)
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        raise ctx.unsupported(node, "a slice in brackets; use slice(array, start, length)")
    key = node.expressions[0]
    k = ctx.visit(key)
    if isinstance(t, Array):
        if not isinstance(k, Integral):
            raise ctx.mismatch(key, "an integer", k, "an array's index")
        if node.args.get("offset"):
            if isinstance(k, BigInt):
                raise ctx.mismatch(key, "an int", k, "element_at")
            ctx.cast(key, I32)
        return t.element
    if isinstance(t, Map):
        target = common(k, t.key)
        if target is None:
            raise ctx.mismatch(key, f"a {t.key}", k, "this map's key")
        ctx.cast(key, t.key)
        return t.value
    if isinstance(t, Struct) and isinstance(key, exp.Literal) and key.is_string and not node.args.get("offset"):
        found = t.field(key.name)
        if found is None:
            raise ctx.error(UnknownName, f"unknown field '{key.name}'{suggest(key.name, [n for n, _ in t.fields])}", key)
        return found[1]
    raise ctx.error(TypeMismatch, f"a {t} has no elements to pick", node)


def struct(ctx: Context, node: exp.Expr) -> DataType:
    """struct(a, b as c), named_struct('a', x): fields without a name are col1, col2, …"""
    fields: list[tuple[str, DataType]] = []
    for i, item in enumerate(list(node.expressions), 1):
        if isinstance(item, (exp.PropertyEQ, exp.Alias)):
            value = item.args["expression"] if isinstance(item, exp.PropertyEQ) else item.this
            name = item.this.name if isinstance(item, exp.PropertyEQ) else item.alias
            t = ctx.visit(value)
            item.meta["t"] = t
        else:
            name, t = f"col{i}", ctx.visit(item)
        fields.append((name, t))
    names = [n.lower() for n, _ in fields]
    if len(set(names)) != len(names):
        raise ctx.error(TypeMismatch, "a struct has two fields of the same name; name them with `as`", node)
    return Struct(tuple(fields))


def array(ctx: Context, node: exp.Expr) -> DataType:
    return Array(unify(ctx, node, list(node.expressions), "array"))


def var_map(ctx: Context, node: exp.Expr) -> DataType:
    """map(k1, v1, …): sqlglot keeps keys and values apart."""
    keys, values = ctx.arg(node, "keys"), ctx.arg(node, "values")
    if not isinstance(keys, Array) or not isinstance(values, Array):
        raise ctx.error(TypeMismatch, "map takes keys and values", node)
    if keys.element.contains(Map):
        raise ctx.error(TypeMismatch, "a map cannot be the key of a map", node)
    return Map(keys.element, values.element)


def contains(ctx: Context, node: exp.Expr) -> DataType:
    """array_contains(a, x) and others that look for an element."""
    _with_element(ctx, node)
    return BOOL


def position(ctx: Context, node: exp.Expr) -> DataType:
    _with_element(ctx, node)
    return BigInt()


def with_element(ctx: Context, node: exp.Expr) -> DataType:
    """array_append, array_remove, …: the array, in the type that it and the element have in common."""
    return _with_element(ctx, node)


def _with_element(ctx: Context, node: exp.Expr) -> DataType:
    source, item = node.args["this"], node.args["expression"]
    t = take(ctx, node, source, ARRAY)
    x = ctx.visit(item)
    assert isinstance(t, Array)
    target = common(t.element, x)
    if target is None:
        raise ctx.mismatch(item, f"a {t.element}", x, name_of(node))
    ctx.cast(source, Array(target))
    ctx.cast(item, target)
    return Array(target)


def merged(result: DataType | None = None) -> Rule:
    """Functions of arrays that must be of one type."""

    def rule(ctx: Context, node: exp.Expr) -> DataType:
        parts = list(node.expressions) or [node.args["this"], node.args["expression"]]
        t = unify(ctx, node, parts, name_of(node))
        if not isinstance(t, Array):
            raise ctx.mismatch(node, "arrays", t, name_of(node))
        return result if result is not None else t

    return rule


def flatten(ctx: Context, node: exp.Expr) -> DataType:
    t = take(ctx, node, node.args["this"], ARRAY)
    if not isinstance(t, Array) or not isinstance(t.element, Array):
        raise ctx.mismatch(node.args["this"], "an array of arrays", t, "flatten")
    return t.element


def ordered(ctx: Context, node: exp.Expr) -> DataType:
    """array_sort and sort_array without a comparator."""
    if node.args.get("expression") is not None:
        raise ctx.unsupported(node, "array_sort with a comparator; sort by transforming to structs first")
    t = take(ctx, node, node.args["this"], ARRAY)
    if not orderable(t):
        raise ctx.mismatch(node.args["this"], "elements that can be compared", t, name_of(node))
    return t


def extreme(ctx: Context, node: exp.Expr) -> DataType:
    t = take(ctx, node, node.args["this"], ARRAY)
    assert isinstance(t, Array)
    if not orderable(t):
        raise ctx.mismatch(node.args["this"], "elements that can be compared", t, name_of(node))
    return t.element


def sequence(ctx: Context, node: exp.Expr) -> DataType:
    parts = [p for key in ("start", "end", "step") if isinstance(p := node.args.get(key), exp.Expr)]
    if isinstance(node.args.get("step"), exp.Interval):
        raise ctx.unsupported(node, "sequence with an interval step; use a sequence of numbers and date_add")
    t = unify(ctx, node, parts, "sequence")
    if not isinstance(t, (Integral, Date, Timestamp)):
        raise ctx.mismatch(node, "integers", t, "sequence")
    if isinstance(t, (Date, Timestamp)):
        raise ctx.unsupported(node, "sequence of dates; use a sequence of numbers and date_add")
    return Array(t)


def map_of_arrays(ctx: Context, node: exp.Expr) -> DataType:
    return var_map(ctx, node)


def entries(types: list[DataType]) -> DataType:
    t = types[0]
    assert isinstance(t, Map)
    return Array(Struct((("key", t.key), ("value", t.value))))


def keys(types: list[DataType]) -> DataType:
    t = types[0]
    assert isinstance(t, Map)
    return Array(t.key)


def values(types: list[DataType]) -> DataType:
    t = types[0]
    assert isinstance(t, Map)
    return Array(t.value)


def contains_key(ctx: Context, node: exp.Expr) -> DataType:
    t = take(ctx, node, node.args["this"], MAP)
    assert isinstance(t, Map)
    k = ctx.arg(node, "key")
    if common(k, t.key) is None:
        raise ctx.mismatch(node.args["key"], f"a {t.key}", k, "this map's key")
    ctx.cast(node.args["key"], t.key)
    return BOOL


def from_entries(ctx: Context, node: exp.Expr) -> DataType:
    t = take(ctx, node, node.args["this"], ARRAY)
    if isinstance(t, Array) and isinstance(t.element, Struct) and len(t.element.fields) == 2:
        return Map(t.element.fields[0][1], t.element.fields[1][1])
    raise ctx.mismatch(node.args["this"], "an array of structs of two fields", t, "map_from_entries")


def map_concat(ctx: Context, node: exp.Expr) -> DataType:
    t = unify(ctx, node, list(node.expressions), "map_concat")
    if not isinstance(t, Map):
        raise ctx.mismatch(node, "maps", t, "map_concat")
    return t


def repeated(types: list[DataType]) -> DataType:
    return Array(types[0])


def zipped(ctx: Context, node: exp.Expr) -> DataType:
    """arrays_zip(a, b): structs whose fields have the columns' names, or 0, 1, …"""
    fields = []
    for i, part in enumerate(list(node.expressions)):
        t = take(ctx, node, part, ARRAY)
        assert isinstance(t, Array)
        name = part.name if isinstance(part, (exp.Column, exp.Dot)) else str(i)
        fields.append((part.expression.name if isinstance(part, exp.Dot) else name, t.element))
    return Array(Struct(tuple(fields)))


def joined(ctx: Context, node: exp.Expr) -> DataType:
    t = take(ctx, node, node.args["this"], ARRAY)
    if not isinstance(t, Array) or not isinstance(t.element, (String, Void)):
        raise ctx.mismatch(node.args["this"], "an array of strings", t, "array_join")
    take(ctx, node, node.args["expression"], STRING)
    if node.args.get("null") is not None:
        take(ctx, node, node.args["null"], STRING)
    return String()


def picked(ctx: Context, node: exp.Expr) -> DataType:
    """get(a, i): NULL where there is none."""
    if len(node.expressions) != 2:
        raise ctx.error(TypeMismatch, "get takes an array and an index from 0", node)
    t = take(ctx, node, node.expressions[0], ARRAY)
    take(ctx, node, node.expressions[1], INT)
    return _element([t])


RULES: dict[type[exp.Expr], Rule] = {
    exp.Dot: dot, exp.Bracket: bracket, exp.Struct: struct, exp.Array: array, exp.VarMap: var_map, exp.Map: map_of_arrays,
    exp.ArraySize: call(I32, this=COLLECTION), exp.ArrayContains: contains, exp.ArrayPosition: position,
    exp.ArrayAppend: with_element, exp.ArrayPrepend: with_element, exp.ArrayRemove: with_element,
    exp.ArrayIntersect: merged(), exp.ArrayExcept: merged(),
    exp.ArraysZip: zipped, exp.ArrayMin: extreme, exp.ArrayMax: extreme, exp.ArraySort: ordered,
    exp.ArrayDistinct: call(_same, this=ARRAY), exp.ArrayCompact: call(_same, this=ARRAY),
    exp.ArraySlice: call(_same, this=ARRAY, start=INT, end=INT), exp.ArrayToString: joined,
    exp.Flatten: flatten, exp.GenerateSeries: sequence,
    exp.MapKeys: call(keys, this=MAP), exp.MapContainsKey: contains_key, exp.MapFromEntries: from_entries,
}  # fmt: skip

NAMED: dict[str, Rule] = {
    "cardinality": named(I32, COLLECTION),
    "map_values": named(values, MAP),
    "map_entries": named(entries, MAP),
    "map_concat": counted(map_concat, 1, 255),
    "array_union": counted(merged(), 2),
    "arrays_overlap": counted(merged(BOOL), 2),
    "array_repeat": named(repeated, ANY, DAYS),
    "get": picked,
}
