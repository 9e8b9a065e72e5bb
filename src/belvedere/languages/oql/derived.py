"""The views that the first paper derives from a view (Fig 5), as corrected.

OIDs_for_v: for each derivation of an element of v, the identities of all objects that took part, those in the middle of paths
too, and the element itself (VO). A row is linked to its element by standing beside it, not by equal values, so duplicates are
not multiplied; there is no distinct, so a bag that gives one object twice counts twice.
OID_projecting_v: v with the identities of the objects that its variables range over, as a set. It is never materialized.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from belvedere.errors import Unsupported
from belvedere.languages.oql import ast, text
from belvedere.languages.oql.scope import Scope
from belvedere.languages.oql.selects import implied_label, implied_name
from belvedere.languages.oql.selects import iterators as translated
from belvedere.languages.oql.translate import Translator
from belvedere.languages.sql.catalog import Names
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import Ref


@dataclass(frozen=True)
class Derived:
    """A derived view: its definition, and its text."""

    definition: ast.Define

    @property
    def text(self) -> str:
        return text.program(ast.Program((self.definition,), None))

    @property
    def query(self) -> ast.Select:
        assert isinstance(self.definition.body, ast.Select)
        return self.definition.body


@dataclass(frozen=True)
class Contribution:
    """An object that takes part in a derivation: its label in OIDs_for_v, the path that leads to it, and its class."""

    label: str
    path: ast.Expr
    cls: str
    #: it is what a variable ranges over
    scanned: bool


def select_of(view: ast.Define | ast.Expr) -> ast.Select:
    body = view.body if isinstance(view, ast.Define) else view
    if not isinstance(body, ast.Select) or body.group:
        raise Unsupported("derived views are those of a select without group by; other views are maintained by their plan alone")
    return body


def contributions(
    view: ast.Define | ast.Expr, names: Names, model: ObjectModel, within: Translator | None = None
) -> tuple[Contribution, ...]:
    """What a view's derivations are made of, variables first, then the objects in the middle of paths. `within` is the program
    that it stands in, with definitions and parameters."""
    s = select_of(view)
    to = within or Translator(text.expression(s), names, model)
    scope, _ = translated(to, s, Scope(model))
    found: dict[str, Contribution] = {}
    for i in s.iterators:
        name = i.variable
        v = scope.named.get(name) if name is not None else None
        if name is not None and v is not None and isinstance(v.type, Ref):
            found[f"{name.upper()}O"] = Contribution(f"{name.upper()}O", ast.Name(name), v.type.cls, True)
    for p in _paths(s):
        base = p.base
        if isinstance(base, ast.Path) and _root(base) in scope.named:
            t = to(base, scope).type
            label = "_".join([*_steps(base)]) + "O"
            label = label[:1].upper() + label[1:]
            if isinstance(t, Ref) and label not in found:
                found[label] = Contribution(label, base, t.cls, False)
    return tuple(found.values())


def _root(p: ast.Expr) -> str | None:
    while isinstance(p, ast.Path):
        p = p.base
    return p.name if isinstance(p, ast.Name) and p.args is None else None


def _steps(p: ast.Expr) -> list[str]:
    if isinstance(p, ast.Path):
        return [*_steps(p.base), p.name]
    return [p.name] if isinstance(p, ast.Name) else []


def _paths(node: object) -> list[ast.Path]:
    """All paths in a query, also inside of other queries."""
    return [n for n in _nodes(node) if isinstance(n, ast.Path)]


def parameters_in(node: ast.Node) -> set[str]:
    """The parameters that a program asks for."""
    return {str(n.number) for n in _nodes(node) if isinstance(n, ast.Parameter)}


def _nodes(node: object) -> Iterator[ast.Node]:
    if isinstance(node, ast.Node):
        yield node
        for name in node.__dataclass_fields__:
            yield from _nodes(getattr(node, name))
    elif isinstance(node, tuple):
        for x in node:
            yield from _nodes(x)


def projected(s: ast.Select) -> tuple[tuple[str, ast.Expr], ...]:
    """The fields of a view's elements; a bare value is the field `value`."""
    if s.items is None:
        return tuple((i.variable or implied_name(i), ast.Name(i.variable or implied_name(i))) for i in s.iterators)
    if len(s.items) == 1 and s.items[0].label is None:
        only = s.items[0].expr
        return only.fields if isinstance(only, ast.Struct) else (("value", only),)
    return tuple((i.label or implied_label(i.expr) or f"col{n}", i.expr) for n, i in enumerate(s.items, 1))


def oids_for(
    name: str, view: ast.Define | ast.Expr, names: Names, model: ObjectModel, within: Translator | None = None
) -> Derived:
    s = select_of(view)
    fields = [(c.label, c.path) for c in contributions(view, names, model, within)]
    fields.append(("VO", ast.Struct(projected(s))))
    body = ast.Select((ast.Item(ast.Struct(tuple(fields))),), s.iterators, s.where, order=s.order)
    return Derived(ast.Define(f"OIDs_for_{name}", (), body))


def oid_projecting(
    name: str, view: ast.Define | ast.Expr, names: Names, model: ObjectModel, within: Translator | None = None
) -> Derived:
    s = select_of(view)
    fields = [(c.label, c.path) for c in contributions(view, names, model, within) if c.scanned]
    body = ast.Select((ast.Item(ast.Struct((*fields, *projected(s)))),), s.iterators, s.where, distinct=True)
    return Derived(ast.Define(f"OID_projecting_{name}", (), body))
