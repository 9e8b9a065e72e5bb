"""Subqueries inside expressions: each becomes a join of the frame's plan and a column in the expression."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Join, OuterJoin, Project, UnionAll
from belvedere.algebra.scalar import Scalar, col, cols, conjunction, null, true
from belvedere.algebra.types import Boolean, Schema
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import internal, is_subquery
from belvedere.languages.sql.decorrelate import bind_correlated, equality_sides, matching
from belvedere.languages.sql.expressions import typed
from belvedere.languages.sql.predicates import Membership, membership
from belvedere.languages.sql.scalar_aggregates import plant_aggregate
from belvedere.languages.sql.scope import Scope
from belvedere.languages.sql.state import Env, Frame, Query


def plant(node: exp.Expr, frame: Frame, env: Env) -> exp.Expr | None:
    """What stands for a subquery in an expression, its rows joined to the frame; None for anything else."""
    if membership(node) is not None:
        return internal(_mark(node, frame, env))
    if is_subquery(node):
        return internal(_value(node, frame, env))
    return None


def _mark(node: exp.Expr, frame: Frame, env: Env) -> str:
    """A boolean column: rows for which the test is true, false and, where it can be, NULL, each with its mark."""
    member = Membership(node, frame, env)
    base, name = frame.node, env.session.fresh("found")
    parts = [_marked(member.kept(base), name, true()), _marked(member.refused(base), name, _false())]
    unknown = member.unknown(base)
    if unknown is not None:
        parts.append(_marked(unknown, name, null(Boolean())))
    frame.node = UnionAll(tuple(parts))
    return name


def _marked(node: Node, name: str, mark: Scalar) -> Node:
    return Project(node, (*cols(node.schema), (name, mark)))


def _false() -> Scalar:
    node = exp.false()
    node.meta["t"] = Boolean()
    return Scalar(node, Boolean())


def _value(node: exp.Expr, frame: Frame, env: Env) -> str:
    """A scalar subquery: its value, NULL without rows, an error with more than one."""
    planted = plant_aggregate(node, frame, env)
    if planted is not None:
        return planted
    query = bind_correlated(node, frame, env, rows=True)
    if any(equality_sides(p, _inner_frame(query)) is None for p in query.pending):
        query = bind_correlated(node, frame, env, domain=True)
    if len(query.columns) != 1:
        message = f"a subquery used as a value gives one column, and this gives {len(query.columns)}"
        raise env.session.error(TypeMismatch, message, node)
    if query.pending:
        return _by_keys(query, frame, env)
    value = query.outputs[0]
    result = query.node if query.one_row else _single(query, env)
    if query.domain:
        on = conjunction(matching(query, frame))
        frame.node = Join(frame.node, result, on) if query.one_row else OuterJoin(frame.node, result, on, "left")
    else:
        frame.node = Join(frame.node, result, true())
    return value


def _inner_frame(query: Query) -> Frame:
    return Frame(query.node, Scope())


def _single(query: Query, env: Env) -> Node:
    """One row for each value of the domain, or one row in all."""
    value = query.node.schema[query.outputs[0]]
    keys = tuple((local, col(query.node.schema[local])) for local in query.domain.values())
    return Aggregate(query.node, keys, ((value.name, Agg("single_value", (col(value),), value.type)),))


def _by_keys(query: Query, frame: Frame, env: Env) -> str:
    """Conditions inner = outer alone: the rows are grouped by the inner sides, and joined on equality."""
    inner = _inner_frame(query)
    value = query.node.schema[query.outputs[0]]
    keys: dict[str, tuple[str, Scalar]] = {}
    pairs = []
    for p in query.pending:
        sides = equality_sides(p, inner)
        assert sides is not None
        name = keys.setdefault(str(sides[0]), (env.session.fresh(sides[0].column or "key"), sides[0]))[0]
        pairs.append((name, sides[1]))
    held = env.session.fresh(value.name)
    node = Aggregate(query.node, tuple(keys.values()), ((held, Agg("single_value", (col(value),), value.type)),))
    schema = Schema(frame.schema.columns + node.schema.columns)
    on = []
    for name, outer in pairs:
        tree = exp.EQ(this=col(node.schema[name]).expr, expression=exp.Paren(this=outer.expr.copy()))
        on.append(typed(tree, env, schema))
    frame.node = OuterJoin(frame.node, node, conjunction(on), "left")
    return held
