"""The meaning of literals, names, paths, constructors and casts."""

from __future__ import annotations

import datetime
from typing import Any

from tests.oqlfuzz.coding import Code, Context, Scope, Untyped, Values, code, handles
from tests.oqlfuzz.data import Obj, Rec, bunch
from tests.oqlfuzz.kinds import BOOLEAN, DATE, DOUBLE, INT, NOTHING, STRING, TIMESTAMP, Coll, Ref, Struct, Type, is_number, kind
from tests.oqlfuzz.meaning import at, part

from belvedere.languages.oql import ast


@handles(ast.Literal)
def literal(context: Context, node: ast.Literal, scope: Scope) -> Code:
    t: Type
    value: Any = node.value
    match node.kind:
        case "nil" | "undefined":
            t = NOTHING
        case "boolean":
            t = BOOLEAN
        case "integer":
            t = INT
        case "float":
            t = DOUBLE
        case "string" | "char":
            t = STRING
        case "date":
            t, value = DATE, datetime.date.fromisoformat(str(value))
        case "timestamp":
            t, value = TIMESTAMP, datetime.datetime.fromisoformat(str(value))
        case _:
            raise Untyped(node.kind)
    return code(t, lambda _: value)


#: what $1, $2, … stand for, wherever they are used
PARAMETERS: dict[int, tuple[Type, Any]] = {1: (INT, 1), 2: (STRING, "a"), 3: (DOUBLE, 0.5)}


@handles(ast.Parameter)
def parameter(context: Context, node: ast.Parameter, scope: Scope) -> Code:
    t, value = PARAMETERS[node.number]
    return code(t, lambda _: value)


@handles(ast.Name)
def name(context: Context, node: ast.Name, scope: Scope) -> Code:
    n = node.name
    if node.args is None and n in scope.types:
        return code(scope.types[n], lambda values: values[n])
    holders = [v for v in scope.ranging if property_type(context, scope.types[v], n) is not None]
    if node.args is None and len(holders) == 1:
        return path(context, ast.Path(ast.Name(holders[0]), n), scope)
    if node.args is None and holders:
        raise Untyped(f"{n} may belong to {', '.join(holders)}")
    if n in context.definitions:
        return call(context, node, scope)
    cls = context.schema.extents().get(n)
    if cls is not None and node.args is None:
        return code(Coll("set", Ref(cls)), lambda _: bunch("set", context.world.extent(cls)))
    if n in context.schema.tables and node.args is None:
        return code(Coll("bag", context.schema.tables[n]), lambda _: bunch("bag", context.world.tables[n]))
    if n in context.view_types and node.args is None:
        return code(context.view_types[n], lambda _: context.view_values[n])
    raise Untyped(f"no {n}")


def call(context: Context, node: ast.Name, scope: Scope) -> Code:
    """A defined query sees its parameters and nothing else of where it is used."""
    define = context.definitions[node.name]
    args = [context.code(a, scope) for a in node.args or ()]
    if len(args) != len(define.parameters):
        raise Untyped(f"{node.name} takes {len(define.parameters)}")
    names = [p for _, p in define.parameters]
    inner = Scope({p: named_type(context, t) for t, p in define.parameters})
    body = context.code(define.body, inner)
    return code(body.type, lambda values: body.run({p: a.run(values) for p, a in zip(names, args, strict=True)}))


def named_type(context: Context, t: ast.TypeName) -> Type:
    if t.name in context.schema.classes:
        return Ref(t.name)
    if t.args:
        return Coll(t.name, named_type(context, t.args[0]))
    known: dict[str, Type] = {"double": DOUBLE, "float": DOUBLE, "string": STRING, "boolean": BOOLEAN, "date": DATE}
    found = known.get(t.name, INT if t.name.split()[-1] in ("long", "short") else None)
    if found is None:
        raise Untyped(t.name)
    return found


def property_type(context: Context, t: Type, n: str) -> Type | None:
    match t:
        case Ref(cls=cls):
            p = context.schema.props(cls).get(n)
            return p.type if p else None
        case Struct():
            return t.field(n)
    return None


@handles(ast.Path)
def path(context: Context, node: ast.Path, scope: Scope) -> Code:
    """A property of an object or of a struct; of nil it is UNDEFINED."""
    base = context.code(node.base, scope)
    n = node.name
    t = property_type(context, base.type, n)
    if t is None or node.args is not None:
        raise Untyped(f"{base.type} has no {n}")

    def run(values: Values) -> Any:
        found = base.run(values)
        match found:
            case Obj():
                return context.world.get(found, n)
            case Rec():
                return found.get(n)
        return None

    return code(t, run)


@handles(ast.Index)
def index(context: Context, node: ast.Index, scope: Scope) -> Code:
    base, i = context.code(node.base, scope), context.code(node.index, scope)
    if kind(base.type) == "dictionary":

        def lookup(values: Values) -> Any:
            table = base.run(values)
            return None if table is None else dict(table.pairs).get(i.run(values))

        return code(base.type.value, lookup)  # type: ignore[attr-defined]
    if not (isinstance(base.type, Coll) and base.type.ordered):
        raise Untyped(f"no positions in {base.type}")
    return code(base.type.element, lambda values: at(base.items(values), i.run(values)))


@handles(ast.Slice)
def slice_(context: Context, node: ast.Slice, scope: Scope) -> Code:
    base, t = context.coll(node.base, scope)
    low, high = context.code(node.low, scope), context.code(node.high, scope)
    if not t.ordered:
        raise Untyped(f"no positions in {t}")
    return code(t, lambda values: bunch(t.kind, part(base.items(values), low.run(values), high.run(values))))


@handles(ast.Struct)
def struct(context: Context, node: ast.Struct, scope: Scope) -> Code:
    parts = [(n, context.code(e, scope)) for n, e in node.fields]
    t = Struct(tuple((n, c.type) for n, c in parts))
    return code(t, lambda values: Rec(tuple((n, c.run(values)) for n, c in parts)))


@handles(ast.New)
def new(context: Context, node: ast.New, scope: Scope) -> Code:
    """An object made by a query has no identity: it is a struct of what is given."""
    props = context.schema.props(node.cls)
    parts = [(n, context.code(e, scope)) for n, e in node.fields]
    t = Struct(tuple((n, context.common(props[n].type, c.type)) for n, c in parts))
    return code(t, lambda values: Rec(tuple((n, c.run(values)) for n, c in parts)))


@handles(ast.Collection)
def collection(context: Context, node: ast.Collection, scope: Scope) -> Code:
    parts = [context.code(e, scope) for e in node.items]
    element: Type = NOTHING
    for p in parts:
        element = context.common(element, p.type)
    return code(Coll(node.kind, element), lambda values: bunch(node.kind, [p.run(values) for p in parts]))


@handles(ast.Cast)
def cast(context: Context, node: ast.Cast, scope: Scope) -> Code:
    operand = context.code(node.operand, scope)
    t = named_type(context, node.type)
    if isinstance(t, Ref) and isinstance(operand.type, Ref):
        if not set(context.schema.below(t.cls)) & set(context.schema.below(operand.type.cls)):
            raise Untyped(f"no {operand.type} is a {t}")
        return code(t, lambda values: _narrowed(context, operand.run(values), t.cls))
    if is_number(t) and is_number(operand.type):
        convert: Any = int if t == INT else float
        return code(t, lambda values: None if (v := operand.run(values)) is None else convert(v))
    if t == STRING and kind(operand.type) in ("int", "string"):
        return code(t, lambda values: None if (v := operand.run(values)) is None else str(v))
    if t == operand.type:
        return operand
    raise Untyped(f"no cast from {operand.type} to {t}")


def _narrowed(context: Context, o: Obj | None, cls: str) -> Obj | None:
    """An object that is not of the class is nil."""
    if o is None or cls not in context.schema.above(context.world.things[o.n].cls):
        return None
    return o
