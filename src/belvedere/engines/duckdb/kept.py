"""Statements over few rows, prepared once and run again over other rows.

To parse, bind and optimize a statement costs DuckDB three times what it costs to run it over a few rows, and a view refreshes
with the same statement every time. So such a statement, or any other that comes again, is prepared over **slots** if all of its
scans are small: streams that give whatever rows they hold when the statement runs. Plans over few rows need no statistics to be
good. One that is seen for the first time reads the same rows in the same way, without being kept: no file is opened for it.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import duckdb
import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.algebra.types import DataType, Schema
from belvedere.engines.arrow import negated
from belvedere.engines.duckdb.fetching import rows_of
from belvedere.engines.duckdb.streams import Stream, Streams
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.engines.sql import Slot, Statement
from belvedere.engines.sql.names import quoted
from belvedere.store.inlined import is_inlined
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns

#: rows of all scans together, up to which a statement is small
FEW = 131_072
#: rows in files that are taken for small ones whatever they hold, and bytes of files with more rows than that
IN_FILES, BYTES = 16_384, 16 << 20
#: prepared statements that are kept, and statements that were seen once
LIMIT, SEEN = 512, 64


#: (name in files, identifier in the statement, type) of each column, the weight last
Fields = list[tuple[str, str, pa.DataType]]
#: a statement, and the columns of what it reads: those that a name stands for can be others after a schema change
Key = tuple[Statement, tuple[tuple[tuple[str, DataType], ...], ...]]


@dataclass(frozen=True)
class Prepared:
    name: str
    text: str
    streams: tuple[Stream, ...]
    fields: tuple[Fields, ...]


@dataclass
class Kept:
    """The prepared statements of one connection, which run one at a time."""

    runs: SmallRuns
    _seen: OrderedDict[Key, None] = field(default_factory=OrderedDict)
    _prepared: OrderedDict[Key, Prepared] = field(default_factory=OrderedDict)
    _streams: Streams = field(default_factory=Streams)
    _number: int = 0

    def forget(self) -> None:
        """The connection is gone, or knows other functions."""
        self._seen.clear()
        self._prepared.clear()
        self._streams.forget()

    def holds(self, key: Key) -> bool:
        """Whether it is prepared."""
        return key in self._prepared

    def due(self, statement: Statement, ask: Callable[[Get], Scan], few: int) -> Key | None:
        """What to run it by, if it is to be run this way: it reads no more than a few rows."""
        scans = [ask(s.get) for s in statement.slots]
        if not self.small(scans, few):
            return None
        pairs = zip(statement.slots, scans, strict=True)
        return (statement, tuple(tuple((s.physical(c), s.schema[c].type) for c, _ in slot.columns) for slot, s in pairs))

    @staticmethod
    def small(scans: list[Scan], few: int) -> bool:
        """Whether a statement over these reads no more than a few rows."""
        if not scans or sum(s.rows for s in scans) > few:
            return False
        stored = [s for s in scans if s.files or s.negative]
        return sum(s.rows for s in stored) <= IN_FILES or _bytes(stored) <= BYTES

    def returns(self, key: Key) -> bool:
        """Whether it has been seen before; it is from now on."""
        if key in self._prepared or key in self._seen:
            return True
        self._seen[key] = None
        if len(self._seen) > SEEN:
            self._seen.popitem(last=False)
        return False

    def once(self, con: duckdb.DuckDBPyConnection, key: Key, ask: Callable[[Get], Scan]) -> tuple[pa.Table, Metrics]:
        """The statement over what its scans hold now, and nothing of it is kept. Nothing is counted: it is a query's."""
        statement, _ = key
        scans = [ask(s.get) for s in statement.slots]
        fields, streams = self._slots(con, statement, scans)
        try:
            text = self._written(statement, streams)
            for stream, scan, columns in zip(streams, scans, fields, strict=True):
                stream.table = self._read(scan, columns)
            return rows_of(con, text), Metrics(sql=text)
        finally:
            _emptied(streams)
            self._streams.give_back(con, streams)

    def run(self, con: duckdb.DuckDBPyConnection, key: Key, ask: Callable[[Get], Scan]) -> tuple[pa.Table, Metrics]:
        """The statement over what its scans hold now. The caller holds the connection."""
        start = perf_counter()
        statement, _ = key
        scans = [ask(s.get) for s in statement.slots]
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self._prepared[key] = self._prepare(con, statement, scans)
            self._seen.pop(key, None)
            if len(self._prepared) > LIMIT:
                self._drop(con, self._prepared.popitem(last=False)[1])
        else:
            self._prepared.move_to_end(key)
        metrics = Metrics(sql=prepared.text)
        try:
            for slot, scan, fields, stream in zip(statement.slots, scans, prepared.fields, prepared.streams, strict=True):
                stream.table = self._read(scan, fields)
                metrics.files += scan.opened
                # what is held between two steps, or was looked up before, was counted when it was read
                if not slot.get.name.startswith("\0") and not scan.counted:
                    metrics.scanned[slot.get.name] = metrics.scanned.get(slot.get.name, 0) + stream.table.num_rows
            found = rows_of(con, f"EXECUTE {prepared.name}")
        finally:
            _emptied(prepared.streams)  # nothing is held on to between two refreshes
        metrics.rows_read = metrics.fetched = sum(metrics.scanned.values())
        metrics.seconds = perf_counter() - start
        return found, metrics

    def _prepare(self, con: duckdb.DuckDBPyConnection, statement: Statement, scans: list[Scan]) -> Prepared:
        fields, streams = self._slots(con, statement, scans)
        self._number += 1
        prepared = Prepared(f"kept_{self._number}", self._written(statement, streams), streams, fields)
        try:
            con.execute(f"PREPARE {prepared.name} AS {prepared.text}")
        except BaseException:
            self._streams.give_back(con, streams)
            raise
        return prepared

    def _slots(
        self, con: duckdb.DuckDBPyConnection, statement: Statement, scans: list[Scan]
    ) -> tuple[tuple[Fields, ...], tuple[Stream, ...]]:
        """What each slot must hold, and the stream that gives it."""
        fields = tuple(_fields(slot, scan) for slot, scan in zip(statement.slots, scans, strict=True))
        return fields, self._streams.take(con, [_schema(f) for f in fields])

    @staticmethod
    def _written(statement: Statement, streams: tuple[Stream, ...]) -> str:
        names = {slot.name: stream.name for slot, stream in zip(statement.slots, streams, strict=True)}

        def select(slot: Slot) -> str:
            items = ", ".join(quoted(name, '"') for _, name in slot.columns)
            return f"SELECT {items}{', ' if items else ''}_w FROM {names[slot.name]}"

        return statement.render("duckdb", select)

    def _drop(self, con: duckdb.DuckDBPyConnection, prepared: Prepared) -> None:
        con.execute(f"DEALLOCATE {prepared.name}")
        self._streams.give_back(con, prepared.streams)

    def _read(self, scan: Scan, fields: Fields) -> pa.Table:
        """All rows of a scan, as one table with the identifiers of the slot."""
        parts = [_fitted(self.runs.read(f), fields) for f in scan.files]
        parts += [negated(_fitted(self.runs.read(f), fields)) for f in scan.negative]
        parts += [_fitted(t, fields) for t in scan.tables if t.num_rows]
        return pa.concat_tables(parts) if parts else _schema(fields).empty_table()


def _emptied(streams: tuple[Stream, ...]) -> None:
    for stream in streams:
        stream.table = stream.nothing


def _bytes(scans: list[Scan]) -> int:
    return sum(os.path.getsize(f) for f in {f for s in scans for f in (*s.files, *s.negative)} if not is_inlined(f))


def _fields(slot: Slot, scan: Scan) -> Fields:
    columns = tuple(dict.fromkeys(scan.schema[source] for source, _ in slot.columns))
    known = {f.name: f.type for f in physical_schema(Schema(columns))}
    named = [(scan.physical(source), name) for source, name in slot.columns]
    return [*((c, n, known[c]) for c, n in named), ("_w", "_w", pa.int64())]


def _schema(fields: Fields) -> pa.Schema:
    return pa.schema([pa.field(n, t) for _, n, t in fields])


def _fitted(table: pa.Table, fields: Fields) -> pa.Table:
    """These columns of a run; one that was added to the collection later is NULL."""
    columns = []
    for name, _, wanted in fields:
        at = table.schema.get_field_index(name)
        if at < 0:
            columns.append(pa.nulls(table.num_rows, wanted))
        else:
            values = table.column(at)
            columns.append(values if values.type == wanted else values.cast(wanted))
    return pa.Table.from_arrays(columns, names=[n for _, n, _ in fields])
