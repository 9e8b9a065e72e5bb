"""Makers of single values: logic, comparisons, arithmetic, aggregates, and what takes one member out of a collection."""

from __future__ import annotations

from typing import Any

from tests.oqlfuzz.coding import Scope
from tests.oqlfuzz.kinds import BOOLEAN, DOUBLE, INT, STRING, Coll, Dictionary, Ref, Struct, Type, kind
from tests.oqlfuzz.making import Maker, Stuck, makes

from belvedere.languages.oql import ast

ORDERS = ("=", "!=", "<", "<=", ">", ">=")


def operators(m: Maker, t: Type) -> str:
    ordered = kind(t) in ("int", "double", "string", "date", "timestamp")
    return m.rng.choice(ORDERS if ordered else ORDERS[:2])


@makes("boolean", weight=8)
def comparison(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    t = m.flat_type(scope) if m.rng.random() < 0.85 else m.any_type(scope, depth)
    if m.rng.random() < 0.1 and {kind(t)} & {"int", "double"}:
        return ast.Binary(operators(m, t), m.expr(INT, scope, depth), m.expr(DOUBLE, scope, depth))
    return ast.Binary(operators(m, t), m.expr(t, scope, depth), m.expr(t, scope, depth))


@makes("boolean", weight=2)
def nil_test(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    t = m.flat_type(scope)
    if not isinstance(t, Ref):
        raise Stuck
    return ast.Binary(m.rng.choice(["=", "!="]), m.expr(t, scope, depth), ast.Literal("nil"))


@makes("boolean", weight=5)
def logic(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    return ast.Binary(m.rng.choice(["and", "or"]), m.expr(BOOLEAN, scope, depth), m.expr(BOOLEAN, scope, depth))


@makes("boolean")
def negation(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    return ast.Unary("not", m.expr(BOOLEAN, scope, depth))


def members(m: Maker, scope: Scope, depth: int) -> tuple[ast.Expr, Coll]:
    """Some collection: defined, in reach, an extent or view, or made."""
    t: Any
    roll = m.rng.random()
    called = [t for t in m.calls.values() if isinstance(t, Coll)]
    if called and m.rng.random() < 0.4:
        t = m.rng.choice(called)
        return call(m, t, scope, depth), t
    near = [(e, t) for e, t in m.reach(scope) if isinstance(t, Coll)]
    if near and roll < 0.45:
        return m.rng.choice(near)
    if roll < 0.75:
        name = m.rng.choice(m.relations)
        cls = m.context.schema.extents().get(name)
        rows = m.context.schema.tables.get(name)
        t = Coll("set", Ref(cls)) if cls else Coll("bag", rows) if rows else m.context.view_types[name]
        return ast.Name(name), t
    t = Coll(m.rng.choice(["set", "bag", "bag", "list"]), m.any_type(scope, depth - 1))
    return m.expr(t, scope, depth), t


@makes("boolean", weight=4)
def quantifier(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    domain, t = members(m, scope, depth)
    v = m.fresh()
    body = m.expr(BOOLEAN, scope.plus({v: t.element}, (v,)), depth)
    return ast.Quantified(m.rng.choice(["all", "exists"]), v, domain, body)


@makes("boolean", weight=6)
def membership(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    domain, t = members(m, scope, depth)
    if kind(t.element) in ("dictionary", "nothing"):
        raise Stuck
    left = m.expr(t.element, scope, depth)
    if m.rng.random() < 0.5:
        return ast.Binary("in", left, domain)
    return ast.Compared(operators(m, t.element), m.rng.choice(["any", "all"]), left, domain)


@makes("boolean", weight=1)
def pattern(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    wanted = m.rng.choice(["a%", "%b", "_", "%", "ab", "%a%"])
    return ast.Binary("like", m.expr(STRING, scope, depth), ast.Literal("string", wanted))


@makes("boolean")
def definedness(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    t = m.flat_type(scope, refs=m.rng.random() < 0.3)
    return ast.Function(m.rng.choice(["is_defined", "is_undefined"]), m.expr(t, scope, depth))


@makes("boolean")
def emptiness(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    return ast.Function(m.rng.choice(["exists", "exists", "unique"]), members(m, scope, depth)[0])


@makes("int", "double", weight=3)
def arithmetic(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """Products and divisors are small literals: nothing overflows, and nothing is divided by 0."""
    op = m.rng.choice(["+", "-", "*", "mod" if kind(want) == "int" else "/"])
    left = m.expr(want, scope, depth)
    if op in ("+", "-"):
        return ast.Binary(op, left, m.expr(want, scope, depth))
    small = m.rng.choice([2, 3] if op == "mod" else [2, 4])
    if op == "/" and m.rng.random() < 0.4:
        left = m.expr(INT, scope, depth)
    return ast.Binary(op, left, ast.Literal("integer", small))


@makes("int", "double")
def sign(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    return ast.Unary(m.rng.choice(["-", "-", "+", "abs"]), m.expr(want, scope, depth))


@makes("string")
def concatenation(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    return ast.Binary("||", m.expr(STRING, scope, depth), m.expr(STRING, scope, depth))


@makes("int", "double", "string", weight=1)
def conversion(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    names = {"int": "long", "double": "double", "string": "string"}
    source = DOUBLE if kind(want) == "int" and m.rng.random() < 0.5 else INT
    return ast.Cast(ast.TypeName(names[kind(want)]), m.expr(source, scope, depth))


@makes("ref", weight=1)
def narrowing(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """A cast down, which is nil for objects of other classes."""
    assert isinstance(want, Ref)
    above = [c for c in m.context.schema.above(want.cls) if c != want.cls]
    if not above:
        raise Stuck
    return ast.Cast(ast.TypeName(want.cls), m.expr(Ref(m.rng.choice(above)), scope, depth))


@makes("int", weight=3)
def counting(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    if "partition" in scope.types and m.rng.random() < 0.6:
        return ast.CountAll()
    return ast.Function("count", members(m, scope, depth)[0])


@makes("int", "double", "string", "date", "timestamp", weight=4)
def aggregate(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    choices = {"int": ["sum", "min", "max"], "double": ["sum", "min", "max", "avg"]}
    name = m.rng.choice(choices.get(kind(want), ["min", "max"]))
    element = INT if name == "avg" and m.rng.random() < 0.5 else want
    return ast.Function(name, m.expr(Coll(m.rng.choice(["bag", "bag", "set", "list"]), element), scope, depth))


@makes("int", "string", "double", weight=1)
def parameter(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    if m.rng.random() < 0.6:
        raise Stuck
    return ast.Parameter({"int": 1, "string": 2, "double": 3}[kind(want)])


@makes("int", weight=1)
def lookup(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    tables = list(m.paths(Dictionary(STRING, INT), scope))
    if not tables:
        raise Stuck
    return ast.Index(m.rng.choice(tables), ast.Literal("string", m.rng.choice("abc")))


@makes("any", weight=1)
def only_member(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """element of what has one member for certain."""
    word: ast.CollectionWord = m.rng.choice(["set", "bag", "list"])
    if m.rng.random() < 0.5:
        return ast.Function("element", ast.Collection(word, (m.expr(want, scope, depth),)))
    v = m.fresh()
    t = m.flat_type(scope)
    iterator = ast.Iterator(ast.Collection(word, (m.expr(t, scope, depth),)), v)
    inner = scope.plus({v: t}, (v,))
    return ast.Function("element", ast.Select((ast.Item(m.expr(want, inner, depth)),), (iterator,)))


@makes("any", weight=1)
def by_position(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    if kind(want) == "dictionary":
        raise Stuck
    inner = m.expr(Coll(m.rng.choice(["list", "list", "array"]), want), scope, depth)
    name = m.rng.choice(["first", "last", "["])
    if name != "[":
        return ast.Function(name, inner)
    position = ast.Literal("integer", m.rng.choice([0, 0, 1, 2])) if m.rng.random() < 0.8 else m.expr(INT, scope, depth)
    return ast.Index(inner, position)


@makes("any", weight=1)
def field_of(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """A field of a struct that is made on the spot."""
    n = m.fresh("f")
    fields: list[tuple[str, Type]] = [(n, want), (m.fresh("f"), m.any_type(scope, depth - 1))]
    m.rng.shuffle(fields)
    return ast.Path(m.expr(Struct(tuple(fields)), scope, depth), n)


@makes("any", weight=3)
def call(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    fitting = [n for n, t in m.calls.items() if m.fits(t, want)]
    if not fitting:
        raise Stuck
    from tests.oqlfuzz.coding_atoms import named_type

    define = m.context.definitions[m.rng.choice(fitting)]
    args = tuple(m.expr(named_type(m.context, t), scope, depth) for t, _ in define.parameters)
    return ast.Name(define.name, args)


@makes("any", weight=1)
def property_of_new(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """A property of an object that the query makes."""
    fitting = [(c, n) for c in m.context.schema.classes for n, t in m.parts(Ref(c)) if t == want]
    if not fitting:
        raise Stuck
    cls, n = m.rng.choice(fitting)
    return ast.Path(ast.New(cls, ((n, m.expr(want, scope, depth)),)), n)


@makes("struct", weight=3)
def new(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Struct)
    fitting = [c for c in m.context.schema.classes if set(want.fields) <= set(m.parts(Ref(c)))]
    if not fitting:
        raise Stuck
    return ast.New(m.rng.choice(fitting), tuple((n, m.expr(t, scope, depth)) for n, t in want.fields))


@makes("struct", weight=4)
def struct(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Struct)
    return ast.Struct(tuple((n, m.expr(t, scope, depth)) for n, t in want.fields))
