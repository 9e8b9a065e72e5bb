"""One state of a DuckDB file: a transaction."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import Schema
from belvedere.changes.rows import to_table
from belvedere.sources.asking import translated
from belvedere.sources.duckdb_file.connection import Connection, quote
from belvedere.sources.duckdb_file.tables import WHY
from belvedere.sources.rows import schema_of
from belvedere.sources.source import LogLost, Position, TableInfo


class DuckDBFileSnapshot:
    """Reads inside the transaction that the source has begun; `fingerprint` is the file's from before it began."""

    lacks: frozenset[str] = frozenset()

    def __init__(self, connection: Connection, tables: Mapping[str, TableInfo], fingerprint: str | None) -> None:
        self._connection = connection
        self.tables = tables
        self._fingerprint = fingerprint
        self.moved_seconds = 0.0

    def position(self) -> Position:
        """There is no log; but a file that was not written to has not changed."""
        return {"unchanged": {} if self._fingerprint is None else dict.fromkeys(self.tables, self._fingerprint)}

    def changes(self, table: str, after: Position) -> pa.Table:
        raise LogLost(table, WHY)

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        info = self.tables[table]
        schema = info.schema.select(tuple(columns or info.schema.names))
        sql = f"SELECT {', '.join(quote(n) for n in schema.names)} FROM {quote(table)}"
        for batch in self._connection.stream(sql, self._connection.address.settings.batch):
            yield self._typed(pa.Table.from_batches([batch]), schema, table)

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        schemas = {n: schema_of(t) for n, t in inputs.items()}
        names = {n: f"bv_given_{i}" for i, n in enumerate(inputs)}
        sql = translated(select, schemas, self.tables, lambda n: exp.to_table(names[n]), "duckdb")
        with self._connection.given({names[n]: t for n, t in inputs.items()}):
            return self._typed(self._connection.arrow(sql).rename_columns(list(types.names)), types, "an answer")

    def _typed(self, table: pa.Table, schema: Schema, what: str) -> pa.Table:
        began = time.perf_counter()
        made = to_table(table, schema, what=f"source {self._connection.name}, {what}")
        self.moved_seconds += time.perf_counter() - began
        return made
