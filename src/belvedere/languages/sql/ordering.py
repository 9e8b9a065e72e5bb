"""order by, limit and offset: an order with a limit picks rows (TopK), an order alone only shows them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Project, SortKey, TopK, Window, WindowCall, keep
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.types import Int
from belvedere.algebra.typing.coerce import orderable
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import internal, resolve
from belvedere.languages.sql.expressions import finish, typed
from belvedere.languages.sql.items import Item
from belvedere.languages.sql.relations import narrowed
from belvedere.languages.sql.scope import Scope, Visible
from belvedere.languages.sql.state import Env, Frame, NeedsDomain, Query, unused


def modifiers(query: exp.Expr) -> bool:
    return any(query.args.get(k) is not None for k in ("order", "limit", "offset"))


def _ordered(query: exp.Expr) -> list[exp.Ordered]:
    order = query.args.get("order")
    return list(order.expressions) if order is not None else []


def _ordinal(e: exp.Expr) -> int | None:
    return int(e.this) if isinstance(e, exp.Literal) and not e.is_string and str(e.this).isdigit() else None


def order_trees(
    select: exp.Select, items: list[Item], trees: list[exp.Expr], frame: Frame, env: Env, aliases: dict[str, exp.Expr]
) -> list[exp.Expr]:
    """What the rows are ordered by, over the frame: a position in the list, an alias or output name, or any expression."""
    by_name = {i.name: t for i, t in zip(items, trees, strict=True) if i.name in aliases}
    out: list[exp.Expr] = []
    for o in _ordered(select):
        if isinstance(o.this, exp.Var) and o.this.name.upper() == "ALL":
            out += [t.copy() for t in trees]
            continue
        position = _ordinal(o.this)
        if position is not None:
            out.append(_at(position, trees, o, env).copy())
        else:
            out.append(resolve(o.this, frame.scope, env, by_name, alias_first=True))
    return out


def _at(position: int, trees: list[exp.Expr], at: exp.Expr, env: Env) -> exp.Expr:
    if not 1 <= position <= len(trees):
        raise env.session.error(TypeMismatch, f"order by {position}: the select list has {len(trees)} columns", at)
    return trees[position - 1]


def _directions(query: exp.Expr, count: int) -> list[tuple[bool, bool]]:
    """(descending, NULLs first) of each key; Spark puts NULLs first going up and last going down, unless told."""
    out = []
    for o in _ordered(query):
        descending = bool(o.args.get("desc"))
        first = o.args.get("nulls_first")
        out.append((descending, (not descending) if first is None else bool(first)))
    return out if len(out) == count else out * count


def sorted_query(
    select: exp.Select, query: Query, env: Env, frame: Frame, outputs: list[tuple[str, Scalar]],
    hidden: list[tuple[str, Scalar]], keys: list[Scalar], *, distinct: bool,
) -> Query:  # fmt: skip
    """Add the order of a select. A key that is no output rides along behind the outputs and is dropped after the limit."""
    if not modifiers(select):
        return query
    by_text = {str(s): n for n, s in reversed(outputs)}
    extra: list[tuple[str, Scalar]] = []
    sort: list[SortKey] = []
    for scalar, (descending, nulls_first) in zip(keys, _directions(select, len(keys)), strict=True):
        if not orderable(scalar.type):
            raise env.session.error(TypeMismatch, f"rows cannot be ordered by a {scalar.type}", scalar.expr)
        name = by_text.get(str(scalar))
        if name is None:
            if distinct:
                message = "with distinct, order by can only use the columns of the select list"
                raise env.session.error(TypeMismatch, message, scalar.expr)
            name = unused("sort", query.node.schema, env)
            extra.append((name, scalar))
            by_text[str(scalar)] = name
        sort.append(SortKey(name, descending, nulls_first))
    node: Node = query.node
    if extra:
        node = Project(frame.node, (*outputs, *hidden, *extra))
    return limited(select, replace(query, node=node), tuple(sort), env, dropped=tuple(n for n, _ in extra))


def limited(query_ast: exp.Expr, query: Query, sort: tuple[SortKey, ...], env: Env, *, dropped: tuple[str, ...]) -> Query:
    limit, offset = _number(query_ast, "limit", env), _number(query_ast, "offset", env) or 0
    names = tuple(n for n in query.node.schema.names if n not in dropped)
    if limit is None and not offset:
        node = narrowed(query.node, names)
        return replace(query, node=node, order=sort, ordered=query.node if dropped else None)
    if query.pending:
        assert env.correlation is not None
        raise NeedsDomain(env.correlation)
    if query.domain:
        top = _top_of_each(query, sort, limit, offset, env)
    else:
        top = TopK(query.node, sort, limit, offset)
    return replace(
        query, node=keep(top, names), order=sort if not dropped else (), ordered=top if dropped else None, one_row=False
    )


def _top_of_each(query: Query, sort: tuple[SortKey, ...], limit: int | None, offset: int, env: Env) -> Node:
    """The first rows for each value of the domain."""
    name = unused("position", query.node.schema, env)
    call = exp.RowNumber()
    call.meta["t"] = Int()
    numbered = Window(query.node, tuple(query.domain.values()), sort, ((name, WindowCall(Scalar(call, Int()))),))
    row = col(numbered.schema[name])
    conditions: list[exp.Expression] = []
    if offset:
        conditions.append(exp.GT(this=row.expr.copy(), expression=exp.Literal.number(offset)))
    if limit is not None:
        conditions.append(exp.LTE(this=row.expr.copy(), expression=exp.Literal.number(offset + limit)))
    tree: exp.Expr = conditions[0] if len(conditions) == 1 else exp.And(this=conditions[0], expression=conditions[1])
    return keep(Filter(numbered, typed(tree, env, numbered.schema)), query.node.schema.names)


def _number(query: exp.Expr, key: str, env: Env) -> int | None:
    clause = query.args.get(key)
    if clause is None:
        return None
    if not isinstance(clause, (exp.Limit, exp.Offset)):
        raise env.session.unsupported("fetch; use limit", clause)
    value = clause.args["expression"].unnest()
    if isinstance(value, exp.Var) and value.name.upper() == "ALL":
        return None
    n = _ordinal(value)
    if n is None:
        raise env.session.unsupported(f"{key} of '{value.sql('spark')[:40]}'; write a number", clause)
    return n


def apply_order(query_ast: exp.Expr, query: Query, env: Env) -> Query:
    """The order of a set operation: by output names or positions, or expressions over them."""
    if not modifiers(query_ast):
        return query
    columns = tuple(Visible(v, c.name, c.type) for v, c in zip(query.columns, query.node.schema, strict=False))
    frame = Frame(query.node, Scope((), columns))
    trees: list[exp.Expr] = []
    for o in _ordered(query_ast):
        position = _ordinal(o.this)
        outputs: list[exp.Expr] = [internal(v.column) for v in columns]
        if isinstance(o.this, exp.Var) and o.this.name.upper() == "ALL":
            trees += outputs
        elif position is not None:
            trees.append(_at(position, outputs, o, env))
        else:
            trees.append(resolve(o.this, frame.scope, env))
    sort, extra = [], []
    for tree, (descending, nulls_first) in zip(trees, _directions(query_ast, len(trees)), strict=True):
        scalar = finish(tree, frame, env)
        if not orderable(scalar.type):
            raise env.session.error(TypeMismatch, f"rows cannot be ordered by a {scalar.type}", scalar.expr)
        name = scalar.column
        if name is None:
            name = unused("sort", frame.schema, env)
            frame.extend([(name, scalar)])
            extra.append(name)
        sort.append(SortKey(name, descending, nulls_first))
    return limited(query_ast, replace(query, node=frame.node), tuple(sort), env, dropped=tuple(extra))
