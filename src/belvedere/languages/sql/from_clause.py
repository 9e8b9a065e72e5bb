"""The from clause: relations, joins of all kinds, lateral subqueries and views."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.ops import Filter, Join, keep
from belvedere.algebra.scalar import true
from belvedere.algebra.typing.dialect import COMMA
from belvedere.languages.sql.generators import bind_generator, is_generator, table_function
from belvedere.languages.sql.joins import bind_join, condition_of
from belvedere.languages.sql.relations import alias_of, bind_table, bind_values, one_row, relation_frame
from belvedere.languages.sql.scope import Scope
from belvedere.languages.sql.state import Env, Frame


def bind_from(select: exp.Select, env: Env, domain: Frame | None) -> tuple[Frame, list[exp.Expr]]:
    """The frame of a from clause, and conditions of inner joins that are left to the where clause: those that need a
    subquery or a column of the outer query. In a correlated query the domain comes first."""
    clause = select.args.get("from_")
    if clause is None:
        frame = domain or Frame(one_row(), Scope())
        groups: list[_Group] = []
    else:
        groups = _groups(clause.this, select.args.get("joins") or [])
        frame = bind_relation(clause.this, env)
        if domain is not None:
            frame = _after_domain(domain, frame)
    left_over: list[exp.Expr] = []
    for i, group in enumerate(groups):
        if i:
            left_over += _cross(frame, group, env)
            continue
        for join in group.joins:
            left_over += bind_join(frame, join, env)
    for lateral in select.args.get("laterals") or []:
        bind_lateral_view(lateral, frame, env)
    return frame, left_over


@dataclass(frozen=True)
class _Group:
    """What stands between two commas: a relation and its joins. `join` is the comma's, where there is one before it."""

    start: exp.Expr
    joins: list[exp.Join]
    join: exp.Join | None = None


def _groups(first: exp.Expr, joins: list[exp.Join]) -> list[_Group]:
    groups = [_Group(first, [])]
    for join in joins:
        if join.meta.get(COMMA):
            groups.append(_Group(join.this, [], join))
        else:
            groups[-1].joins.append(join)
    return groups


def _cross(frame: Frame, group: _Group, env: Env) -> list[exp.Expr]:
    """Join another group of the from clause; a lateral one sees what stands before it."""
    assert group.join is not None
    if isinstance(group.start, exp.Lateral) or not group.joins:
        later = bind_join(frame, group.join, env)
        for join in group.joins:
            later += bind_join(frame, join, env)
        return later
    other = bind_relation(group.start, env)
    later = [c for join in group.joins for c in bind_join(other, join, env)]
    frame.node = Join(frame.node, other.node, true())
    frame.scope = frame.scope.joined(other.scope)
    return later


def _after_domain(domain: Frame, frame: Frame) -> Frame:
    return Frame(Join(domain.node, frame.node, true()), frame.scope)


def bind_relation(node: exp.Expr, env: Env) -> Frame:
    """One relation, with the joins that parentheses hold together."""
    frame = _relation(node, env)
    for join in node.args.get("joins") or []:
        for condition in bind_join(frame, join, env):
            frame.node = Filter(frame.node, condition_of(condition, frame, env))
    for lateral in node.args.get("laterals") or []:
        bind_lateral_view(lateral, frame, env)
    return frame


def _relation(node: exp.Expr, env: Env) -> Frame:
    from belvedere.languages.sql.pivot import bind_pivots

    if isinstance(node, exp.Table):
        if isinstance(node.this, exp.Func):
            frame = table_function(node, node.this, env)
        else:
            frame = bind_table(node, env)
        return bind_pivots(node, frame, env)
    if isinstance(node, exp.Values):
        return bind_values(node, env)
    if isinstance(node, exp.Subquery):
        return bind_pivots(node, _derived(node, env), env)
    if isinstance(node, exp.Lateral):
        if isinstance(node.this, exp.Subquery):
            return _derived(node.this, env, alias=node)
        raise env.session.unsupported("a lateral relation with nothing to its left", node)
    raise env.session.unsupported(f"'{node.sql('spark')[:60]}' in a from clause", node)


def _derived(node: exp.Subquery, env: Env, alias: exp.Expr | None = None) -> Frame:
    """A subquery in parentheses, or a relation or join in parentheses."""
    from belvedere.languages.sql.query import bind_query

    inner = node.this
    if isinstance(inner, (exp.Table, exp.Values)) or (isinstance(inner, exp.Subquery) and inner.args.get("joins")):
        frame = bind_relation(inner, env)
        if not isinstance(node.args.get("alias"), exp.TableAlias):
            return frame
        visible = tuple(v.name for v in frame.scope.star)
        name, columns = alias_of(node, env, visible)
        shown = keep(frame.node, tuple(v.column for v in frame.scope.star))
        return relation_frame(shown, columns, (name,) if name else (), env)
    query = bind_query(inner, env.within(None))
    name, columns = alias_of(alias or node, env, query.columns)
    return relation_frame(query.node, columns, (name,) if name else (), env)


def bind_lateral_view(lateral: exp.Lateral, frame: Frame, env: Env) -> None:
    """lateral view [outer] explode(x) t as c."""
    function = lateral.this
    if not is_generator(function):
        message = f"lateral view of '{function.sql('spark')[:60]}'; explode, posexplode, inline and stack make rows"
        raise env.session.unsupported(message, lateral)
    alias = lateral.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    bind_generator(function, frame, env, names=names, alias=name, outer=bool(lateral.args.get("outer")))
