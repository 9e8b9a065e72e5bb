"""Relations of a from clause: tables, views, with-queries, subqueries, values; each use under names of its own."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Get, Project, UnionAll, Values, keep, renamed
from belvedere.algebra.scalar import Scalar, cast
from belvedere.algebra.types import Column, DataType, Schema, Void
from belvedere.algebra.typing.coerce import common_of
from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.languages.sql.expressions import bind_expr
from belvedere.languages.sql.scope import Scope, Source, Visible
from belvedere.languages.sql.state import Cte, Env, Frame, Query


def one_row() -> Node:
    """The relation without columns and with one row, which a query without from reads."""
    return Values(Schema(()), ((),))


def rename_output(node: Node, names: tuple[str, ...]) -> Node:
    """The node with other column names, by position; the top operator takes them on where it can."""
    if node.schema.names == names:
        return node
    match node:
        case Get():
            return replace(node, types=_renamed(node.types, names), by=())
        case Project():
            return Project(node.input, tuple((n, s) for n, (_, s) in zip(names, node.items, strict=True)))
        case Aggregate():
            k = len(node.keys)
            keys = tuple((n, s) for n, (_, s) in zip(names, node.keys, strict=False))
            return Aggregate(node.input, keys, tuple((n, a) for n, (_, a) in zip(names[k:], node.aggs, strict=True)))
        case Values():
            return Values(_renamed(node.types, names), node.rows)
        case UnionAll():
            return UnionAll((rename_output(node.parts[0], names), *node.parts[1:]))
        case _:
            return renamed(node, names)


def narrowed(node: Node, names: tuple[str, ...]) -> Node:
    """Only these columns, in this order; a projection on top is cut down rather than covered by another."""
    if isinstance(node, Project) and node.schema.names != names:
        items = dict(node.items)
        return Project(node.input, tuple((n, items[n]) for n in names))
    return keep(node, names)


def project(node: Node, items: tuple[tuple[str, Scalar], ...]) -> Node:
    """A projection, unless it would change nothing."""
    if tuple(n for n, _ in items) == node.schema.names and all(s.column == n for n, s in items):
        return node
    if isinstance(node, Project) and all(s.column is not None for _, s in items):
        below = dict(node.items)
        return Project(node.input, tuple((n, below[s.column or ""]) for n, s in items))
    return Project(node, items)


def _renamed(schema: Schema, names: tuple[str, ...]) -> Schema:
    return Schema(tuple(Column(n, c.type, c.id) for n, c in zip(names, schema, strict=True)))


def relation_frame(node: Node, visible: tuple[str, ...], alias: tuple[str, ...], env: Env) -> Frame:
    """A frame for one use of a relation: fresh names inside, the given ones outside."""
    names = tuple(env.session.fresh(v) for v in visible)
    node = rename_output(node, names)
    columns = tuple(Visible(v, c.name, c.type) for v, c in zip(visible, node.schema, strict=True))
    return Frame(node, Scope.of(Source(alias, columns)))


def table_name(table: exp.Table) -> tuple[str, ...]:
    return tuple(p.name for p in table.parts)


def alias_of(node: exp.Expr, env: Env, visible: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The alias of a relation, and its columns' names under it."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return None, visible
    columns = tuple(c.name for c in alias.args.get("columns") or [])
    name = alias.name or None
    if columns and len(columns) != len(visible):
        message = f"{name or 'the relation'} has {len(visible)} columns, and {len(columns)} names are given for them"
        raise env.session.error(TypeMismatch, message, alias)
    return name, columns or visible


def bind_table(table: exp.Table, env: Env) -> Frame:
    """A with-query of that name, else a table or view of the warehouse."""
    parts = table_name(table)
    _refuse_options(table, env)
    cte = env.ctes.get(parts[0].lower()) if len(parts) == 1 else None
    if cte is not None:
        query = bind_cte(cte)
        node, columns = query.node, query.columns
    else:
        name = ".".join(parts)
        relation = env.session.names.relation(name)
        if relation is None:
            known = [*env.session.names.relation_names(), *env.ctes]
            raise env.session.error(UnknownName, f"unknown table or view '{name}'{suggest(name, known)}", table)
        env.session.relations[relation.name] = None
        node, columns = relation.plan(), relation.schema.names
    alias, columns = alias_of(table, env, columns)
    return relation_frame(node, columns, (alias,) if alias else parts, env)


def _refuse_options(table: exp.Table, env: Env) -> None:
    if table.args.get("sample") is not None:
        message = "tablesample picks rows at random, so a view of it has no right content; filter by a hash of a key"
        raise env.session.unsupported(message, table)
    if table.args.get("version") is not None or table.args.get("when") is not None:
        raise env.session.unsupported("reading an earlier version inside a query; use epoch= when reading a view", table)


def bind_cte(cte: Cte) -> Query:
    from belvedere.languages.sql.query import bind_query

    if not cte.cache:
        query = bind_query(cte.query, cte.env)
        if cte.columns:
            if len(cte.columns) != len(query.columns):
                message = f"the with-query has {len(query.columns)} columns, and {len(cte.columns)} names are given for them"
                raise cte.env.session.error(TypeMismatch, message, cte.query)
            query = replace(query, columns=cte.columns)
        cte.cache.append(query)
    return cte.cache[0]


def bind_values(values: exp.Values, env: Env) -> Frame:
    """Constant rows; each column gets the common type of its values."""
    rows = [list(r.expressions) if isinstance(r, exp.Tuple) else [r] for r in values.expressions]
    width = len(rows[0]) if rows else 0
    for source, r in zip(values.expressions, rows, strict=True):
        if len(r) != width:
            raise env.session.error(TypeMismatch, f"this row has {len(r)} values, and the first one has {width}", source)
    empty = Frame(one_row(), Scope())
    bound = [[bind_expr(v, empty, env) for v in r] for r in rows]
    if empty.node.schema.columns or empty.node.inputs:
        raise env.session.unsupported("a subquery in values; write it as a select with union all", values)
    types = []
    for i in range(width):
        t = common_of([r[i].type for r in bound])
        if t is None:
            kinds = ", ".join(dict.fromkeys(str(r[i].type) for r in bound))
            raise env.session.error(TypeMismatch, f"column {i + 1} of values has no common type: {kinds}; cast them", values)
        types.append(t)
    visible = tuple(f"col{i}" for i in range(1, width + 1))
    alias, visible = alias_of(values, env, visible)
    schema = Schema(tuple(Column(n, t) for n, t in zip(_positions(width), types, strict=True)))
    data = tuple(tuple(widen(s, t) for s, t in zip(r, types, strict=True)) for r in bound)
    return relation_frame(Values(schema, data), visible, (alias,) if alias else (), env)


def _positions(width: int) -> list[str]:
    return [f"col{i}" for i in range(1, width + 1)]


def widen(scalar: Scalar, t: DataType) -> Scalar:
    """The scalar cast to a common type."""
    return scalar if isinstance(t, Void) else cast(scalar, t)
