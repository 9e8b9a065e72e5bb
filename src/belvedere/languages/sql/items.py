"""The select list: stars expanded, every item with the name that the result shows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.types import Struct
from belvedere.algebra.typing.resolve import fields
from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.languages.sql.columns import internal, is_subquery, lookup
from belvedere.languages.sql.expressions import bind_expr
from belvedere.languages.sql.scope import Visible
from belvedere.languages.sql.state import Env, Frame


@dataclass(frozen=True)
class Item:
    """One column of the result. `aliased` tells that the text named it, so that other clauses can refer to it."""

    name: str
    expr: exp.Expr
    aliased: bool


def expand(select: exp.Select, frame: Frame, env: Env) -> list[Item]:
    items: list[Item] = []
    for e in select.expressions:
        if isinstance(e, exp.Star):
            env.session.star = True
            items += _starred(e, frame.scope.star, env)
        elif isinstance(e, exp.Column) and isinstance(e.this, exp.Star):
            env.session.star = True
            items += _qualified_star(e, frame, env)
        elif isinstance(e, exp.Alias):
            items.append(Item(e.alias, e.this, True))
        elif isinstance(e, exp.Dot) and isinstance(e.expression, exp.Star):
            items += _struct_star(bind_expr(e.this, frame, env).type, e.this, e, env)
        else:
            items.append(Item(shown_name(e), e, False))
    if not items:
        raise env.session.error(TypeMismatch, "the select list is empty", select)
    return items


def _starred(star: exp.Star, columns: tuple[Visible, ...], env: Env) -> list[Item]:
    if star.args.get("replace") or star.args.get("rename"):
        raise env.session.unsupported("* with replace or rename; name the columns", star)
    left_out = {c.name.lower(): c for c in star.args.get("except_") or []}
    known = {v.name.lower() for v in columns}
    for name, node in left_out.items():
        if name not in known:
            message = f"except: there is no column '{node.name}'{suggest(node.name, [v.name for v in columns])}"
            raise env.session.error(UnknownName, message, node)
    return [Item(v.name, internal(v.column, star), False) for v in columns if v.name.lower() not in left_out]


def _qualified_star(node: exp.Column, frame: Frame, env: Env) -> list[Item]:
    """t.*, or s.* for a struct column s."""
    parts = [p for p in node.parts if isinstance(p, exp.Identifier)]
    source = frame.scope.source([p.name for p in parts])
    if source is not None:
        return _starred(node.this, source.columns, env)
    found = lookup(parts, frame.scope, env)
    if found is None:
        known = [s.shown for s in frame.scope.sources if s.alias]
        shown = ".".join(p.name for p in parts)
        raise env.session.error(UnknownName, f"unknown relation '{shown}'{suggest(parts[-1].name, known)}", parts[0])
    return _struct_star(bind_expr(found, frame, env).type, found, node, env)


def _struct_star(t: object, base: exp.Expr, node: exp.Expr, env: Env) -> list[Item]:
    if not isinstance(t, Struct):
        raise env.session.error(TypeMismatch, f".* takes a relation or a struct, and this is of type {t}", node)
    return [Item(f, fields(base.copy(), [exp.to_identifier(f, quoted=True)]), False) for f, _ in t.fields]


def shown_name(e: exp.Expr) -> str:
    """The name of an item without an alias: a column's or a field's own, else the expression as Spark would title it."""
    inner = e.unnest()
    if isinstance(inner, exp.Column):
        return inner.name
    if isinstance(inner, exp.Dot):
        return str(inner.expression.name)
    if isinstance(inner, (exp.Cast, exp.TryCast)) and isinstance(inner.this, exp.Column):
        return inner.this.name
    if isinstance(inner, exp.Literal):
        return str(inner.this)
    if is_subquery(inner):
        return "scalarsubquery"
    titled = inner.copy()
    for count in titled.find_all(exp.Count):
        if isinstance(count.this, exp.Star):
            count.set("this", exp.Literal.number(1))
    text = titled.sql("spark", normalize_functions="lower")
    return f"({text})" if isinstance(titled, exp.Binary) and not isinstance(titled, exp.Dot) else text


def aliases_of(items: list[Item]) -> dict[str, exp.Expr]:
    """Aliases that other clauses may use; one that is given twice is of no use to them."""
    names = [i.name.lower() for i in items if i.aliased]
    return {i.name: i.expr for i in items if i.aliased and names.count(i.name.lower()) == 1}
