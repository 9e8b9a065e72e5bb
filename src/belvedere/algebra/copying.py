"""Copies of sqlglot trees. Its own copy follows each type in `meta` down to the last field; types never change, so here they are
shared. Trees are copied for every column that a statement names, which makes this a good part of making it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlglot import exp

E = TypeVar("E", bound=exp.Expr)


def copied(node: E) -> E:
    """The same tree anew, to be put into another one."""
    return _like(node, _copied)


def _copied(node: exp.Expr) -> exp.Expr:
    return _like(node, _copied)


def replaced(node: exp.Expr, swap: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """A copy in which every part that `swap` has something else for is that, as it is; None leaves a part."""

    def visit(part: exp.Expr) -> exp.Expr:
        other = swap(part)
        return other if other is not None else _like(part, visit, other_content=True)

    return visit(node)


def _like(node: E, visit: Callable[[exp.Expr], exp.Expr], *, other_content: bool = False) -> E:
    """The node over other children; what sqlglot remembers of its content holds for equal ones only."""
    args: dict[str, object] = {}
    for key, value in node.args.items():
        if isinstance(value, exp.Expr):
            args[key] = visit(value)
        elif type(value) is list:
            args[key] = [visit(v) if isinstance(v, exp.Expr) else v for v in value]
        else:
            args[key] = value
    made = node.__class__(**args)
    made._type, made.comments = node._type, node.comments
    if node._meta is not None:
        made._meta = dict(node._meta)
    if not other_content:
        made._hash = node._hash
    return made
