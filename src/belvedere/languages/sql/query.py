"""A query of any shape: select, set operation, parentheses, values, with."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.languages.sql.ordering import apply_order, modifiers
from belvedere.languages.sql.relations import bind_table, bind_values
from belvedere.languages.sql.select import bind_select
from belvedere.languages.sql.set_operations import bind_set_operation
from belvedere.languages.sql.state import Cte, Env, Frame, Query


def bind_query(query: exp.Expr, env: Env) -> Query:
    """The algebra of a query. An order without a limit is kept apart; only the outermost query shows it."""
    env = with_ctes(query, env)
    if isinstance(query, exp.Select):
        return bind_select(query, env)
    if isinstance(query, exp.SetOperation):
        return apply_order(query, bind_set_operation(query, env), env)
    if isinstance(query, exp.Subquery):
        inner = bind_query(query.this, env)
        if modifiers(query):
            return apply_order(query, replace(inner, order=(), ordered=None), env)
        return inner
    if isinstance(query, exp.Values):
        return _plain(bind_values(query, env))
    if isinstance(query, exp.Table):
        return _plain(bind_table(query, env))
    raise env.session.unsupported(f"'{query.sql('spark')[:60]}' as a query", query)


def _plain(frame: Frame) -> Query:
    return Query(frame.node, tuple(v.name for v in frame.scope.star))


def with_ctes(query: exp.Expr, env: Env) -> Env:
    """The environment with the queries of a with clause; each sees those before it, and hides outer ones of its name."""
    clause = query.args.get("with_")
    if clause is None:
        return env
    if clause.args.get("recursive"):
        raise env.session.unsupported("with recursive; a recursive view cannot be maintained here", clause)
    for cte in clause.expressions:
        columns = tuple(c.name for c in cte.args["alias"].args.get("columns") or [])
        named = Cte(cte.this, columns, env.within(None))
        env = replace(env, ctes={**env.ctes, cte.alias.lower(): named})
    return env
