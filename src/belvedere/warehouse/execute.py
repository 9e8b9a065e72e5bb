"""Statements as text: each runs in a transaction of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.types import Column, Schema, quote_name
from belvedere.errors import BelvedereError
from belvedere.languages.sql import parse_statement
from belvedere.languages.sql import statements as st
from belvedere.warehouse.graphs.statements import is_graph_update, run_update
from belvedere.warehouse.merging import merge_statement
from belvedere.warehouse.transaction import Transaction

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def execute(wh: Warehouse, text: str) -> Any:
    """A query gives a Result, explain a text, refresh its reports, create view the View, a change the number of rows."""
    if is_graph_update(text):
        with wh.transaction() as tx:
            return run_update(tx, text)
    statement = parse_statement(text)
    match statement:
        case st.Select(query=query):
            return wh.query(query)
        case st.Explain(view=view, query=query):
            if view is not None:
                return wh.view(view).explain()
            return str(wh.bound(query or "").node)
        case st.Refresh(name=name):
            return wh.refresh(name) if name else wh.refresh()
        case st.CreateView():
            return _create_view(wh, statement)
        case st.DropView(name=name, if_exists=maybe):
            if not (maybe and wh.registry.taken(name) != "view"):
                wh.drop_view(name)
            return None
        case _:
            with wh.transaction() as tx:
                return _change(tx, statement)


def _create_view(wh: Warehouse, s: st.CreateView) -> Any:
    taken = wh.registry.taken(s.name)
    if taken == "view" and s.if_not_exists:
        return wh.view(s.name)
    query = s.query
    if s.columns:
        bound = wh.bound(query)
        if len(bound.columns) != len(s.columns):
            raise BelvedereError(f"view {s.name!r} names {len(s.columns)} columns, and its query gives {len(bound.columns)}")
        items = ", ".join(f"{quote_name(old)} as {quote_name(new)}" for old, new in zip(bound.columns, s.columns, strict=True))
        query = f"select {items} from ({query}) as q"
    if taken == "view" and s.or_replace:
        wh.drop_view(s.name)
    return wh.create_view(s.name, query, mode=s.mode or "deferred")


def _change(tx: Transaction, statement: st.Statement) -> Any:
    match statement:
        case st.CreateTable():
            return _create_table(tx, statement)
        case st.Insert(table=table, columns=columns, query=query, overwrite=overwrite):
            return _insert(tx, table, columns, query, overwrite)
        case st.Update(table=table, assignments=assignments, where=where):
            return tx.update(table, dict(assignments), where=where)
        case st.Delete(table=table, where=where):
            return tx.delete(table, where=where or "true")
        case st.Merge():
            return merge_statement(tx, statement)
        case st.Truncate(table=table):
            return tx.truncate(table)
        case st.DropTable(name=name, if_exists=maybe):
            if not (maybe and tx.registry.taken(name) != "table"):
                tx.drop_relation(name)
            return None
        case st.AlterTable(table=table, action=action):
            return _alter(tx, table, action)
    raise BelvedereError(f"{type(statement).__name__} cannot run inside a transaction")


def _alter(tx: Transaction, table: str, action: Any) -> None:
    match action:
        case st.AddColumns(columns=columns):
            for c in columns:
                tx.add_attribute(table, c.name, c.type)
        case st.DropColumns(columns=names):
            for n in names:
                tx.drop_attribute(table, n)
        case st.RenameColumn(column=old, to=new):
            tx.rename_attribute(table, old, new)
        case st.RenameTable(to=new):
            tx.rename_relation(table, new)


def _create_table(tx: Transaction, s: st.CreateTable) -> int:
    taken = tx.registry.taken(s.name)
    if taken == "table" and s.if_not_exists:
        return 0
    if taken == "table" and s.or_replace:
        tx.drop_relation(s.name)
    if s.query is None:
        if s.schema is None:
            raise BelvedereError(f"create table {s.name!r} needs columns or a query")
        tx.create_table(s.name, s.schema, key=s.key or None)
        return 0
    bound = tx.bound(s.query)
    schema = Schema(tuple(Column(n, c.type) for n, c in zip(bound.columns, bound.node.schema, strict=True)))
    tx.create_table(s.name, schema, key=s.key or None)
    return _insert(tx, s.name, (), s.query, False)


def _insert(tx: Transaction, table: str, columns: tuple[str, ...], query: str, overwrite: bool) -> int:
    """Rows go in by position; columns that are not named are NULL."""
    c = tx.registry.table(table)
    low = {n.lower(): n for n in c.schema.names}
    named = []
    for n in columns:
        if n not in c.schema and n.lower() not in low:
            raise BelvedereError(f"table {c.name!r} has no column {n!r}")
        named.append(n if n in c.schema else low[n.lower()])
    names = named or list(c.schema.names)
    bound = tx.bound(query, unique=False)
    if len(bound.columns) != len(names):
        raise BelvedereError(f"insert into {c.name!r}: {len(names)} columns to fill, and {len(bound.columns)} values are given")
    rows = tx.cast_rows(bound.node, dict(zip(names, bound.node.schema.names, strict=True)), c)
    if overwrite:
        tx.truncate(c.name)
    tx.apply(c, rows)
    return int(sum(rows.column("_w").to_pylist()))
