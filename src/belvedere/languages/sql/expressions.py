"""Expressions over a frame: subqueries become joins of the frame's plan, the rest becomes a typed scalar."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.types import Boolean, Schema, Void
from belvedere.algebra.typing import annotate
from belvedere.algebra.typing.context import sql_type
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import is_subquery, resolve, rewrite
from belvedere.languages.sql.state import Env, Frame, NeedsDomain


def typed(tree: exp.Expr, env: Env, schema: Schema) -> Scalar:
    """A resolved expression without subqueries as a scalar."""
    t = annotate(tree, schema, udfs=env.session.names.udf, text=env.session.text)
    assert isinstance(tree, exp.Expression)
    return Scalar(tree, t)


def bind_expr(expr: exp.Expr, frame: Frame, env: Env, aliases: Mapping[str, exp.Expr] | None = None) -> Scalar:
    """A scalar over the frame's columns. Outer columns are not allowed in it, unless a domain supplies them."""
    return finish(resolve(expr, frame.scope, env, aliases), frame, env)


def finish(tree: exp.Expr, frame: Frame, env: Env) -> Scalar:
    """A resolved expression as a scalar, its subqueries planted in the frame's plan."""
    scalar = with_outer(tree, frame, env)
    if env.correlation is not None and outer_columns(scalar, frame):
        raise NeedsDomain(env.correlation)
    return scalar


def with_outer(tree: exp.Expr, frame: Frame, env: Env) -> Scalar:
    """As `finish`, but outer columns may stand in it."""
    from belvedere.languages.sql.subqueries import plant

    def rule(node: exp.Expr) -> exp.Expr | None:
        return plant(node, frame, env)

    tree = rewrite(tree, rule)
    known = {c.name for c in frame.schema}
    outer = tuple(c for c in env.outer_schema() if c.name not in known)
    return typed(tree, env, Schema(frame.schema.columns + outer))


def outer_columns(scalar: Scalar, frame: Frame) -> frozenset[str]:
    return scalar.columns - set(frame.schema.names)


def bind_condition(expr: exp.Expr, frame: Frame, env: Env, where: str) -> Scalar:
    """A boolean scalar, in which outer columns may stand."""
    return as_condition(with_outer(resolve(expr, frame.scope, env), frame, env), env, where)


def as_condition(scalar: Scalar, env: Env, where: str) -> Scalar:
    if isinstance(scalar.type, Void):
        cast = exp.Cast(this=scalar.expr, to=sql_type(Boolean()))
        cast.meta["t"] = Boolean()
        return Scalar(cast, Boolean())
    if not isinstance(scalar.type, Boolean):
        raise env.session.error(TypeMismatch, f"{where} takes a condition, and this is of type {scalar.type}", scalar.expr)
    return scalar


def conjuncts(expr: exp.Expr) -> list[exp.Expr]:
    """The parts of a conjunction, parentheses removed."""
    inner = expr.unnest()
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.args["this"]), *conjuncts(inner.args["expression"])]
    return [inner]


def has_subquery(expr: exp.Expr) -> bool:
    return any(is_subquery(n) for n in expr.walk())


def as_column(scalar: Scalar, frame: Frame, env: Env, stem: str) -> str:
    """The name of a column of the frame that holds the scalar, made if there is none."""
    if scalar.column is not None:
        return scalar.column
    name = env.session.fresh(stem)
    frame.extend([(name, scalar)])
    return name


def column_of(frame: Frame, name: str) -> Scalar:
    return col(frame.schema[name])
