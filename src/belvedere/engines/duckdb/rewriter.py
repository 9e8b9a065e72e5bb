"""Scalars from Spark's dialect to DuckDB's: a walk over the tree, with one rule for each kind of node.

What has no rule is refused with the reason: a function that is not known to give Spark's answer runs on Spark only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.types import DataType, Void
from belvedere.engines.function import lowered
from belvedere.engines.sql import build
from belvedere.engines.sql.names import Names, identifier
from belvedere.errors import Unsupported

Rule: TypeAlias = Callable[["Rewriter", exp.Expr], exp.Expr]


@dataclass
class Rewriter:
    """One walk: the values of the columns, and the names of the lambda parameters in scope."""

    columns: Mapping[str, exp.Expr]
    names: Names
    params: dict[str, str] = field(default_factory=dict)

    def __call__(self, node: exp.Expr) -> exp.Expr:
        from belvedere.engines.duckdb.rewrites import NAMED, RULES
        from belvedere.engines.duckdb.rewrites.parts import unknown_parts

        if (call := lowered(node, self)) is not None:
            return call
        if isinstance(node, exp.Anonymous):
            rule = NAMED.get(node.name.lower())
        else:
            rule = RULES.get(type(node))
        if rule is None or unknown_parts(node):
            raise refused(node)
        return rule(self, node)

    def arg(self, node: exp.Expr, key: str = "this") -> exp.Expr:
        """One part of a node, rewritten."""
        return self(node.args[key])

    def tight(self, node: exp.Expr, key: str = "this") -> exp.Expr:
        """One part of a node, rewritten, fit to stand beside an operator."""
        return build.paren(self.arg(node, key))

    def optional(self, node: exp.Expr, key: str) -> exp.Expr | None:
        value = node.args.get(key)
        return self(value) if isinstance(value, exp.Expr) else None

    def once(self, value: exp.Expr, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
        """What is made of a value that it uses several times. Written out each time, a value within a value within a value would
        be a statement without end; so it becomes the parameter of a lambda."""
        if isinstance(value, (exp.Column, exp.Literal, exp.Boolean, exp.Null)):
            return make(value)
        p = self.names.fresh("o")
        made = build.lambda_([p], make(build.column(p)))
        return build.call("list_extract", build.call("list_transform", build.call("list_value", value), made), build.number(1))

    def column(self, node: exp.Column) -> exp.Expr:
        return copied(self.columns[node.name])

    def parameter(self, node: exp.Expr) -> exp.Expr:
        return build.column(self.params[node.name])

    def within(self, function: exp.Lambda) -> tuple[list[str], exp.Expr]:
        """A lambda's new parameter names and its rewritten body."""
        given = {p.name: self.names.fresh(p.name) for p in function.expressions}
        inner = Rewriter(self.columns, self.names, {**self.params, **given})
        return list(given.values()), inner(function.this)


def type_of(node: exp.Expr) -> DataType:
    """The type that the front-end wrote on a node; parentheses have that of their inside."""
    t = node.meta.get("t")
    if isinstance(t, DataType):
        return t
    if isinstance(node, exp.Paren):
        return type_of(node.this)
    if isinstance(node, exp.Null):
        return Void()
    raise AssertionError(f"no type on {node.sql('spark')}: annotate the expression first")


def refused(node: exp.Expr) -> Unsupported:
    """What is said about something that only Spark can do."""
    if isinstance(node, exp.Anonymous):
        what = f"function {node.name.lower()}"
    elif isinstance(node, exp.Func):
        what = f"function {node.sql_name().lower()}"
    else:
        shown = node.sql("spark")
        what = f"'{shown if len(shown) <= 60 else shown[:57] + '…'}'"
    return Unsupported(f"{what} runs on Spark only")


def direct(name: str, *keys: str) -> Rule:
    """A function with the same meaning under this name, its arguments in this order."""

    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        parts = [v for k in keys or ("this",) if isinstance(v := node.args.get(k), exp.Expr)]
        return build.call(name, *(go(p) for p in parts))

    return rule


def named(name: str, count: int) -> Rule:
    """The same for a call that sqlglot knows by its name only."""

    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        if len(node.expressions) != count:
            raise refused(node)
        return build.call(name, *(go(p) for p in node.expressions))

    return rule


def same(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """The same node over rewritten children."""
    return build.rebuild(node, go)


def quoted(name: str) -> exp.Identifier:
    """A name of the user's, such as a struct field."""
    return exp.Identifier(this=name, quoted=True)


__all__ = ["Rewriter", "Rule", "direct", "identifier", "named", "quoted", "refused", "same", "type_of"]
