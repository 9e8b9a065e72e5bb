"""Column names in expressions: from what the text says to the names of the algebra."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from belvedere.algebra.typing.functions.refused import BARE
from belvedere.algebra.typing.resolve import fields, quoted, user_function
from belvedere.errors import UnknownName, suggest
from belvedere.languages.sql.scope import Ambiguous, Match, Scope
from belvedere.languages.sql.state import Correlation, Env, NeedsDomain

RESOLVED = "resolved"


def rewrite(node: exp.Expr, rule: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """Top-down: what the rule replaces is left alone, the rest is walked. Returns the new root; changes the tree in place."""
    replacement = rule(node)
    if replacement is not None:
        return replacement
    for key, value in list(node.args.items()):
        if isinstance(value, exp.Expr):
            node.set(key, rewrite(value, rule))
        elif isinstance(value, list):
            node.set(key, [rewrite(v, rule) if isinstance(v, exp.Expr) else v for v in value])
    return node


def internal(name: str, position: exp.Expr | None = None) -> exp.Column:
    """A column of the algebra, marked so that it is not looked up again."""
    node = quoted(name, position)
    node.meta[RESOLVED] = True
    return node


def is_subquery(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Query, exp.Subquery)) and not isinstance(node, exp.Table)


def resolve(
    expr: exp.Expr, scope: Scope, env: Env, aliases: Mapping[str, exp.Expr] | None = None, *, alias_first: bool = False
) -> exp.Expr:
    """A copy of the expression in which every column outside of subqueries is one of the algebra. A bare name that is no
    column may be an alias of the select list, which stands for its expression."""

    def rule(node: exp.Expr) -> exp.Expr | None:
        if is_subquery(node):
            return node
        if isinstance(node, exp.Func) and (call := user_function(node, env.session.names.udf)) is not None:
            return resolve(call, scope, env, aliases, alias_first=alias_first)
        if not isinstance(node, exp.Column) or node.meta.get(RESOLVED):
            return None
        if isinstance(node.this, exp.Star):
            return node
        parts = [p for p in node.parts if isinstance(p, exp.Identifier)]
        if alias_first and aliases and len(parts) == 1 and (hit := _alias(parts[0].name, aliases)) is not None:
            return hit.copy()
        found = lookup(parts, scope, env)
        if found is not None:
            return found
        if aliases and (hit := _alias(parts[0].name, aliases)) is not None:
            base = hit.copy()
            return fields(base if len(parts) == 1 else exp.Paren(this=base), parts[1:])
        if len(parts) == 1 and not parts[0].quoted and parts[0].name.lower() in BARE:
            return exp.Anonymous(this=parts[0].name.lower(), expressions=[]).update_positions(parts[0])
        raise unknown(parts, scope, env)

    return rewrite(expr.copy(), rule)


def _alias(name: str, aliases: Mapping[str, exp.Expr]) -> exp.Expr | None:
    if name in aliases:
        return aliases[name]
    return next((e for n, e in aliases.items() if n.lower() == name.lower()), None)


def lookup(parts: list[exp.Identifier], scope: Scope, env: Env) -> exp.Expr | None:
    """The column in this query, or in the queries around it."""
    here = _find(parts, scope, env)
    if here is not None:
        return _access(here, here.column.column, parts)
    if env.correlation is None:
        return None
    outer = _outer(parts, env.correlation)
    if outer is None:
        return None
    match, column = outer
    return _access(match, column, parts)


def _find(parts: list[exp.Identifier], scope: Scope, env: Env) -> Match | None:
    try:
        return scope.find([p.name for p in parts])
    except Ambiguous as e:
        shown = ".".join(p.name for p in parts)
        raise env.session.error(
            UnknownName, f"'{shown}' is ambiguous: it can be {' or '.join(e.candidates)}; say which", parts[0]
        ) from None


def _access(match: Match, column: str, parts: list[exp.Identifier]) -> exp.Expr:
    return fields(internal(column, parts[0]), parts[len(parts) - match.fields :] if match.fields else [])


def _outer(parts: list[exp.Identifier], correlation: Correlation) -> tuple[Match, str] | None:
    """The match in the outer query, and the column's name as this query may write it."""
    match = _find(parts, correlation.frame.scope, correlation.env)
    if match is not None:
        column = match.column.column
    else:
        further = correlation.env.correlation
        if further is None:
            return None
        found = _outer(parts, further)
        if found is None:
            return None
        if further.domain is None:
            raise NeedsDomain(further)
        match, column = found
    correlation.used[column] = None
    if correlation.domain is None:
        return match, column
    return match, correlation.domain[column]


def unknown(parts: list[exp.Identifier], scope: Scope, env: Env) -> Exception:
    shown = ".".join(p.name for p in parts)
    if len(parts) > 1:
        source = scope.source([parts[0].name])
        if source is not None:
            known = [v.name for v in source.columns]
            return env.session.error(UnknownName, f"unknown column '{shown}'{suggest(parts[1].name, known)}", parts[1])
        sources = [s.shown for s in scope.sources if s.alias]
        near = suggest(parts[0].name, [*sources, *scope.names()])
        return env.session.error(UnknownName, f"unknown column '{shown}'{near}", parts[0])
    return env.session.error(UnknownName, f"unknown column '{shown}'{suggest(parts[0].name, scope.names())}", parts[0])
