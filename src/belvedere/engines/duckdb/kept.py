"""Statements over few rows, prepared once and run again over other rows.

To parse, bind and optimize a statement costs DuckDB three times what it costs to run it over a few rows, and a view refreshes
with the same statement every time. So a statement that comes again, all of whose scans are small, is prepared over **slots**:
streams that give whatever rows they hold when the statement runs. Plans over few rows need no statistics to be good.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.ops import Get
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.engines.sql import Slot, Statement
from belvedere.engines.sql.names import quoted
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns

#: rows of all scans together, up to which a statement is small
FEW = 16_384
#: prepared statements that are kept, and statements that were seen once
LIMIT = 256


@dataclass
class Rows:
    """A table that DuckDB reads as a stream; it may be another one the next time."""

    table: pa.Table

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


@dataclass(frozen=True)
class Prepared:
    name: str
    text: str
    slots: tuple[tuple[Slot, Rows], ...]


@dataclass
class Kept:
    """The prepared statements of one connection."""

    runs: SmallRuns
    _seen: OrderedDict[tuple[Any, ...], None] = field(default_factory=OrderedDict)
    _prepared: OrderedDict[tuple[Any, ...], Prepared] = field(default_factory=OrderedDict)
    _number: int = 0

    def forget(self) -> None:
        """The connection is gone, or knows other functions."""
        self._seen.clear()
        self._prepared.clear()

    def due(self, statement: Statement, ask: Callable[[Get], Scan]) -> bool:
        """Whether to run it this way: it reads little, and it has been seen before."""
        scans = [ask(s.get) for s in statement.slots]
        if not scans or sum(s.rows for s in scans) > FEW:
            return False
        key = _key(statement, scans)
        if key in self._prepared or key in self._seen:
            return True
        self._seen[key] = None
        if len(self._seen) > LIMIT:
            self._seen.popitem(last=False)
        return False

    def run(self, con: duckdb.DuckDBPyConnection, statement: Statement, ask: Callable[[Get], Scan]) -> tuple[pa.Table, Metrics]:
        """The statement over what its scans hold now. The caller holds the connection."""
        start = perf_counter()
        metrics = Metrics()
        scans = [ask(s.get) for s in statement.slots]
        tables = [self._rows(slot, scan, metrics) for slot, scan in zip(statement.slots, scans, strict=True)]
        key = _key(statement, scans)
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self._prepared[key] = self._prepare(con, statement, tables)
            self._seen.pop(key, None)
            if len(self._prepared) > LIMIT:
                self._drop(con, self._prepared.popitem(last=False)[1])
        else:
            self._prepared.move_to_end(key)
            for (_, rows), table in zip(prepared.slots, tables, strict=True):
                rows.table = table
        found = con.execute(f"EXECUTE {prepared.name}").to_arrow_table()
        for _, rows in prepared.slots:
            rows.table = rows.table.schema.empty_table()  # nothing is held on to between two refreshes
        metrics.rows_read = sum(metrics.scanned.values())
        metrics.seconds, metrics.sql = perf_counter() - start, prepared.text
        return found, metrics

    def _prepare(self, con: duckdb.DuckDBPyConnection, statement: Statement, tables: list[pa.Table]) -> Prepared:
        self._number += 1
        slots = tuple((slot, Rows(table)) for slot, table in zip(statement.slots, tables, strict=True))
        names = {slot.name: f"rows_{self._number}_{n}" for n, (slot, _) in enumerate(slots, 1)}

        def scan(slot: Slot) -> str:
            items = ", ".join(quoted(name, '"') for _, name in slot.columns)
            return f"SELECT {items}{', ' if items else ''}_w FROM {names[slot.name]}"

        text = statement.render("duckdb", scan)
        for slot, rows in slots:
            con.register(names[slot.name], rows)
        prepared = Prepared(f"kept_{self._number}", text, slots)
        con.execute(f"PREPARE {prepared.name} AS {text}")
        return prepared

    def _drop(self, con: duckdb.DuckDBPyConnection, prepared: Prepared) -> None:
        con.execute(f"DEALLOCATE {prepared.name}")
        number = prepared.name.removeprefix("kept_")
        for n in range(1, len(prepared.slots) + 1):
            con.unregister(f"rows_{number}_{n}")

    def _rows(self, slot: Slot, scan: Scan, metrics: Metrics) -> pa.Table:
        """All rows of a scan, as one table with the identifiers of the slot."""
        fields = _fields(slot, scan)
        parts = [_fitted(self.runs.read(f), fields) for f in scan.files]
        parts += [_negated(_fitted(self.runs.read(f), fields)) for f in scan.negative]
        parts += [_fitted(t, fields) for t in scan.tables if t.num_rows]
        table = pa.concat_tables(parts) if parts else pa.schema([pa.field(n, t) for _, n, t in fields]).empty_table()
        metrics.files += len(scan.files) + len(scan.negative)
        if not slot.get.name.startswith("\0"):  # what is held between two steps was counted when it was read
            metrics.scanned[slot.get.name] = metrics.scanned.get(slot.get.name, 0) + table.num_rows
        return table


def _fields(slot: Slot, scan: Scan) -> list[tuple[str, str, pa.DataType]]:
    """(name in files, identifier in the statement, type), the weight last."""
    known = {f.name: f.type for f in physical_schema(scan.schema)}
    columns = [(scan.physical(source), name) for source, name in slot.columns]
    return [*((c, n, known[c]) for c, n in columns), ("_w", "_w", pa.int64())]


def _key(statement: Statement, scans: list[Scan]) -> tuple[Any, ...]:
    """A statement, and the columns of what it reads: those that a name stands for can be others after a schema change."""
    pairs = zip(statement.slots, scans, strict=True)
    return (statement, tuple(tuple((s.physical(c), s.schema[c].type) for c, _ in slot.columns) for slot, s in pairs))


def _fitted(table: pa.Table, fields: list[tuple[str, str, pa.DataType]]) -> pa.Table:
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


def _negated(table: pa.Table) -> pa.Table:
    return table.set_column(table.num_columns - 1, "_w", pc.negate(table.column("_w")))
