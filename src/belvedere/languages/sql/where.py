"""Conditions on a frame: plain ones filter, those with subqueries join, those on outer columns wait for the outer query."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Filter
from belvedere.algebra.scalar import Scalar, conjunction
from belvedere.languages.sql.expressions import bind_condition, conjuncts, has_subquery, outer_columns
from belvedere.languages.sql.state import Env, Frame, NeedsDomain


def apply_conditions(frame: Frame, conditions: list[exp.Expr], env: Env, where: str) -> list[Scalar]:
    """Apply the conditions to the frame; those on outer columns are returned."""
    from belvedere.languages.sql.predicates import apply_predicate

    plain: list[Scalar] = []
    pending: list[Scalar] = []
    nested: list[exp.Expr] = []
    for part in [p for c in conditions for p in conjuncts(c)]:
        if has_subquery(part):
            nested.append(part)
            continue
        scalar = bind_condition(part, frame, env, where)
        (pending if outer_columns(scalar, frame) else plain).append(scalar)
    kept = conjunction(plain)
    if not kept.is_true:
        frame.node = Filter(frame.node, kept)
    for part in nested:
        apply_predicate(part, frame, env, where)
    return pending


def must_be_local(pending: list[Scalar], env: Env) -> None:
    """Where an outer column cannot wait, the query is bound again with a domain."""
    if pending:
        assert env.correlation is not None
        raise NeedsDomain(env.correlation)
