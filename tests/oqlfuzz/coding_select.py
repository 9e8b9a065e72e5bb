"""The meaning of select: nested loops, then groups, then an order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oqlfuzz.coding import Code, Context, Scope, Untyped, Values, code, handles
from tests.oqlfuzz.data import Rec, bunch, rank
from tests.oqlfuzz.kinds import Coll, Struct, Type
from tests.oqlfuzz.meaning import distinct, ordered

from belvedere.languages.oql import ast

Rows = Callable[[Values], list[Values]]


@handles(ast.Select)
def select(context: Context, node: ast.Select, scope: Scope) -> Code:
    names = [i.variable or f"?{n}" for n, i in enumerate(node.iterators)]
    rows, inside = loops(context, node, names, scope)
    if node.group:
        rows, inside = groups(context, node, names, rows, scope, inside)
    head = projection(context, node, names, inside)
    keys = [(key(context, o.expr, node, inside), o.descending) for o in node.order]
    kind = "list" if node.order else "set" if node.distinct else "bag"

    def run(values: Values) -> Any:
        found = rows(values)
        if keys:
            found = ordered(found, keys)
        made = [head.run(r) for r in found]
        if node.distinct:
            made = distinct(made)
        return bunch(kind, made)

    return code(Coll(kind, head.type), run)


def loops(context: Context, node: ast.Select, names: list[str], scope: Scope) -> tuple[Rows, Scope]:
    """The values of the variables for which the condition is true, in the order of the loops."""
    domains: list[Code] = []
    for n, i in zip(names, node.iterators, strict=True):
        domain, t = context.coll(i.domain, scope)
        domains.append(domain)
        scope = scope.plus({n: t.element}, (n,))
    where = context.code(node.where, scope) if node.where is not None else None

    def rows(values: Values) -> list[Values]:
        found = [values]
        for n, domain in zip(names, domains, strict=True):
            found = [{**r, n: v} for r in found for v in domain.items(r)]
        return [r for r in found if where is None or where.run(r) is True]

    return rows, scope


def groups(
    context: Context, node: ast.Select, names: list[str], rows: Rows, outer: Scope, inside: Scope
) -> tuple[Rows, Scope]:
    """One row for each value of the labels, with the partition that has them. UNDEFINED is a value here."""
    labels = [(n, context.code(e, inside)) for n, e in node.group]
    member = Struct(tuple((n, inside.types[n]) for n in names))
    types: dict[str, Type] = {**{n: c.type for n, c in labels}, "partition": Coll("bag", member)}
    after = outer.plus(types)
    having = context.code(node.having, after) if node.having is not None else None

    def grouped(values: Values) -> list[Values]:
        found: dict[Any, tuple[Values, list[Any]]] = {}
        for r in rows(values):
            key = {n: c.run(r) for n, c in labels}
            place = found.setdefault(tuple(rank(v) for v in key.values()), (key, []))
            place[1].append(Rec(tuple((n, r[n]) for n in names)))
        made = [{**values, **key, "partition": bunch("bag", members)} for key, members in found.values()]
        return [r for r in made if having is None or having.run(r) is True]

    return grouped, after


def projection(context: Context, node: ast.Select, names: list[str], scope: Scope) -> Code:
    """One item without a label gives its value, else a struct is made; `*` is a struct of the variables."""
    items = node.items
    if items is None:
        shown = [*(n for n, _ in node.group), "partition"] if node.group else names
        items = tuple(ast.Item(ast.Name(n), n) for n in shown)
    elif len(items) == 1 and items[0].label is None:
        return context.code(items[0].expr, scope)
    parts = [(i.label or _last_step(i.expr), context.code(i.expr, scope)) for i in items]
    t = Struct(tuple((n, c.type) for n, c in parts))
    return code(t, lambda values: Rec(tuple((n, c.run(values)) for n, c in parts)))


def key(context: Context, e: ast.Expr, node: ast.Select, scope: Scope) -> Callable[[Values], Any]:
    """What to order by. A label of the projection can stand for what it labels."""
    labels = {i.label: i.expr for i in node.items or () if i.label}
    if isinstance(e, ast.Name) and e.name in labels and e.name not in scope.types:
        return context.code(labels[e.name], scope).run
    return context.code(e, scope).run


def _last_step(e: ast.Expr) -> str:
    match e:
        case ast.Path(name=n) | ast.Name(name=n, args=None):
            return n
    raise Untyped("an item without a name")
