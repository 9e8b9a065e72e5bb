"""The tables of a PostgreSQL schema: the one that the connection writes to, `current_schema()`."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from belvedere.algebra.types import Column, Schema, String
from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.sources.postgres.connection import Connection
from belvedere.sources.postgres.types import comparable, type_of
from belvedere.sources.source import COMPARE, LOG, TableInfo

_TABLES = """
SELECT c.oid, c.relname, c.relkind, c.relfilenode, c.reltuples, c.relhassubclass,
       (SELECT array_agg(a.attname::text ORDER BY k.place) FROM pg_index i
          CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
         WHERE i.indrelid = c.oid AND i.indisprimary)
  FROM pg_class c
 WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
   AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.relname NOT LIKE 'bv\\_log\\_%%'
 ORDER BY c.relname"""
_COLUMNS = """
SELECT a.attrelid, a.attnum, a.attname, b.typname, b.typtype,
       CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END, format_type(a.atttypid, a.atttypmod),
       coalesce(l.collisdeterministic, true),
       coalesce(CASE WHEN l.collname = 'default' THEN (SELECT datcollate FROM pg_database WHERE datname = current_database())
                     ELSE l.collcollate END, 'C') IN ('C', 'POSIX')
  FROM pg_attribute a
  JOIN pg_type t ON t.oid = a.atttypid
  JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
 WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attrelid, a.attnum"""


def describe(connection: Connection, wanted: Sequence[str] | None, *, missing: bool = False) -> list[TableInfo]:
    """The wanted tables, all if None, as the running transaction sees them; `missing` passes over those that are not there."""
    known = tables_of(connection)
    names = list(known) if wanted is None else [n for n in (_exact(connection, w, list(known), missing) for w in wanted) if n]
    columns = defaultdict(list)
    for row in connection.rows(_COLUMNS, ([known[n][0] for n in names],)):
        columns[row[0]].append(row[1:])
    return [_info(connection, known[n], columns[known[n][0]]) for n in names]


def tables_of(connection: Connection) -> dict[str, Sequence[Any]]:
    """All tables by their names."""
    return {r[1]: r for r in connection.rows(_TABLES, ())}


def _exact(connection: Connection, name: str, known: list[str], missing: bool) -> str | None:
    found = next((k for k in known if k == name), None)
    if found is None and not missing:
        found = next((k for k in known if k.lower() == name.lower()), None)
        if found is None:
            raise UnknownName(f"source {connection.name!r} has no table {name!r}{suggest(name, known)}")
    return found


def _info(connection: Connection, table: Sequence[Any], columns: Sequence[Sequence[Any]]) -> TableInfo:
    oid, name, kind, file, rows, children, key = table
    if not key:
        raise BelvedereError(
            f"source {connection.name!r}: table {name!r} has no primary key, so its changes cannot be told apart; give it one "
            "(alter table … add primary key (…)), or leave it out with tables=[…]"
        )
    made, equal, ordered = [], set(), set()
    for _, column, type_name, type_kind, modifier, shown, deterministic, plain in columns:
        t = type_of(connection.name, name, column, type_name, type_kind, modifier, shown)
        made.append(Column(column, t))
        if comparable(t, type_name, type_kind) and deterministic:
            equal.add(column)
            if plain or not isinstance(t, String):
                ordered.add(column)
    why = ""
    if kind == "p" or children:
        why = "it has partitions or children, which come and go without a trigger"
    shape = [(number, column, shown) for number, column, _, _, _, shown, _, _ in columns]
    return TableInfo(
        name=name, schema=Schema(tuple(made)), key=tuple(key), rows=max(0, int(rows)), numbers=tuple(c[0] for c in columns),
        permanent=True, follow=COMPARE if why else LOG, why=why, equal=frozenset(equal), ordered=frozenset(ordered),
        stamp=hashlib.sha256(repr((oid, file, shape, key)).encode()).hexdigest()[:16],
    )  # fmt: skip
