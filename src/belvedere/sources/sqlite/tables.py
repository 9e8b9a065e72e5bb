"""The tables of a SQLite file: columns, key, unique keys, and whether triggers can see every change of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from belvedere.algebra.types import Column, Schema, String
from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.sources.source import COMPARE, LOG, TableInfo
from belvedere.sources.sqlite.connection import Connection, quote
from belvedere.sources.sqlite.types import compares, type_of


@dataclass(frozen=True)
class Unique:
    """Columns that may hold a combination of values once, each with its collation."""

    columns: tuple[tuple[str, str], ...]


def describe(connection: Connection, wanted: Sequence[str] | None) -> list[TableInfo]:
    """The wanted tables, all if None, as the running transaction sees them."""
    texts = texts_of(connection)
    names = list(texts) if wanted is None else [_exact(connection, n, list(texts)) for n in wanted]
    return [table_info(connection, n, texts[n]) for n in names]


def texts_of(connection: Connection) -> dict[str, str]:
    """All tables, each with the statement that made it."""
    return dict(
        connection.rows(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'bv\\_log\\_%' ESCAPE '\\' ORDER BY name"
        )
    )


def _exact(connection: Connection, name: str, known: list[str]) -> str:
    found = next((k for k in known if k == name), None) or next((k for k in known if k.lower() == name.lower()), None)
    if found is None:
        raise UnknownName(f"source {connection.name!r} has no table {name!r}{suggest(name, known)}")
    return found


def table_info(connection: Connection, name: str, text: str) -> TableInfo:
    columns, keys, numbers = [], {}, []
    shown = connection.rows("SELECT cid, name, type, pk, hidden FROM pragma_table_xinfo(?)", (name,))
    for cid, column, declared, pk, hidden in shown:
        if hidden == 1:
            continue
        columns.append(Column(column, type_of(connection.name, name, column, declared)))
        numbers.append(cid)
        if pk:
            keys[pk] = column
    if not keys:
        raise BelvedereError(
            f"source {connection.name!r}: table {name!r} has no primary key, so its changes cannot be told apart; give it one, "
            "or leave it out with tables=[…]"
        )
    schema = Schema(tuple(columns))
    key = tuple(keys[i] for i in sorted(keys))
    # a column may have a collation of its own; which one, only the text of the table says
    special = "collate" in text.lower()
    equal = frozenset(c.name for c in schema if compares(c.type) and not (isinstance(c.type, String) and special))
    [(encoding,)] = connection.rows("PRAGMA encoding")
    ordered = equal if encoding == "UTF-8" else frozenset(n for n in equal if not isinstance(schema[n].type, String))
    why = _unseen(connection, name)
    stamp = hashlib.sha256(repr((text, uniques(connection, name, key))).encode()).hexdigest()[:16]
    return TableInfo(
        name=name, schema=schema, key=key, rows=_estimate(connection, name, text), numbers=tuple(numbers),
        follow=COMPARE if why else LOG, why=why, equal=equal, ordered=ordered, stamp=stamp,
    )  # fmt: skip


def _estimate(connection: Connection, name: str, text: str) -> int:
    """The largest row number, which costs nothing to find; a table without row numbers is counted."""
    what = "count(*)" if "without" in text.lower() else "max(_rowid_)"
    [(rows,)] = connection.rows(f"SELECT {what} FROM {quote(name)}")
    return max(0, rows or 0)


def uniques(connection: Connection, name: str, key: Sequence[str]) -> list[Unique]:
    """All combinations that REPLACE can find taken: the key's, and those of unique indexes."""
    found = {Unique(tuple((k, "BINARY") for k in key))}
    for (index,) in connection.rows('SELECT name FROM pragma_index_list(?) WHERE "unique"', (name,)):
        parts = connection.rows("SELECT name, coll FROM pragma_index_xinfo(?) WHERE key", (index,))
        found.add(Unique(tuple((column, coll) for column, coll in parts)))
    return sorted(found, key=lambda u: u.columns)


def _unseen(connection: Connection, name: str) -> str:
    """Why triggers would miss changes, or nothing."""
    for index, partial in connection.rows('SELECT name, partial FROM pragma_index_list(?) WHERE "unique"', (name,)):
        expressions = connection.rows("SELECT 1 FROM pragma_index_xinfo(?) WHERE key AND cid < 0", (index,))
        if partial or expressions:
            return f"the unique index {index!r} is over a part or an expression, so what REPLACE takes away is not known"
    return ""
