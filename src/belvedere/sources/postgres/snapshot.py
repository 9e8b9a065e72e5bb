"""One state of a PostgreSQL database: a repeatable-read transaction that also keeps others from truncating its tables."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.changes.zset import WEIGHT, consolidate
from belvedere.errors import TypeMismatch
from belvedere.sources.asking import translated
from belvedere.sources.postgres import log
from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.postgres.parts import SharedTable
from belvedere.sources.postgres.types import there
from belvedere.sources.rows import schema_of, to_arrow
from belvedere.sources.source import NUL, LogLost, Position, TableInfo, Watch

#: given rows travel inside the statement up to so many, then as a temporary table
LISTED = 5_000


class PostgresSnapshot:
    """Reads inside the transaction that the source has begun."""

    lacks = frozenset({NUL})

    def __init__(self, connection: Connection, tables: Mapping[str, TableInfo], watch: Watch | None) -> None:
        self._connection = connection
        self.tables = tables
        self._watch = watch or Watch("")
        self.moved_seconds = 0.0
        self._given = 0
        # the timeline changes when a standby takes over, which may have missed the last transactions
        [(self._snapshot, self._last, self._timeline)] = connection.rows(
            "SELECT pg_current_snapshot()::text, pg_snapshot_xmax(pg_current_snapshot())::text::int8, "
            "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
        )

    def position(self) -> Position:
        return {"snapshot": self._snapshot, "last": self._last, "timeline": self._timeline, "logs": dict(self._watch.tables)}

    def changes(self, table: str, after: Position) -> pa.Table:
        info = self.tables[table]
        self._check(info)
        if after.get("logs", {}).get(table) != self._watch.tables[table]:
            raise LogLost(table, "its log is newer than what was read before")
        if after["timeline"] != self._timeline or after["last"] > self._last:
            raise LogLost(table, "the server was restored or replaced by another one")
        rows = self._entries(info, after)
        weighted = Schema((*info.schema.columns, Column(WEIGHT, BigInt())))
        try:
            return consolidate(self._arrow(rows, weighted, table))
        except TypeMismatch as e:
            raise LogLost(table, f"a value in it does not fit ({e})") from e

    def _check(self, info: TableInfo) -> None:
        """LogLost if a table's log is not whole."""
        log.check(self._connection, info, self._watch)

    def _entries(self, info: TableInfo, after: Position) -> list[tuple[Any, ...]]:
        """Rows with their weight last, of the transactions that a position had not seen and this state has."""
        name = log.log_name(self._watch.token, self._watch.tables[info.name])
        return log.entries(self._connection, name, info, after["snapshot"])

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        info = self.tables[table]
        schema = info.schema.select(tuple(columns or info.schema.names))
        sql = f"SELECT {', '.join(quote(n) for n in schema.names)} FROM {quote(table)}"
        for rows in self._connection.stream(sql, self._connection.address.settings.batch):
            yield self._arrow(rows, schema, table)

    def share(self, table: str) -> SharedTable:
        return SharedTable(self._connection, self.tables[table])

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        schemas = {n: schema_of(t) for n, t in inputs.items()}
        large = {n: self._temporary(t, schemas[n]) for n, t in inputs.items() if t.num_rows > LISTED}
        sql = translated(select, schemas, self.tables, lambda n: exp.to_table(large.get(n, n), quoted=True), "postgres")
        listed = [n for n in inputs if n not in large]
        values = [inputs[n][c].to_pylist() for n in listed for c in schemas[n].names]
        if listed:
            parts = ", ".join(_listed(n, schemas[n]) for n in listed)
            sql = f"WITH {parts} {sql}".replace("%", "%%").replace("\x00", "%s")
        rows = self._connection.rows(sql, values if listed else None)
        return self._arrow(rows, types, "an answer")

    def _temporary(self, table: pa.Table, schema: Schema) -> str:
        self._given += 1
        name = f"bv_given_{self._given}"
        began = time.perf_counter()
        columns = ", ".join(f"{quote(c.name)} {there(c.type)}" for c in schema)
        self._connection.run(f"CREATE TEMPORARY TABLE {name} ({columns}) ON COMMIT DROP")
        rows = list(zip(*(table[c].to_pylist() for c in schema.names), strict=True))
        self._connection.copy(f"COPY {name} FROM STDIN", rows)
        self._connection.run(f"ANALYZE {name}")
        self.moved_seconds += time.perf_counter() - began
        return name

    def _arrow(self, rows: Sequence[Sequence[object]], schema: Schema, what: str) -> pa.Table:
        began = time.perf_counter()
        made = to_arrow(rows, schema, f"source {self._connection.name}, {what}")
        self.moved_seconds += time.perf_counter() - began
        return made


def _listed(name: str, schema: Schema) -> str:
    """Given rows as arrays, one for each column; NUL stands where each goes."""
    arrays = ", ".join(f"\x00::{there(c.type)}[]" for c in schema)
    columns = ", ".join(quote(n) for n in schema.names)
    return f"{quote(name)} AS (SELECT * FROM unnest({arrays}) AS t({columns}))"
