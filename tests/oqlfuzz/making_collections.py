"""Makers of collections: select in all its forms, constructors, set operators, flatten, slices, conversions."""

from __future__ import annotations

from dataclasses import replace

from tests.oqlfuzz.coding import Scope
from tests.oqlfuzz.kinds import INT, Coll, Prim, Ref, Struct, Type, kind
from tests.oqlfuzz.making import Maker, Stuck, makes, plain
from tests.oqlfuzz.making_values import members

from belvedere.languages.oql import ast


@makes("coll", weight=2)
def constructor(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Coll)
    made = m.constructor(want, lambda: m.expr(want.element, scope, depth))
    if isinstance(made, ast.Collection) and isinstance(want.element, Prim) and m.rng.random() < 0.08:
        return replace(made, items=(*made.items, ast.Literal("undefined")))
    return made


@makes("coll", weight=3)
def set_operator(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Coll)
    kinds = {"set": [("set", "set")], "bag": [("bag", "bag"), ("bag", "set"), ("set", "bag")]}.get(want.kind)
    if kinds is None or kind(want.element) == "dictionary":
        raise Stuck
    a, b = m.rng.choice(kinds)
    op = m.rng.choice(["union", "except", "intersect"])
    right = m.expr(Coll(b, want.element), scope, depth)
    if m.rng.random() < 0.06:
        word: ast.CollectionWord = b  # type: ignore[assignment]
        right = ast.Collection(word, ())
    return ast.Binary(op, m.expr(Coll(a, want.element), scope, depth), right)


@makes("coll", weight=2)
def conversion(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """distinct(bag or list), listtoset(list), a slice of a list."""
    assert isinstance(want, Coll)
    if want.ordered and m.rng.random() < 0.3:
        return ast.Function("distinct", m.expr(want, scope, depth))
    if want.ordered:
        low, high = sorted(m.rng.choices([0, 0, 1, 2, 3], k=2))
        base = m.expr(want, scope, depth)
        return ast.Slice(base, ast.Literal("integer", low), ast.Literal("integer", high))
    if want.kind == "bag":
        raise Stuck
    if m.rng.random() < 0.5:
        return ast.Function("distinct", m.expr(Coll(m.rng.choice(["bag", "bag", "set"]), want.element), scope, depth))
    return ast.Function("listtoset", m.expr(Coll("list", want.element), scope, depth))


@makes("coll", weight=2)
def flattening(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Coll)
    pairs = {
        "list": [("list", "list")],
        "set": [("set", "set"), ("bag", "set"), ("list", "set")],
        "bag": [("bag", "bag"), ("set", "bag"), ("list", "bag"), ("bag", "list"), ("set", "list")],
    }.get(want.kind)
    if pairs is None:
        raise Stuck
    outer, inner = m.rng.choice(pairs)
    return ast.Function("flatten", m.expr(Coll(outer, Coll(inner, want.element)), scope, depth))


@makes("coll", weight=9)
def select(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    assert isinstance(want, Coll)
    if want.kind == "array" or (want.kind == "list" and not plain(want.element)):
        raise Stuck  # an order of objects or collections would leave ties open
    iterators, inside = ranges(m, scope, depth)
    where = m.condition(inside, depth) if m.rng.random() < 0.55 else None
    group: tuple[tuple[str, ast.Expr], ...] = ()
    having = None
    if all(i.variable for i in iterators) and m.rng.random() < 0.25:
        group, inside = grouping(m, iterators, scope, inside, depth)
        having = m.condition(inside, depth) if m.rng.random() < 0.35 else None
    items = projection(m, want.element, inside, depth)
    distinct = want.kind == "set"
    order: tuple[ast.Order, ...] = ()
    if want.kind == "list":
        distinct = m.rng.random() < 0.2 and all(i.label for i in items)
        order = ordering(m, items, want.element, inside, depth, distinct)
    return ast.Select(items, tuple(iterators), where, group, having, order, distinct)


def ranges(m: Maker, scope: Scope, depth: int) -> tuple[list[ast.Iterator], Scope]:
    """One to three iterators, each seeing those before it."""
    found: list[ast.Iterator] = []
    for n in range(m.rng.choice([1, 1, 1, 2, 2, 3])):
        domain, t = members(m, scope, depth - n)
        parts = m.parts(t.element)
        if not m.anonymous and parts and m.rng.random() < 0.05:
            m.anonymous = True
            found.append(ast.Iterator(domain))
            scope = scope.plus({f"?{n}": t.element}, (f"?{n}",))
            continue
        v = m.fresh()
        found.append(ast.Iterator(domain, v))
        scope = scope.plus({v: t.element}, (v,))
    return found, scope


def grouping(
    m: Maker, iterators: list[ast.Iterator], outer: Scope, inside: Scope, depth: int
) -> tuple[tuple[tuple[str, ast.Expr], ...], Scope]:
    labels: list[tuple[str, ast.Expr]] = []
    types: dict[str, Type] = {}
    for _ in range(m.rng.choice([1, 1, 2])):
        n, t = m.fresh("k"), m.flat_type(inside)
        labels.append((n, m.expr(t, inside, depth - 1)))
        types[n] = t
    names = [i.variable for i in iterators if i.variable]
    types["partition"] = Coll("bag", Struct(tuple((n, inside.types[n]) for n in names)))
    return tuple(labels), outer.plus(types)


def projection(m: Maker, element: Type, scope: Scope, depth: int) -> tuple[ast.Item, ...]:
    """A struct is often written as several items; a single value is never labelled, or it would be a struct."""
    if isinstance(element, Struct) and m.rng.random() < 0.75:
        return tuple(ast.Item(m.expr(t, scope, depth), n) for n, t in element.fields)
    return (ast.Item(m.expr(element, scope, depth)),)


def ordering(
    m: Maker, items: tuple[ast.Item, ...], element: Type, scope: Scope, depth: int, distinct: bool
) -> tuple[ast.Order, ...]:
    """Keys that leave no two different members side by side in an open order: all that is shown comes last."""
    keys: list[ast.Order] = []
    if not distinct and m.rng.random() < 0.5:
        t = m.flat_type(scope, orderable=True)
        keys.append(ast.Order(m.expr(t, scope, depth - 1), m.rng.random() < 0.5))
    for i in items:
        t = element if i.label is None else dict(element.fields)[i.label]  # type: ignore[attr-defined]
        by_label = i.label is not None and not isinstance(t, Struct) and (distinct or m.rng.random() < 0.3)
        shown = ast.Name(i.label) if by_label and i.label else i.expr
        keys += [ast.Order(e, m.rng.random() < 0.4) for e in _leaves(shown, t)]
    return tuple(keys)


def _leaves(e: ast.Expr, t: Type) -> list[ast.Expr]:
    if isinstance(t, Struct):
        return [leaf for n, ft in t.fields for leaf in _leaves(ast.Path(e, n), ft)]
    return [e]


@makes("coll", weight=2)
def star(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """select *, where the type asked for happens to be one of variables; see `program` for those at the top."""
    assert isinstance(want, Coll)
    if not isinstance(want.element, Struct) or want.kind not in ("bag", "set"):
        raise Stuck
    if not all(isinstance(t, (Ref, Prim)) for _, t in want.element.fields):
        raise Stuck
    iterators = []
    for n, t in want.element.fields:
        if n in scope.types:
            raise Stuck
        iterators.append(ast.Iterator(m.expr(Coll(m.rng.choice(["set", "bag", "list"]), t), scope, depth), n))
    inside = scope.plus(dict(want.element.fields), tuple(n for n, _ in want.element.fields))
    where = m.condition(inside, depth) if m.rng.random() < 0.5 else None
    return ast.Select(None, tuple(iterators), where, distinct=want.kind == "set")


@makes("int", weight=1)
def group_count(m: Maker, want: Type, scope: Scope, depth: int) -> ast.Expr:
    """How many groups there are; an aggregate over a select with group by."""
    iterators, inside = ranges(m, scope, depth)
    if not all(i.variable for i in iterators):
        raise Stuck
    group, after = grouping(m, iterators, scope, inside, depth)
    return ast.Function("sum", ast.Select((ast.Item(m.expr(INT, after, depth)),), tuple(iterators), None, group))
