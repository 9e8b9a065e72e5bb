"""Subqueries that read columns of the query around them.

First try: such columns stand only in conditions, which become the condition of the join with the subquery (`pending`).
Otherwise by a *domain*: the distinct values of the outer columns are joined into the subquery's from clause, every
operator then works for each of them (they are keys of groups, partitions of windows), and the outer query joins the
result on equal values, NULL equal to NULL.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate
from belvedere.algebra.scalar import Scalar, col, equal
from belvedere.languages.sql.scope import Scope
from belvedere.languages.sql.state import Correlation, Env, Frame, NeedsDomain, Query


def bind_correlated(query: exp.Expr, frame: Frame, env: Env, *, rows: bool = False, domain: bool = False) -> Query:
    """A subquery over the frame. With `rows`, its rows count (lateral, scalar) and not only whether there are any, so that
    distinct must see exactly the visible columns. With `domain`, the first try is left out."""
    from belvedere.languages.sql.query import bind_query

    session = env.session
    mark = session.fresh.mark()
    correlation = Correlation(frame, env)
    try:
        if domain:
            raise NeedsDomain(correlation)
        bound = bind_query(query, env.within(correlation))
        if not (rows and bound.pending and isinstance(bound.node, Aggregate)):
            return replace(bound, order=(), ordered=None)
        raise NeedsDomain(correlation)
    except NeedsDomain as e:
        if e.correlation is not correlation:
            raise
    session.fresh.reset(mark)
    used = _used(query, frame, env)
    session.fresh.reset(mark)
    correlation = Correlation(frame, env, {name: session.fresh(name) for name in used})
    return replace(bind_query(query, env.within(correlation)), order=(), ordered=None)


def _used(query: exp.Expr, frame: Frame, env: Env) -> list[str]:
    """A trial with all outer columns in the domain tells which are read."""
    from belvedere.languages.sql.query import bind_query

    trial = Correlation(frame, env, {n: env.session.fresh(n) for n in frame.schema.names})
    bind_query(query, env.within(trial))
    return [n for n in frame.schema.names if n in trial.used]


def domain_node(correlation: Correlation, names: dict[str, str] | None = None) -> Node:
    """The distinct values of the outer columns. `names` gives other names for the domain's columns."""
    assert correlation.domain is not None
    schema = correlation.frame.schema
    keys = tuple(((names or {}).get(local, local), col(schema[outer])) for outer, local in correlation.domain.items())
    return Aggregate(correlation.frame.node, keys, ())


def domain_frame(env: Env) -> Frame | None:
    correlation = env.correlation
    if correlation is None or not correlation.domain:
        return None
    return Frame(domain_node(correlation), Scope())


def matching(query: Query, frame: Frame) -> list[Scalar]:
    """The conditions under which a row of the subquery belongs to a row of the frame."""
    conditions = list(query.pending)
    for outer, inner in query.domain.items():
        conditions.append(equal(frame.schema[outer], query.node.schema[inner], null_safe=True))
    return conditions


def equality_sides(condition: Scalar, frame: Frame) -> tuple[Scalar, Scalar] | None:
    """(inner, outer) if the condition says that an expression over the frame equals one over outer columns alone."""
    if not isinstance(condition.expr, exp.EQ):
        return None
    names = set(frame.schema.names)
    sides = []
    for node in (condition.expr.left, condition.expr.right):
        inner = node.unnest()
        assert isinstance(inner, exp.Expression)
        sides.append(Scalar(inner, inner.meta["t"]))
    for a, b in (sides, sides[::-1]):
        if a.columns and a.columns <= names and b.columns and not (b.columns & names):
            return a, b
    return None
