"""union, intersect and except, with and without all.

Without all: union is distinct over the sum; intersect and except count each row on both sides. With all, the counts give
the multiplicity: the smaller of both for intersect, the difference for except.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Project, Scale, UnionAll, keep
from belvedere.algebra.scalar import Scalar, cast, col, cols, integer
from belvedere.algebra.types import BigInt, Schema, Void
from belvedere.algebra.typing import parse_expression
from belvedere.algebra.typing.coerce import common, groupable
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.expressions import typed
from belvedere.languages.sql.state import Env, NeedsDomain, Query, unused


def bind_set_operation(node: exp.SetOperation, env: Env) -> Query:
    from belvedere.languages.sql.query import bind_query

    if node.args.get("by_name"):
        raise env.session.unsupported("union by name; list the columns in the same order", node)
    left, right = bind_query(node.args["this"], env), bind_query(node.args["expression"], env)
    for side in (left, right):
        if side.pending:
            assert env.correlation is not None
            raise NeedsDomain(env.correlation)
    a, b = _aligned(node, left, right, env)
    all_rows = node.args.get("distinct") is False
    if isinstance(node, exp.Union):
        parts = (*a.parts, b) if isinstance(a, UnionAll) and all_rows else (a, b)
        result: Node = UnionAll(parts)
        if not all_rows:
            _need_groupable(node, result, env)
            result = Aggregate(result, cols(result.schema), ())
    else:
        _need_groupable(node, a, env)
        result = _counted(node, a, b, env, all_rows=all_rows)
    domain = dict(zip(left.domain, result.schema.names[len(left.columns) :], strict=True))
    return Query(result, left.columns, domain=domain)


def _aligned(node: exp.SetOperation, left: Query, right: Query, env: Env) -> tuple[Node, Node]:
    """Both sides with the same number of columns, in common types."""
    if len(left.columns) != len(right.columns):
        message = f"{node.key}: the left side has {len(left.columns)} columns and the right side {len(right.columns)}"
        raise env.session.error(TypeMismatch, message, node.args["expression"])
    types = []
    for i, (a, b) in enumerate(zip(left.node.schema, right.node.schema, strict=True)):
        t = common(a.type, b.type)
        if t is None:
            message = f"{node.key}: column {i + 1} is of type {a.type} on the left and {b.type} on the right; cast one of them"
            raise env.session.error(TypeMismatch, message, node.args["expression"])
        types.append(t)

    def widened(side: Node) -> Node:
        if [c.type for c in side.schema] == types:
            return side
        return Project(
            side,
            tuple((c.name, col(c) if isinstance(t, Void) else cast(col(c), t)) for c, t in zip(side.schema, types, strict=True)),
        )

    return widened(left.node), widened(right.node)


def _need_groupable(node: exp.SetOperation, rows: Node, env: Env) -> None:
    for c in rows.schema:
        if not groupable(c.type):
            raise env.session.error(TypeMismatch, f"{node.key} cannot compare '{c.name}' of type {c.type}; use union all", node)


def _counted(node: exp.SetOperation, a: Node, b: Node, env: Env, *, all_rows: bool) -> Node:
    """Each distinct row with the number of times it stands on the left and on the right."""
    names = a.schema.names
    left, right = unused("left_rows", _all_columns(a, b), env), unused("right_rows", _all_columns(a, b), env)
    zero, one = integer(0), integer(1)
    sides = UnionAll((
        Project(a, (*cols(a.schema), (left, one), (right, zero))),
        Project(b, (*cols(b.schema), (left, zero), (right, one))),
    ))  # fmt: skip
    big = BigInt()
    counts = tuple((n, Agg("sum", (col(sides.schema[n]),), big)) for n in (left, right))
    counted = Aggregate(sides, tuple((n, col(sides.schema[n])) for n in names), counts)
    intersect = isinstance(node, exp.Intersect)
    if all_rows:
        factor = f"least(`{left}`, `{right}`)" if intersect else f"greatest(`{left}` - `{right}`, 0L)"
        scaled = Scale(counted, _over(factor, counted, env))
        return keep(scaled, names)
    condition = f"`{left}` > 0L and `{right}` > 0L" if intersect else f"`{left}` > 0L and `{right}` = 0L"
    return keep(Filter(counted, _over(condition, counted, env)), names)


def _all_columns(a: Node, b: Node) -> Schema:
    return Schema((*a.schema.columns, *(c for c in b.schema if c.name not in a.schema)))


def _over(text: str, node: Node, env: Env) -> Scalar:
    return typed(parse_expression(text), env, node.schema)
