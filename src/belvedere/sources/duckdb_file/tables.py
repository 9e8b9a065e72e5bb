"""The tables of a DuckDB file, in its main schema."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from belvedere.algebra.types import Array, Column, DataType, Map, Schema, Struct, from_arrow
from belvedere.errors import BelvedereError, TypeMismatch, UnknownName, suggest
from belvedere.sources.duckdb_file.connection import Connection, quote
from belvedere.sources.source import COMPARE, TableInfo

WHY = "DuckDB has no triggers that could tell"
_NONE = re.compile(r"\b(U?HUGEINT|TIME|TIMETZ|TIME_NS|INTERVAL|BIT|UNION|BIGNUM|VARINT|GEOMETRY|VARIANT|TIMESTAMP_NS)\b")
_STRANGE = re.compile(r"UUID|JSON|ENUM\(.*")


def describe(connection: Connection, wanted: Sequence[str] | None, *, missing: bool = False) -> list[TableInfo]:
    """The wanted tables, all if None; `missing` passes over those that are not there."""
    known = sizes_of(connection)
    names: list[str] = []
    for name in known if wanted is None else wanted:
        exact = name if name in known else None if missing else next((k for k in known if k.lower() == name.lower()), None)
        if exact is None and not missing:
            raise UnknownName(f"source {connection.name!r} has no table {name!r}{suggest(name, list(known))}")
        names += [exact] if exact else []
    return [_info(connection, n, known[n]) for n in names]


def sizes_of(connection: Connection) -> dict[str, int]:
    """All tables, each with an estimate of its rows."""
    return dict(
        connection.rows(
            """SELECT table_name, estimated_size FROM duckdb_tables()
                WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal AND NOT temporary
                ORDER BY table_name"""
        )
    )


def _info(connection: Connection, name: str, rows: int) -> TableInfo:
    keys = connection.rows(
        """SELECT constraint_column_names FROM duckdb_constraints() WHERE database_name = current_database()
              AND schema_name = 'main' AND table_name = ? AND constraint_type = 'PRIMARY KEY'""",
        (name,),
    )
    if not keys:
        raise BelvedereError(
            f"source {connection.name!r}: table {name!r} has no primary key, so its changes cannot be told apart; give it one "
            "(alter table … add primary key (…)), or leave it out with tables=[…]"
        )
    shown = connection.rows(
        """SELECT column_index, column_name, data_type FROM duckdb_columns() WHERE database_name = current_database()
              AND schema_name = 'main' AND table_name = ? ORDER BY column_index""",
        (name,),
    )
    arrow = connection.arrow(f"SELECT * FROM {quote(name)} LIMIT 0").schema
    columns = [Column(n, _type(connection, name, n, kind, arrow.field(n).type)) for _, n, kind in shown]
    plain = frozenset(
        c.name
        for c, (_, _, kind) in zip(columns, shown, strict=True)
        if not isinstance(c.type, (Array, Map, Struct)) and not _STRANGE.match(kind)
    )
    return TableInfo(
        name=name, schema=Schema(tuple(columns)), key=tuple(keys[0][0]), rows=int(rows), numbers=tuple(i for i, _, _ in shown),
        follow=COMPARE, why=WHY, equal=plain, ordered=plain,
        stamp=hashlib.sha256(repr((shown, keys)).encode()).hexdigest()[:16],
    )  # fmt: skip


def _type(connection: Connection, table: str, column: str, kind: str, arrow: object) -> DataType:
    if not _NONE.search(kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")):
        try:
            return from_arrow(arrow)
        except TypeMismatch:
            pass
    raise TypeMismatch(
        f"source {connection.name!r}: column {column!r} of table {table!r} is {kind}, which has no counterpart; change it, or "
        "leave the table out with tables=[…]"
    )
