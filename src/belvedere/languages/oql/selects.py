"""select … from … where … group by … having … order by as a comprehension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from belvedere.algebra.typing.coerce import groupable, orderable
from belvedere.languages.oql import ast
from belvedere.languages.oql.calculus import Comp, Gen, Group, Pred, Proj, Qualifier, Record, Source, Term, Var, element_type
from belvedere.languages.oql.scope import Scope
from belvedere.objects.types import CollectionType, StructType, data_type

if TYPE_CHECKING:
    from belvedere.languages.oql.translate import Translator


def select(to: Translator, s: ast.Select, scope: Scope) -> Term:
    inner, quals = iterators(to, s, scope)
    if s.where is not None:
        quals.append(Pred(to.condition(s.where, inner, "where")))
    if s.group:
        inner, quals = grouped(to, s, inner, quals)
    elif s.having is not None:
        raise to.mismatch("having needs group by; use where", s.having)
    head = projection(to, s, inner)
    order = [(to.value(o.expr, labels(head, inner, o.expr)), o.descending) for o in s.order]
    for (key, _), o in zip(order, s.order, strict=True):
        if isinstance(key.type, CollectionType) or not orderable(data_type(key.type)):
            raise to.mismatch(f"results cannot be ordered by a {key.type}", o.expr)
    if s.distinct and not groupable(data_type(head.type)):
        raise to.mismatch(f"distinct cannot compare values of type {head.type}", s)
    if not s.order:
        kind: Literal["set", "bag"] = "set" if s.distinct else "bag"
        return Comp(CollectionType(kind, head.type), kind, head, tuple(quals))
    made = CollectionType("list", head.type)
    if not s.distinct:
        return Comp(made, "list", head, tuple(quals), tuple(order))
    h = to.var("x", head.type)
    keys = tuple((over_result(to, k, head, h, o), d) for (k, d), o in zip(order, s.order, strict=True))
    return Comp(made, "list", h, (Gen(h, Comp(CollectionType("set", head.type), "set", head, tuple(quals))),), keys)


def iterators(to: Translator, s: ast.Select, scope: Scope) -> tuple[Scope, list[Qualifier]]:
    """The variables, left to right, each seen by those after it."""
    inner = scope.inner()
    quals: list[Qualifier] = []
    for i in s.iterators:
        domain = to.collection(i.domain, inner, "from")
        name = i.variable or implied(i.domain)
        if name is not None and name in inner.named:
            if i.variable is None:
                name = None
            else:
                raise to.mismatch(f"two variables are named '{name}'", i)
        v = to.var(name or "x", element_type(domain.type))
        quals.append(Gen(v, domain))
        if i.variable is not None:
            inner.named[i.variable] = v
        else:
            inner.nameless.append(v)
    return inner, quals


def implied(e: ast.Expr) -> str | None:
    """A readable stem for a variable that has no name."""
    return e.name[:1].lower() if isinstance(e, (ast.Name, ast.Path)) else None


def named_variables(to: Translator, s: ast.Select, quals: list[Qualifier]) -> list[tuple[str, Term]]:
    """The from-variables under the names that a result can show them by."""
    out: list[tuple[str, Term]] = []
    for i, q in zip(s.iterators, [q for q in quals if isinstance(q, Gen)], strict=True):
        stem = i.domain.name if isinstance(i.domain, (ast.Name, ast.Path)) else "x"
        out.append((i.variable or stem, q.var))
    return out


def grouped(to: Translator, s: ast.Select, inner: Scope, quals: list[Qualifier]) -> tuple[Scope, list[Qualifier]]:
    """The scope in which only labels and partition are seen, and the qualifiers over the groups."""
    keys = [(n, to.value(e, inner)) for n, e in s.group]
    for (n, k), (_, e) in zip(keys, s.group, strict=True):
        if not groupable(data_type(k.type)):
            raise to.mismatch(f"'{n}' is of type {k.type}, which cannot be grouped by", e)
    members = to.record(named_variables(to, s, quals), s)
    partition = CollectionType("bag", members.type)
    labelled = to.record([*keys, ("partition", Source(partition, ""))], s)
    row = StructType(tuple((n, k.type) for n, k in labelled.fields))
    group = Group(CollectionType("set", row), tuple(keys), tuple(quals), members.fields)
    g = to.var("g", row)
    assert inner.outer is not None
    after = Scope(to.model, inner.outer)
    after.named = {n: Proj(t, g, n) for n, t in row.fields}
    after.grouped = after.named["partition"]
    over: list[Qualifier] = [Gen(g, group)]
    if s.having is not None:
        over.append(Pred(to.condition(s.having, after, "having")))
    return after, over


def projection(to: Translator, s: ast.Select, inner: Scope) -> Term:
    """What each result is: one bare value, or a struct."""
    if s.items is None:
        to.star = True
        shown = list(inner.named.items())
        nameless = [(_nameless(s, i), v) for i, v in enumerate(inner.nameless)]
        fields = [(n, to.whole(v)) for n, v in [*shown, *nameless]]
        if not inner.grouped:
            order = [q.variable or implied_name(q) for q in s.iterators]
            fields.sort(key=lambda f: order.index(f[0]) if f[0] in order else len(order))
        return to.record(fields, s)
    if len(s.items) == 1 and s.items[0].label is None:
        return to.value(s.items[0].expr, inner)
    fields = []
    for n, item in enumerate(s.items, 1):
        name = item.label or implied_label(item.expr)
        value = to.value(item.expr, inner)
        fields.append((name or f"col{n}", value))
    return to.record(fields, s)


def implied_name(i: ast.Iterator) -> str:
    return i.domain.name if isinstance(i.domain, (ast.Name, ast.Path)) else "x"


def _nameless(s: ast.Select, index: int) -> str:
    return [implied_name(i) for i in s.iterators if i.variable is None][index]


def implied_label(e: ast.Expr) -> str | None:
    """The name of a projection without a label: the path's last step."""
    return e.name if isinstance(e, (ast.Name, ast.Path)) else None


def labels(head: Term, inner: Scope, key: ast.Expr) -> Scope:
    """Labels of the projection can be ordered by, where no variable has the name; inside of an expression, where no attribute
    has it either, as in SQL."""
    if not isinstance(head, Record):
        return inner
    alone = isinstance(key, ast.Name)
    free = {n: t for n, t in head.fields if inner.variable(n) is None and (alone or not inner.attributes(n))}
    outer = Scope(inner.model, inner.outer, free)
    return Scope(inner.model, outer, inner.named, inner.nameless, inner.grouped)


def over_result(to: Translator, key: Term, head: Term, h: Var, at: ast.Order) -> Term:
    """A key of a distinct query, said by what the query gives: duplicates have no other order among each other."""
    if key == head:
        return h
    if isinstance(head, Record):
        for n, t in head.fields:
            if t == key:
                return Proj(t.type, h, n)
    if isinstance(key, Proj):
        return Proj(key.type, over_result(to, key.base, head, h, at), key.name)
    raise to.mismatch("with distinct, order by can only use what the query gives", at.expr)
