"""DuckDB, in this process: for work that is too small to be worth a Spark job."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from time import perf_counter
from typing import Any
from uuid import uuid4

import duckdb
import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.algebra.rewrite.empty import is_empty
from belvedere.algebra.types import Column, Schema
from belvedere.engines import fixpoint
from belvedere.engines.arrow import arrow_schema, conform
from belvedere.engines.duckdb.alike import Alike, Begun
from belvedere.engines.duckdb.databases import Database, shared
from belvedere.engines.duckdb.dialect import DuckDBDialect
from belvedere.engines.duckdb.fetching import rows_of
from belvedere.engines.duckdb.footers import Footers
from belvedere.engines.duckdb.functions import create
from belvedere.engines.duckdb.guarded import Errors, Registered
from belvedere.engines.duckdb.kept import BYTES, FEW, IN_FILES, Kept
from belvedere.engines.duckdb.merged import all_rows
from belvedere.engines.duckdb.narrow import AT_FIRST, Family, Narrow
from belvedere.engines.duckdb.null_keys import in_one_branch
from belvedere.engines.duckdb.profile import read_profile
from belvedere.engines.duckdb.scans import Scans
from belvedere.engines.duckdb.steps import Steps, in_question, worth_steps
from belvedere.engines.duckdb.writing import copy_text
from belvedere.engines.function import Function
from belvedere.engines.in_memory import in_files
from belvedere.engines.meetings import all_pairs
from belvedere.engines.plans import Plans, once
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Resolve, Scan
from belvedere.engines.sql import Statement, check
from belvedere.errors import Unsupported
from belvedere.store.few_rows import net_rows
from belvedere.store.hot_columns import HotColumns, hot_capacity
from belvedere.store.model import Collection, Run
from belvedere.store.parquet import sort_rows, to_physical, write_table
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns

DEAD = 8_000
"""DuckDB remembers the footer of every file that it has read, a kilobyte for each column of a row group, for as long as there is
memory. With so many of files that are gone it begins anew."""


class DuckDBEngine:
    """Connections to DuckDB in memory, made on first use: one for statements that read files, with all processors, and one with a
    single thread for those over a few rows, which would only wait for each other's threads. Calls from several threads take
    turns."""

    name = "duckdb"

    def __init__(
        self, *, threads: int | None = None, memory_limit: str | None = None, temp_directory: str | None = None,
        runs: SmallRuns | None = None, hot: HotColumns | None = None,
    ) -> None:  # fmt: skip
        self._threads = threads or os.cpu_count() or 1
        self._memory_limit = memory_limit
        self._temp_directory = temp_directory or os.path.join(tempfile.gettempdir(), f"belvedere-duckdb-{os.getpid()}")
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._small: duckdb.DuckDBPyConnection | None = None
        #: the databases that it has connections to, and what closes each connection
        self._databases: dict[duckdb.DuckDBPyConnection, tuple[Database, Callable[[], object]]] = {}
        self._lock = threading.RLock()
        self._merging = threading.RLock()
        self._dialect = DuckDBDialect()
        self._plans = Plans(self._dialect, few=FEW)
        self._footers = Footers()
        self._runs = runs or SmallRuns()
        self._kept = Kept(self._runs)
        self._narrow = Narrow(self._runs, hot=hot or HotColumns(hot_capacity(memory_limit)))
        self._alike = Alike(self._runs)
        weakref.finalize(self, self._narrow.forget)  # columns must not be read while the interpreter ends
        #: chunks of files that are gone, of which DuckDB still knows what their footers say
        self._dead = 0
        self._functions: dict[str, Function] = {}
        self._supported: OrderedDict[int, tuple[Node, str | None]] = OrderedDict()

    def register(self, function: Function) -> None:
        """Let statements call a user's function; one of the same name goes."""
        with self._merging, self._lock:
            first, was_open = not self._functions, bool(self._databases)
            known = function.identifier in self._functions
            self._functions[function.identifier] = function
            self._plans = Plans(self._dialect, few=FEW)
            self._supported.clear()
            self._kept.forget()
            with Errors():
                if first and was_open:  # functions belong to a database, so it may not be one that others have, too
                    self._disconnect()
                    self._open_small()
                    return
                for con in (self._connection, self._small):
                    if con is not None:
                        create(con, function, known)

    # -- what it can do ----------------------------------------------------------------------------------------------

    def supports(self, node: Node) -> str | None:
        known = self._supported.get(id(node))
        if known is None or known[0] is not node:
            known = self._supported[id(node)] = (node, self._reason(node))
            if len(self._supported) > 128:
                self._supported.popitem(last=False)
        return known[1]

    def _reason(self, node: Node) -> str | None:
        try:
            for _, part in fixpoint.parts(node, lambda get: Scan(get.schema))[0]:
                check(part, self._dialect)
        except Unsupported as e:
            return e.message
        return None

    def sql(self, node: Node, resolve: Resolve, *, pretty: bool = True) -> str:
        def text(part: Node, ask: Callable[[Get], Scan]) -> str:
            return self._render(self._plans.statement(self._formed(part, ask)[0], ask), ask, pretty)[0]

        return fixpoint.shown(node, once(resolve), text)

    def run(self, node: Node, resolve: Resolve, *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        ask = once(resolve)
        node = in_question(node, ask)
        near, looked_up = self.narrowed_first(node, ask)
        table, metrics = self.in_steps(node, near, measured=measured)
        return table, looked_up.add(metrics)

    def alike(self, nodes: Sequence[Node], resolves: Sequence[Resolve]) -> Begun:
        """Plans of the same shape, to be run as one. Raises NotAlike where it is better to run each by itself."""
        return self._alike.begin(self, nodes, [once(r) for r in resolves])

    def in_steps(self, node: Node, ask: Callable[[Get], Scan], *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        """The rows of a plan whose leaves have been looked up as far as they can be before anything is known."""
        plan, ask, before = self._stepped(node, ask, measured)
        if is_empty(plan):
            return arrow_schema(node.schema).empty_table(), before
        table, metrics, _ = self._one(plan, ask, measured)
        return table, before.add(metrics)

    def narrowed_first(
        self, node: Node, ask: Callable[[Get], Scan], family: Family | None = None
    ) -> tuple[Callable[[Get], Scan], Metrics]:
        """As `narrowed`, before anything of the plan is evaluated."""
        return self._narrow(node, ask, AT_FIRST, family)

    def narrowed(self, node: Node, ask: Callable[[Get], Scan]) -> tuple[Callable[[Get], Scan], Metrics]:
        """The scans of a plan's leaves; those that are looked up by a few keys have the rows that these find. And the cost."""
        return self._narrow(node, ask)

    def beside(self, get: Get, scan: Scan) -> float:
        """Rows that a lookup of a few keys can expect to look at besides those that it finds."""
        return self._narrow.beside(get, scan)

    def _stepped(self, node: Node, ask: Callable[[Get], Scan], measured: bool) -> tuple[Node, Callable[[Get], Scan], Metrics]:
        """(what is left to do, its scans, what the steps before cost)."""
        node, ask, spent = fixpoint.without_closures(node, ask, lambda part, scans: self.run(part, scans, measured=measured))
        if not worth_steps(node, ask):
            return node, ask, spent

        def evaluate(part: Node, scans: Callable[[Get], Scan]) -> tuple[pa.Table, bool]:
            nonlocal spent
            near, looked_up = self._narrow(part, scans)  # what is held by now has keys for the leaves of this part
            table, metrics, distinct = self._one(part, near, measured)
            spent = spent.add(looked_up).add(metrics)
            return table, distinct

        steps = Steps(ask, evaluate)
        left = steps(node)
        near, looked_up = self._narrow(left, steps.scan)
        return left, near, spent.add(looked_up)

    def _one(self, node: Node, ask: Callable[[Get], Scan], measured: bool) -> tuple[pa.Table, Metrics, bool]:
        """One statement; and whether no two rows of its result are equal."""
        formed, few = self._formed(node, ask)
        statement = self._plans.statement(formed, ask, lasting=measured)
        with self._lock:
            key = self._kept.due(statement, ask, few)
            if key is not None:
                with Errors():
                    con = self._open_small()
            # a view's statements come again, a query may not
            if key is not None and not measured and not self._kept.returns(key):
                with Errors():
                    table, metrics = self._kept.once(con, key, ask)
                return conform(table, node.schema, statement.columns), metrics, statement.distinct
            if key is not None:
                new = not self._kept.holds(key)
                with Errors():
                    table, metrics = self._kept.run(con, key, ask)
                if new:  # it is told with the files that it reads, as explain shows it
                    metrics.sql = self._render(statement, ask, pretty=False)[0]
                return conform(table, node.schema, statement.columns), metrics, statement.distinct
        text, scans = self._render(statement, ask, pretty=False)
        if measured:
            table, metrics = self._measured(text, scans, lambda con: rows_of(con, text))
        else:
            table, metrics = self._unmeasured(text, scans), Metrics(sql=text)
        return conform(table, node.schema, statement.columns), metrics, statement.distinct

    def _formed(self, node: Node, ask: Callable[[Get], Scan]) -> tuple[Node, int]:
        """The plan in the form that suits what it reads, and how many rows are few for it."""
        few = IN_FILES if all_pairs(node, lambda get: ask(get).rows) else FEW
        small = self._kept.small([ask(get) for get in gets(node)], few)
        return (in_one_branch(node) if small else node), few

    def write(
        self, node: Node, resolve: Resolve, columns: Mapping[str, int], sort: Sequence[str], directory: str
    ) -> tuple[list[str], Metrics]:
        path = os.path.join(directory, f"{uuid4().hex}.parquet")
        metrics, rows = self._write(node, once(resolve), columns, sort, path)
        if not rows:
            os.unlink(path)
            return [], metrics
        return [path], metrics

    def merge(self, collection: Collection, runs: list[Run], sort: tuple[int, ...], out_path: str) -> None:
        rows = self.net(collection, runs, sort)
        if rows is not None:
            write_table(out_path, collection.physical, rows)
            self.keep(out_path, rows)
        else:
            schema = collection.schema
            node, scan = all_rows(collection, runs)
            by_id = {c.id: c.name for c in schema}
            order = [by_id[i] for i in sort if i in by_id]
            copy, scans = self._copy(node, lambda _: scan, {c.name: c.id for c in schema}, order, out_path)
            with self._merging:  # nobody else waits for its turn, but for who closes the connection
                with self._lock:
                    beside = self._open().cursor()  # the same memory and threads
                with closing(beside), Registered(beside, scans.tables), Errors():
                    beside.execute(copy)
            self._renew()

    def net(self, collection: Collection, runs: list[Run], sort: tuple[int, ...] | None = None) -> pa.Table | None:
        if sum(r.rows for r in runs) > FEW or sum(r.bytes for r in runs) > BYTES:
            return None
        rows = net_rows(collection, [self._runs.read(r.path) for r in runs])
        if rows is None:
            node, scan = all_rows(collection, runs)
            table, _, _ = self._one(node, lambda _: scan, True)
            rows = to_physical(table, collection)
        return sort_rows(rows, collection.sort if sort is None else sort)

    def keep(self, path: str, table: pa.Table) -> None:
        self._runs.keep(path, table)

    def forget(self, paths: Iterable[str]) -> None:
        gone = frozenset(paths)
        self._narrow.drop(gone)
        for path in gone:
            self._runs.drop(path)
            self._dead += self._footers.drop(path)
        self._renew()

    def _renew(self) -> None:
        """Begin anew, if that is due. While others merge or give back, it is left to them: they ask once they are done."""
        worn = self._connection is not None and self._databases[self._connection][0].is_worn
        if (worn or self._dead > DEAD) and self._merging.acquire(blocking=False):
            try:
                with self._lock:
                    self._dead = 0
                    if self._connection is not None:
                        self._end(self._connection)
                        self._connection = None
            finally:
                self._merging.release()

    def give_back(self) -> None:
        """What a large statement took goes back to the system. Allocators keep what is free for whoever comes next, and the
        thread that asks DuckDB is none of its own, which look after that when they are idle. DuckDB lets go of all that is free
        whenever it is given a limit, also if it is the one that it has."""
        with self._merging:
            with self._lock:
                beside = None if self._connection is None else self._connection.cursor()
            if beside is not None:
                with closing(beside), suppress(duckdb.Error):  # then it is kept
                    limit = self._memory_limit
                    beside.execute("RESET memory_limit" if limit is None else f"SET memory_limit = {_text(limit)}")
        self._renew()
        pa.default_memory_pool().release_unused()

    def query_text(self, sql: str, tables: Mapping[str, pa.Table] | None = None) -> pa.Table:
        """Plain SQL in DuckDB's dialect over in-memory tables."""
        with self._lock:
            con = self._open()
            with Registered(con, tables or {}), Errors():
                return rows_of(con, sql)

    def close(self) -> None:
        with self._merging, self._lock:
            self._disconnect()
            self._narrow.forget()

    # -- how ---------------------------------------------------------------------------------------------------------

    def _open(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            self._connection = self._connect(self._threads)
            self._connection.execute("PRAGMA enable_profiling = 'no_output'")
        self._databases[self._connection][0].use()
        return self._connection

    def _open_small(self) -> duckdb.DuckDBPyConnection:
        if self._small is not None and self._databases[self._small][0].is_worn:
            self._end(self._small)
            self._small = None
            self._kept.forget()
        if self._small is None:
            self._small = self._connect(1)
        self._databases[self._small][0].use()
        return self._small

    def _disconnect(self) -> None:
        for con in (self._connection, self._small):
            if con is not None:
                self._end(con)
        self._connection = self._small = None
        self._kept.forget()

    def _connect(self, threads: int) -> duckdb.DuckDBPyConnection:
        settings = self._settings(threads)
        # a limit of memory is one warehouse's, and so are functions
        database = Database(settings) if self._memory_limit or self._functions else shared(settings)
        con = database.connect()
        for function in self._functions.values():
            create(con, function, False)
        # a connection that knows Python functions must not outlive the interpreter
        self._databases[con] = (database, weakref.finalize(self, con.close))
        return con

    def _end(self, con: duckdb.DuckDBPyConnection) -> None:
        """A database that nobody is connected to any more is gone, with all that it remembers."""
        _, close = self._databases.pop(con)
        close()

    def _settings(self, threads: int) -> dict[str, str]:
        settings = {
            "TimeZone": "'UTC'",
            "threads": str(threads),
            "temp_directory": _text(self._temp_directory),
            "parquet_metadata_cache": "true",
            # a join with a few keys becomes an IN filter on the scan, so that row groups are skipped
            "dynamic_or_filter_threshold": "10000",
            # equal scans must stay apart: joined into one they are read whole
            "disabled_optimizers": "'common_subplan'",
            # what a statement took is given back soon after it
            "allocator_flush_threshold": "'32MB'",
            # plans of views with many references nest deeply; what is too deep for Python is refused by the front-ends before
            "max_expression_depth": "5000",
        }
        if self._memory_limit:
            settings["memory_limit"] = _text(self._memory_limit)
            settings["preserve_insertion_order"] = "false"  # it costs memory, and no result here depends on it
        return settings

    def _render(self, statement: Statement, ask: Callable[[Get], Scan], pretty: bool) -> tuple[str, Scans]:
        scans = Scans(self._footers, pretty)
        return statement.render("duckdb", lambda slot: scans.text(slot, in_files(ask(slot.get), self._runs))), scans

    def _unmeasured(self, text: str, scans: Scans) -> pa.Table:
        """Without counts."""
        with self._lock:
            con = self._open()
            with Registered(con, scans.tables), Errors():
                return rows_of(con, text)

    def _measured(self, text: str, scans: Scans, act: Callable[[duckdb.DuckDBPyConnection], Any]) -> tuple[Any, Metrics]:
        with self._lock:
            con = self._open()
            start = perf_counter()
            with Registered(con, scans.tables), Errors():
                result = act(con)
            seconds = perf_counter() - start
            profile = con.get_profiling_information(format="json")
        return result, read_profile(profile, scans, seconds, text)

    def _write(
        self, node: Node, ask: Callable[[Get], Scan], columns: Mapping[str, int], sort: Sequence[str], path: str
    ) -> tuple[Metrics, int]:
        node = in_question(node, ask)
        ask, looked_up = self._narrow(node, ask, AT_FIRST)
        node, ask, stepped = self._stepped(node, ask, True)
        before = looked_up.add(stepped)
        if self._kept.small([ask(get) for get in gets(node)], FEW):  # what was left of something large
            table, metrics, _ = self._one(node, ask, True)
            physical = self._physical(node.schema, columns)
            arrays = [table.column(n).cast(f.type) for n, f in zip([*node.schema.names, "_w"], physical, strict=True)]
            rows = sort_rows(pa.Table.from_arrays(arrays, schema=physical), tuple(columns[n] for n in sort))
            write_table(path, physical, rows)
            return before.add(metrics), rows.num_rows
        copy, scans = self._copy(node, ask, columns, sort, path)
        written, metrics = self._measured(copy, scans, lambda con: con.execute(copy).fetchall()[0][0])
        return before.add(metrics), int(written)

    def _copy(
        self, node: Node, ask: Callable[[Get], Scan], columns: Mapping[str, int], sort: Sequence[str], path: str
    ) -> tuple[str, Scans]:
        """A statement that writes the rows of a plan to a file, and what it reads."""
        physical = self._physical(node.schema, columns)
        statement = self._plans.statement(node, ask)
        text, scans = self._render(statement, ask, pretty=False)
        names = dict(zip(node.schema.names, statement.columns, strict=True))
        items = [f'"{names[c.name]}" AS c{columns[c.name]}' for c in node.schema]
        order = [f'"{names[n]}" NULLS FIRST' for n in sort if not node.schema[n].type.children]
        select = f"SELECT {', '.join([*items, '_w'])} FROM (\n{text}\n)" + (f" ORDER BY {', '.join(order)}" if order else "")
        return copy_text(select, path, physical), scans

    @staticmethod
    def _physical(schema: Schema, columns: Mapping[str, int]) -> pa.Schema:
        return physical_schema(Schema(tuple(Column(c.name, c.type, columns[c.name]) for c in schema)))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
