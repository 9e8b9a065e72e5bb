"""Small makers of sqlglot trees, so that the lowering of an operator reads like the SQL it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from sqlglot import exp

from belvedere.algebra.scalar import tight
from belvedere.engines.sql.names import identifier

WEIGHT = "_w"

#: a column of a statement's relation: the relation, or nothing, and the column
Place: TypeAlias = tuple[str, str]


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.Column(this=identifier(name), table=identifier(table) if table else None)


def place(node: exp.Expr) -> Place | None:
    """Where a value comes from, if it is nothing but a column."""
    return (node.table, node.name) if isinstance(node, exp.Column) else None


def number(value: int) -> exp.Expr:
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def call(name: str, *args: exp.Expr) -> exp.Expr:
    """A function call, printed as it is named here."""
    return exp.Anonymous(this=name.upper(), expressions=list(args))


def alias(node: exp.Expr, name: str) -> exp.Expr:
    if isinstance(node, exp.Column) and node.name == name:
        return node
    return exp.Alias(this=node, alias=identifier(name))


def paren(node: exp.Expr) -> exp.Expr:
    """In parentheses, unless it binds tightly anyway."""
    return node if tight(node) or isinstance(node, (exp.Null, exp.Boolean, exp.Identifier)) else exp.Paren(this=node)


def conjunction(parts: Iterable[exp.Expr]) -> exp.Expr | None:
    kept = [p for p in parts if not (isinstance(p, exp.Boolean) and p.this)]
    node: exp.Expr | None = None
    for p in kept:
        loose = isinstance(p, (exp.Or, exp.Case, exp.If))
        p = exp.Paren(this=p) if loose else p
        node = p if node is None else exp.And(this=node, expression=p)
    return node


def product(a: exp.Expr | None, b: exp.Expr | None) -> exp.Expr | None:
    """a * b where None stands for 1."""
    if a is None or b is None:
        return a if b is None else b
    return exp.Mul(this=paren(a), expression=paren(b))


def is_null(node: exp.Expr) -> exp.Expr:
    return exp.Is(this=paren(node), expression=exp.Null())


def not_null(node: exp.Expr) -> exp.Expr:
    return exp.Not(this=is_null(node))


def case(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def filtered(aggregate: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    return aggregate if condition is None else exp.Filter(this=aggregate, expression=exp.Where(this=condition))


def lambda_(params: Iterable[str], body: exp.Expr) -> exp.Expr:
    return exp.Lambda(this=body, expressions=[identifier(p) for p in params])


def rebuild(node: exp.Expr, go: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """The same node over rewritten children. Meta data stays behind: what an engine gets is text."""
    args: dict[str, object] = {}
    for key, value in node.args.items():
        if isinstance(value, exp.Expr):
            args[key] = go(value)
        elif isinstance(value, list):
            args[key] = [go(v) if isinstance(v, exp.Expr) else v for v in value]
        else:
            args[key] = value
    return node.__class__(**args)
