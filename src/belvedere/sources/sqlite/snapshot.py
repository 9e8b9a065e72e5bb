"""One state of a SQLite file: a read transaction."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.changes.zset import WEIGHT, consolidate
from belvedere.errors import TypeMismatch
from belvedere.sources.asking import translated
from belvedere.sources.rows import schema_of, to_arrow
from belvedere.sources.source import LOG, NAN, LogLost, Position, TableInfo, Watch
from belvedere.sources.sqlite import log
from belvedere.sources.sqlite.connection import Connection, quote
from belvedere.sources.sqlite.types import decode_of, encode


class SQLiteSnapshot:
    """Reads inside the transaction that the source has begun."""

    lacks = frozenset({NAN})

    def __init__(self, connection: Connection, tables: Mapping[str, TableInfo], watch: Watch | None) -> None:
        self._connection = connection
        self.tables = tables
        self._watch = watch or Watch("")
        self.moved_seconds = 0.0
        self._given = 0

    def position(self) -> Position:
        found = {}
        for name, number in self._watch.tables.items():
            if name in self.tables and self.tables[name].follow == LOG:
                table = log.log_name(self._watch.token, number)
                try:
                    log.check(self._connection, self.tables[name], self._watch)
                except LogLost:
                    continue
                [(found[name],)] = self._connection.rows(f"SELECT max(bv_seq) FROM {table}")
        return {"seq": found, "logs": {n: self._watch.tables[n] for n in found}}

    def changes(self, table: str, after: Position) -> pa.Table:
        info = self.tables[table]
        name = log.check(self._connection, info, self._watch)
        if after.get("logs", {}).get(table) != self._watch.tables[table]:
            raise LogLost(table, "its log is newer than what was read before")
        rows = log.entries(self._connection, name, info, after["seq"][table])
        weighted = Schema((*info.schema.columns, Column(WEIGHT, BigInt())))
        try:
            return consolidate(self._arrow(rows, weighted, table))
        except TypeMismatch as e:
            raise LogLost(table, f"a value in it does not fit ({e})") from e

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        info = self.tables[table]
        schema = info.schema.select(tuple(columns or info.schema.names))
        sql = f"SELECT {', '.join(quote(n) for n in schema.names)} FROM {quote(table)}"
        for rows in self._connection.stream(sql, self._connection.address.settings.batch):
            yield self._arrow(rows, schema, table)

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        given = {n: self._give(t) for n, t in inputs.items()}
        schemas = {n: schema_of(t) for n, t in inputs.items()}
        sql = translated(select, schemas, self.tables, lambda n: exp.to_table(given[n]), "sqlite")
        try:
            return self._arrow(self._connection.rows(sql), types, "an answer")
        finally:
            for name in given.values():
                self._connection.run(f"DROP TABLE {name}")

    def _give(self, table: pa.Table) -> str:
        """A temporary table: in SQLite as cheap as a list of values, and writing one locks nobody out."""
        self._given += 1
        name = f"temp.bv_given_{self._given}"
        schema = schema_of(table)
        self._connection.run(f"CREATE TABLE {name} ({', '.join(quote(n) for n in schema.names)})")
        columns = [[None if v is None else encode(v, c.type) for v in table[c.name].to_pylist()] for c in schema]
        marks = ", ".join("?" for _ in columns)
        self._connection.many(f"INSERT INTO {name} VALUES ({marks})", list(zip(*columns, strict=True)))
        return name

    def _arrow(self, rows: Sequence[Sequence[object]], schema: Schema, what: str) -> pa.Table:
        began = time.perf_counter()
        made = to_arrow(rows, schema, f"source {self._connection.name}, {what}", [decode_of(c.type) for c in schema])
        self.moved_seconds += time.perf_counter() - began
        return made
