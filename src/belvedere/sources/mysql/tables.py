"""The tables of a MariaDB or MySQL database: columns, key, and whether triggers can see every change of them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from belvedere.algebra.types import Column, Schema, String
from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.sources.mysql.connection import Connection, Refused
from belvedere.sources.mysql.types import comparable, type_of
from belvedere.sources.source import COMPARE, LOG, TableInfo

_TABLES = """
SELECT table_name, engine, create_time, coalesce(table_rows, 0), create_options LIKE '%%partitioned%%'
  FROM information_schema.tables
 WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'bv!_log!_%%' ESCAPE '!'
 ORDER BY table_name"""
_COLUMNS = """
SELECT table_name, ordinal_position, column_name, data_type, column_type, numeric_precision, numeric_scale, character_set_name,
       collation_name
  FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position"""
_KEYS = """
SELECT table_name, column_name FROM information_schema.key_column_usage
 WHERE table_schema = DATABASE() AND constraint_name = 'PRIMARY' ORDER BY table_name, ordinal_position"""
_CASCADES = """
SELECT DISTINCT table_name FROM information_schema.referential_constraints
 WHERE constraint_schema = DATABASE()
   AND (delete_rule NOT IN ('RESTRICT', 'NO ACTION') OR update_rule NOT IN ('RESTRICT', 'NO ACTION'))"""


@dataclass(frozen=True)
class Described:
    """A table, with what only this system wants to know: native types, (character set, collation) of its texts, and whether
    its stamp changes when it is truncated."""

    info: TableInfo
    native: tuple[str, ...]
    collations: dict[str, tuple[str, str]]
    identified: bool


def describe(connection: Connection, wanted: Sequence[str] | None, *, missing: bool = False) -> list[Described]:
    """The wanted tables, all if None; `missing` passes over those that are not there."""
    known = tables_of(connection)
    names = list(known) if wanted is None else [n for n in (_exact(connection, w, list(known), missing) for w in wanted) if n]
    columns, keys = defaultdict(list), defaultdict(list)
    for table, *row in connection.rows(_COLUMNS):
        columns[table].append(row)
    for table, column in connection.rows(_KEYS):
        keys[table].append(column)
    cascades = {t for (t,) in connection.rows(_CASCADES)}
    return [_described(connection, known[n], columns[n], tuple(keys[n]), n in cascades) for n in names]


def tables_of(connection: Connection) -> dict[str, Sequence[Any]]:
    """All tables by their names."""
    return {r[0]: r for r in connection.rows(_TABLES, ())}


def _exact(connection: Connection, name: str, known: list[str], missing: bool) -> str | None:
    found = next((k for k in known if k == name), None)
    if found is None and not missing:
        found = next((k for k in known if k.lower() == name.lower()), None)
        if found is None:
            raise UnknownName(f"source {connection.name!r} has no table {name!r}{suggest(name, known)}")
    return found


def _described(
    connection: Connection, table: Sequence[Any], columns: Sequence[Sequence[Any]], key: tuple[str, ...], cascades: bool
) -> Described:
    name, engine, created, rows, partitioned = table
    _check(connection, name, engine, key)
    made, equal, ordered, collations, shape = [], set(), set(), {}, []
    for number, column, kind, shown, precision, scale, charset, collation in columns:
        t = type_of(connection.name, name, column, kind, shown, precision, scale)
        made.append(Column(column, t))
        shape.append((number, column, shown, charset, collation))
        if charset:
            collations[column] = (charset, collation)
        if comparable(kind):
            equal.add(column)
            if not isinstance(t, String):
                ordered.add(column)
    why = "rows that a foreign key cascades to change without a trigger" if cascades else ""
    why = "its partitions come and go without a trigger" if partitioned else why
    identity = _identity(connection, name)
    stamp = repr((str(created), identity, shape, key))
    info = TableInfo(
        name=name, schema=Schema(tuple(made)), key=key, rows=int(rows), numbers=tuple(c[0] for c in columns),
        follow=COMPARE if why else LOG, why=why, equal=frozenset(equal), ordered=frozenset(ordered),
        stamp=hashlib.sha256(stamp.encode()).hexdigest()[:16],
    )  # fmt: skip
    return Described(info, tuple(c[3] for c in columns), collations, identity is not None)


def _check(connection: Connection, name: str, engine: str, key: tuple[str, ...]) -> None:
    if engine != "InnoDB":
        raise BelvedereError(
            f"source {connection.name!r}: table {name!r} is kept by {engine}, which knows no transactions; alter it to "
            "engine=InnoDB, or leave it out with tables=[…]"
        )
    if not key:
        raise BelvedereError(
            f"source {connection.name!r}: table {name!r} has no primary key, so its changes cannot be told apart; give it one "
            "(alter table … add primary key (…)), or leave it out with tables=[…]"
        )


def _identity(connection: Connection, table: str) -> int | None:
    """InnoDB's number of the table, which changes when it is truncated; None where we may not see it."""
    for view in ("innodb_sys_tables", "innodb_tables"):
        try:
            rows = connection.rows(
                f"""SELECT table_id FROM information_schema.{view}
                     WHERE name = CONCAT(CONVERT(DATABASE() USING filename), '/', CONVERT(%s USING filename))""",
                (table,),
            )
        except Refused:
            continue
        if rows:
            return int(rows[0][0])
    return None
