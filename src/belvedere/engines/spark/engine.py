"""Spark: the engine of record, for whatever is large, distributed, or asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, SortKey, gets
from belvedere.algebra.rewrite.empty import is_empty, without_empty
from belvedere.algebra.types import Column, Schema
from belvedere.engines import fixpoint
from belvedere.engines.arrow import arrow_schema, conform
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.function import Function
from belvedere.engines.in_memory import in_files
from belvedere.engines.plans import Plans, once
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Resolve, Scan
from belvedere.engines.spark import session as sessions
from belvedere.engines.spark.dialect import SparkDialect
from belvedere.engines.spark.errors import spark_errors
from belvedere.engines.spark.frames import Frames, shown
from belvedere.engines.spark.functions import create
from belvedere.engines.spark.lookups import Lookups
from belvedere.engines.spark.metrics import Meter
from belvedere.engines.spark.nearby import nearby
from belvedere.engines.spark.parts import frame_of, said
from belvedere.engines.spark.progress import watched
from belvedere.engines.spark.silence import SILENT
from belvedere.engines.spark.types import schema_of
from belvedere.engines.spark.writing import write_frame
from belvedere.engines.sql import Statement, check
from belvedere.errors import EngineError, Unsupported
from belvedere.store.hot_columns import HotColumns
from belvedere.store.model import Collection, Run
from belvedere.store.parquet import sort_rows, write_table
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

P = TypeVar("P")


class SparkEngine:
    """Uses the session that is given, else the active one, else starts a local one; on first use, not before."""

    name = "spark"

    def __init__(
        self, session: SparkSession | None = None, *, memory: str = "2g", cores: int | None = None, in_process: str | None = None,
        runs: SmallRuns | None = None, hot: HotColumns | None = None,
    ) -> None:  # fmt: skip
        """`memory` is the driver's; `in_process` limits what is done in this process, which has `runs` in memory and looks up in
        `hot`."""
        self._given = session
        self._memory = memory
        self._cores = cores or os.cpu_count() or 1
        self._base: SparkSession | None = None
        self._own: _Own | None = None
        #: for what begins and ends; statements run beside each other
        self._lock = threading.RLock()
        self._dialect = SparkDialect()
        self._plans = Plans(self._dialect)
        self._runs = runs or SmallRuns()
        self._driver = DuckDBEngine(threads=1, memory_limit=in_process, runs=self._runs, hot=hot)
        self._functions: dict[str, Function] = {}
        #: those that the user's session does not know yet
        self._unsaid: dict[str, Function] = {}

    @property
    def session(self) -> SparkSession:
        """The user's session: the one given, or the one started."""
        with self._lock:
            if self._base is None:
                self._base = self._given if self._given is not None else sessions.start(self._memory, self._cores)
            return self._base

    def register(self, function: Function) -> None:
        """Let statements call a user's function; one of the same name goes."""
        with self._lock:
            self._driver.register(function)
            self._plans = Plans(self._dialect)
            self._functions[function.identifier] = self._unsaid[function.identifier] = function
            if self._own is not None:
                with spark_errors(), SILENT:
                    for session in (self._own.small, self._own.large):
                        create(session, function)

    # -- what it can do ----------------------------------------------------------------------------------------------

    def supports(self, node: Node) -> str | None:
        try:
            for _, part in fixpoint.parts(node, lambda get: Scan(get.schema))[0]:
                check(part, self._dialect)
        except Unsupported as e:
            return e.message
        return None

    def sql(self, node: Node, resolve: Resolve, *, pretty: bool = True) -> str:
        """The statement before keys are looked up: what `run` adds are literal keys in the filters of leaves."""
        return fixpoint.shown(
            node, once(resolve), lambda part, ask: shown(self._render(self._plans.statement(part, ask), ask)[0])
        )

    def run(self, node: Node, resolve: Resolve, *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        """Counting is cheap next to a job, so it counts whether asked or not."""
        with self._working() as own:
            plan, lookups, before = self._prepared(own, node, once(resolve))
            if is_empty(plan):
                return arrow_schema(node.schema).empty_table(), before
            table, metrics = self._evaluate(own, plan, lookups.ask, lookups.is_light(plan))
            return table, before.add(metrics)

    def write(
        self, node: Node, resolve: Resolve, columns: Mapping[str, int], sort: Sequence[str], directory: str
    ) -> tuple[list[str], Metrics]:
        """Small results come to the driver, which writes one file; large ones are written by Spark's tasks."""
        physical = physical_schema(Schema(tuple(Column(c.name, c.type, columns[c.name]) for c in node.schema)))
        with self._working() as own:
            plan, lookups, before = self._prepared(own, node, once(resolve))
            if is_empty(plan):
                return [], before
            if lookups.is_small(plan):
                table, metrics = self._evaluate(own, plan, lookups.ask, True)
                paths = _write_table(table, physical, tuple(columns[n] for n in sort), directory)
                return paths, before.add(metrics)
            keys = [f"c{columns[n]}" for n in sort if not node.schema[n].type.children]
            paths, metrics = self._write(own, plan, lookups.ask, physical, keys, directory)
            return paths, before.add(metrics)

    def merge(self, collection: Collection, runs: list[Run], sort: tuple[int, ...], out_path: str) -> None:
        """Compaction reads local files and writes one: that is the driver's work, in-process."""
        self._driver.merge(collection, runs, sort, out_path)

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        return self._driver.net(collection, runs)

    def keep(self, path: str, table: pa.Table) -> None:
        self._driver.keep(path, table)

    def forget(self, paths: Iterable[str]) -> None:
        self._driver.forget(paths)

    def dataframe(self, node: Node, resolve: Resolve, columns: Sequence[str], order: Sequence[SortKey] = ()) -> DataFrame:
        """The rows as a DataFrame of the user's session, each as often as its weight says; nothing is run but closures."""
        from pyspark.sql import functions as fn

        node, ask, _ = fixpoint.without_closures(node, once(resolve), self.run)
        statement = self._plans.statement(Consolidate(node), ask)
        text, frames = self._render(statement, ask)
        with self._lock, spark_errors(), SILENT:
            while self._unsaid:
                create(self.session, self._unsaid.popitem()[1])
            frame = frames.open(self.session, text)
            copies = fn.explode(fn.sequence(fn.lit(1).cast("bigint"), fn.col("_w"))).alias("_copy")
            names = dict(zip(node.schema.names, statement.columns, strict=True))
            frame = frame.select("*", copies)
            if order:
                frame = frame.orderBy(*(_sort_column(names[k.column], k) for k in order))
            return frame.select(*(fn.col(i).alias(c) for c, i in zip(columns, statement.columns, strict=False)))

    def schema_of(self, frame: DataFrame) -> Schema:
        return schema_of(frame)

    def write_frame(self, frame: DataFrame, collection: Collection, directory: str) -> list[str]:
        """Rows of a user's frame as runs of a collection, each with weight 1; columns go by name."""
        from pyspark.sql import functions as fn

        items = [fn.col(_quoted(_match(frame, c.name))).cast(_spark_type(c)).alias(f"c{c.id}") for c in collection.schema]
        session = frame.sparkSession
        with (
            self._lock,
            spark_errors(),
            SILENT,
            _setting(session, "spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS"),
        ):
            weighted = frame.select(*items, fn.lit(1).cast("bigint").alias("_w"))
            return self._write_kept(weighted, collection, directory)

    def write_parts(
        self,
        parts: Sequence[P],
        read: Callable[[P], Iterable[pa.Table]],
        collection: Collection,
        directory: str,
        progress: Callable[[float], None],
    ) -> list[str]:
        """Rows that the workers read, in the collection's stored layout, as runs of it. `progress` is told the share of parts
        that are read, by this thread."""

        def write() -> list[str]:
            return self._write_kept(frame, collection, directory)

        try:
            with self._working() as own:
                frame = frame_of(own.large, parts, read, collection.physical)
                return watched(own.large, own.meter.context, write, len(parts), progress)
        except EngineError as e:
            error = said(e)
            if error is e:
                raise
            raise error from e

    def _write_kept(self, frame: DataFrame, collection: Collection, directory: str) -> list[str]:
        """Rows that must be read once only, though there is more than one pass over them."""
        by_id = {c.id: c for c in collection.schema}
        sort = [f"c{i}" for i in collection.sort if i in by_id and not by_id[i].type.children]
        kept = frame.persist()
        try:
            rows = kept.count()
            return write_frame(kept, collection.physical, sort, directory, rows, self._cores) if rows else []
        finally:
            kept.unpersist()

    def close(self) -> None:
        """Lets go of the sessions. A session that was given stays as it is; one that was started ends with the process."""
        with self._lock:
            self._driver.close()
            self._own = None

    # -- how ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _working(self) -> Iterator[_Own]:
        with self._lock:
            if self._own is None:
                base = self.session
                with spark_errors(), SILENT:
                    small, large = (sessions.private(base, mode) for mode in (sessions.SMALL, sessions.LARGE))
                    for function in self._functions.values():
                        create(small, function)
                        create(large, function)
                    self._own = _Own(small, large, Meter(base))
            own = self._own
        with spark_errors(), SILENT:
            yield own

    def _prepared(self, own: _Own, node: Node, ask: Callable[[Get], Scan]) -> tuple[Node, Lookups, Metrics]:
        """(plan, what was looked up for it, what that cost)."""
        node, ask, spent = fixpoint.without_closures(node, ask, self.run)
        node = without_empty(node, lambda get: ask(get).is_empty)
        # what the driver finds by a few keys in files that it has read before needs no job
        ask, looked_up = self._driver.narrowed(node, ask)
        ask, read = nearby(ask, self._runs)
        spent = spent.add(looked_up)

        def job(part: Node, scans: Callable[[Get], Scan]) -> pa.Table:
            nonlocal spent
            part = without_empty(part, lambda get: scans(get).is_empty)
            if is_empty(part):
                return arrow_schema(part.schema).empty_table()
            table, metrics = self._evaluate(own, part, scans, True)
            spent = spent.add(metrics)
            return table

        def local(part: Node, scans: Callable[[Get], Scan]) -> pa.Table | None:
            nonlocal spent
            try:
                table, metrics = self._driver.run(part, scans)
            except Unsupported:  # in DuckDB's dialect; a job does it
                return None
            spent = spent.add(metrics)
            return table

        def near(part: Node, scans: Callable[[Get], Scan]) -> Callable[[Get], Scan]:
            nonlocal spent
            found, cost = self._driver.narrowed(part, scans)
            spent = spent.add(cost)
            return found

        lookups = Lookups(ask, local, job, near)
        # what was looked up first may have found nothing, and then all that depends on it is not asked for
        plan = without_empty(lookups(node), lambda get: lookups.ask(get).is_empty)
        for get in gets(plan):  # those that no step has asked for
            lookups.ask(get)
        return plan, lookups, spent.add(read)

    def _evaluate(self, own: _Own, node: Node, ask: Callable[[Get], Scan], small: bool) -> tuple[pa.Table, Metrics]:
        statement = self._plans.statement(node, ask)
        text, frames = self._render(statement, ask)
        table, metrics = _measured(own, text, frames, small, lambda frame: frame.toArrow())
        return conform(table, node.schema, statement.columns), metrics

    def _write(
        self, own: _Own, node: Node, ask: Callable[[Get], Scan], physical: pa.Schema, keys: list[str], directory: str
    ) -> tuple[list[str], Metrics]:
        from pyspark.sql import functions as fn

        statement = self._plans.statement(node, ask)
        text, frames = self._render(statement, ask)
        names = [n for n in physical.names if n != "_w"]
        rows = sum(frames.rows.values())

        def act(frame: DataFrame) -> list[str]:
            renamed = frame.select(*(fn.col(i).alias(n) for n, i in zip(names, statement.columns, strict=True)), "_w")
            return write_frame(renamed, physical, keys, directory, rows, self._cores)

        paths, metrics = _measured(own, text, frames, False, act)
        return paths, metrics

    def _render(self, statement: Statement, ask: Callable[[Get], Scan]) -> tuple[str, Frames]:
        frames = Frames()
        return statement.render("spark", lambda slot: frames.text(slot, in_files(ask(slot.get), self._runs))), frames


@dataclass(frozen=True)
class _Own:
    """Sessions of the engine's own, one set up for small work and one for large, and what measures them."""

    small: SparkSession
    large: SparkSession
    meter: Meter


def _measured(own: _Own, text: str, frames: Frames, small: bool, act: Callable[[DataFrame], Any]) -> tuple[Any, Metrics]:
    start = perf_counter()
    with own.meter.group() as token:
        frame = frames.open(own.small if small else own.large, text)
        result = act(frame)
    seconds = perf_counter() - start
    metrics = own.meter.read(token, frames, frame)
    metrics.seconds, metrics.sql = seconds, shown(text)
    return result, metrics


def _write_table(table: pa.Table, physical: pa.Schema, sort: tuple[int, ...], directory: str) -> list[str]:
    if not table.num_rows:
        return []
    path = os.path.join(directory, f"{uuid4().hex}.parquet")
    renamed = table.rename_columns(physical.names).cast(physical)
    write_table(path, physical, sort_rows(renamed, sort))
    return [path]


def _match(frame: DataFrame, name: str) -> str:
    """The frame's column for one of ours; case decides only where it must."""
    exact = [c for c in frame.columns if c == name]
    return (exact or [c for c in frame.columns if c.lower() == name.lower()] or [name])[0]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _spark_type(column: Column) -> str:
    from belvedere.engines.spark.dialect import type_text

    return type_text(column.type)


def _sort_column(name: str, key: SortKey) -> Any:
    from pyspark.sql import functions as fn

    column = fn.col(name)
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()


@contextmanager
def _setting(session: SparkSession, name: str, value: str) -> Iterator[None]:
    """A setting for the time of one action in a session that is not ours."""
    before = session.conf.get(name)
    session.conf.set(name, value)
    try:
        yield
    finally:
        session.conf.set(name, before)  # type: ignore[arg-type]
