"""One state of a MariaDB or MySQL database: a transaction with a consistent snapshot, whose tables nobody can alter."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import BigInt, Binary, Column, DataType, Float, Schema
from belvedere.changes.zset import WEIGHT, consolidate
from belvedere.errors import TypeMismatch
from belvedere.sources.asking import EQUALITIES, translated
from belvedere.sources.mysql import log
from belvedere.sources.mysql.connection import Connection, quote
from belvedere.sources.mysql.tables import Described
from belvedere.sources.mysql.types import decode_of, encode, there
from belvedere.sources.rows import schema_of, to_arrow
from belvedere.sources.source import INFINITY, LOG, NAN, LogLost, Position, TableInfo, Watch


class MySQLSnapshot:
    """Reads inside the transaction that the source has begun."""

    lacks = frozenset({NAN, INFINITY})

    def __init__(self, connection: Connection, tables: Mapping[str, Described], watch: Watch | None) -> None:
        self._connection = connection
        self._described = tables
        self.tables: Mapping[str, TableInfo] = {n: t.info for n, t in tables.items()}
        self._watch = watch or Watch("")
        self.moved_seconds = 0.0
        self._given = 0

    @cached_property
    def _position(self) -> Position:
        read: dict[str, log.Ranges] = {}
        counts: dict[str, int] = {}
        for name in self._watch.tables:
            if name not in self.tables or self.tables[name].follow != LOG:
                continue
            try:
                table = log.check(self._connection, self.tables[name], self._watch)
            except LogLost:
                continue
            read[name] = log.ranges(n for (n,) in self._connection.rows(f"SELECT bv_seq FROM {table} ORDER BY bv_seq"))
            if not self._described[name].identified:
                [(counts[name],)] = self._connection.rows(f"SELECT count(*) FROM {quote(name)}")
        return {"read": read, "logs": {n: self._watch.tables[n] for n in read}, "counts": counts}

    def position(self) -> Position:
        return dict(self._position)

    def changes(self, table: str, after: Position) -> pa.Table:
        info = self.tables[table]
        name = log.check(self._connection, info, self._watch)
        if after.get("logs", {}).get(table) != self._watch.tables[table]:
            raise LogLost(table, "its log is newer than what was read before")
        columns = ", ".join(_reading(f"c{i}", c.type) for i, c in enumerate(info.schema))
        before = after["read"][table]
        rows = self._connection.rows(f"SELECT {columns}, bv_w, bv_seq FROM {name} WHERE bv_w <> 0 ORDER BY bv_seq")
        new = [r[:-1] for r, fresh in zip(rows, log.unread([r[-1] for r in rows], before), strict=True) if fresh]
        # TRUNCATE fires no trigger; where nothing else tells, the number of rows does
        count = self._position["counts"].get(table)
        if count is not None and after["counts"].get(table, -1) + sum(r[-1] for r in new) != count:
            raise LogLost(table, "rows came or went without an entry in it")
        weighted = Schema((*info.schema.columns, Column(WEIGHT, BigInt())))
        try:
            return consolidate(self._arrow(new, weighted, table))
        except TypeMismatch as e:
            raise LogLost(table, f"a value in it does not fit ({e})") from e

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        info = self.tables[table]
        schema = info.schema.select(tuple(columns or info.schema.names))
        sql = f"SELECT {', '.join(_reading(quote(c.name), c.type) for c in schema)} FROM {quote(table)}"
        for rows in self._connection.stream(sql, self._connection.address.settings.batch):
            yield self._arrow(rows, schema, table)

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        schemas = {n: schema_of(t) for n, t in inputs.items()}
        collations = self._collations(select, inputs)
        given = {n: self._temporary(t, schemas[n], collations.get(n, {})) for n, t in inputs.items()}
        try:
            sql = translated(select, schemas, self.tables, lambda n: exp.to_table(given[n]), "mysql", shown=_shown(types))
            return self._arrow(self._connection.rows(sql), types, "an answer")
        finally:
            for name in given.values():
                self._connection.run(f"DROP TEMPORARY TABLE {name}")

    def _collations(self, select: exp.Select, inputs: Mapping[str, pa.Table]) -> dict[str, dict[str, tuple[str, str]]]:
        """For each given column, those of the column that it is compared with, so that the source can use its index."""
        names = {t.alias_or_name: t.name for t in select.find_all(exp.Table)}
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for node in select.find_all(*EQUALITIES):
            for ours, other in ((node.this, node.expression), (node.expression, node.this)):
                if not (isinstance(ours, exp.Column) and isinstance(other, exp.Column)):
                    continue
                source, target = names.get(ours.table, ""), names.get(other.table, "")
                if source in inputs and target in self._described:
                    collation = self._described[target].collations.get(other.name)
                    if collation is not None:
                        found.setdefault(source, {}).setdefault(ours.name, collation)
        return found

    def _temporary(self, table: pa.Table, schema: Schema, collations: Mapping[str, tuple[str, str]]) -> str:
        """Given rows as a temporary table; making one does not end the transaction."""
        self._given += 1
        name = f"bv_given_{self._given}"
        began = time.perf_counter()
        columns = ", ".join(f"{quote(c.name)} {there(c.type, collations.get(c.name))}" for c in schema)
        self._connection.run(f"CREATE TEMPORARY TABLE {name} ({columns})")
        values = [[None if v is None else encode(v, c.type) for v in table[c.name].to_pylist()] for c in schema]
        # the driver writes bytes with backslashes, which mean nothing here
        marks = ", ".join("UNHEX(%s)" if isinstance(c.type, Binary) else "%s" for c in schema)
        if table.num_rows:
            self._connection.many(f"INSERT INTO {name} VALUES ({marks})", list(zip(*values, strict=True)))
        self.moved_seconds += time.perf_counter() - began
        return name

    def _arrow(self, rows: Sequence[Sequence[object]], schema: Schema, what: str) -> pa.Table:
        began = time.perf_counter()
        made = to_arrow(rows, schema, f"source {self._connection.name}, {what}", [decode_of(c.type) for c in schema])
        self.moved_seconds += time.perf_counter() - began
        return made


def _shown(types: Schema) -> Callable[[int, exp.Expr], exp.Expr]:
    def shown(place: int, item: exp.Expr) -> exp.Expr:
        return exp.cast(item, "double") if isinstance(types.columns[place].type, Float) else item

    return shown


def _reading(column: str, t: DataType) -> str:
    """A float is written with six digits only, unless it is asked for as a double."""
    return f"CAST({column} AS DOUBLE)" if isinstance(t, Float) else column
