"""The catalog database: one door to SQLite or PostgreSQL, with one kind of reading and one kind of writing.

All writers take the same lock first (SQLite's write lock, or PostgreSQL's lock on the one row of `bv_head`), so that an
epoch, a compaction and a sweep are strictly one after the other, whatever process they come from. The lock is held for the
few statements of one transaction, never while a data file is written.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from belvedere.errors import StoreError

BUSY_MS = 60_000


@lru_cache(maxsize=1_024)
def statement(sql: str) -> Any:
    """The text as a statement, made once. Some texts name collections, so there can be any number of them."""
    return text(sql)


@dataclass(frozen=True)
class Head:
    """The one row that every writer locks."""

    epoch: int
    horizon: int
    next_run: int
    next_collection: int


class Writer:
    """An open write transaction that holds the lock."""

    def __init__(self, connection: Connection | sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, **values: Any) -> list[Any]:
        return list(self._execute(sql, values))

    def run(self, sql: str, **values: Any) -> int:
        """Execute and return how many rows were changed."""
        return int(self._execute(sql, values).rowcount)

    def many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if not rows:
            return
        if isinstance(self._connection, sqlite3.Connection):
            self._connection.executemany(sql, rows)
        else:
            self._connection.execute(statement(sql), rows)

    def _execute(self, sql: str, values: Mapping[str, Any]) -> Any:
        if isinstance(self._connection, sqlite3.Connection):
            return self._connection.execute(sql, values)
        return self._connection.execute(statement(sql), values)

    def head(self) -> Head:
        [row] = self.rows("SELECT epoch, horizon, next_run, next_collection FROM bv_head WHERE id = 1")
        return Head(*row)


class Catalog:
    """The database behind a warehouse.

    SQLite is spoken to through its own driver, on one connection per thread: a refresh of ten rows asks some fifty small
    questions, and each takes twenty microseconds there, and twenty times that through a layer made for every database.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._local = threading.local()
        #: by thread
        self._opened: dict[threading.Thread, sqlite3.Connection] = {}
        self._opening = threading.Lock()
        self._process = os.getpid()
        self._engine: Engine | None = None
        if not self.is_sqlite:
            self._engine = create_engine(url, pool_pre_ping=True)
            self._reader = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
        with self._opening:
            for connection in self._opened.values():
                connection.close()
            self._opened.clear()
        self._local = threading.local()

    def _sqlite(self) -> sqlite3.Connection:
        """This thread's connection; statements commit by themselves unless a transaction was begun."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(
                self.url.database or "",
                timeout=BUSY_MS / 1000,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            for pragma in (f"busy_timeout = {BUSY_MS}", "journal_mode = WAL", "synchronous = NORMAL"):
                found.execute(f"PRAGMA {pragma}")
            self._local.connection = found
            with self._opening:
                self._close_ended()
                self._opened[threading.current_thread()] = found
        return found

    def _close_ended(self) -> None:
        """Threads come and go, and what one has opened is of no use to others. In a child process, those that were forked away
        from have not ended: their connections are the parent's."""
        if self._process == os.getpid():
            for thread in [t for t in self._opened if not t.is_alive()]:
                self._opened.pop(thread).close()

    def rows(self, sql: str, **values: Any) -> list[Any]:
        """Read with one statement, which sees one state of the database."""
        try:
            if self._engine is None:
                return self._sqlite().execute(sql, values).fetchall()
            with self._reader.connect() as connection:
                return list(connection.execute(statement(sql), values))
        except (SQLAlchemyError, sqlite3.Error) as e:
            raise self.failure(e) from e

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """A write transaction; commits when the block ends, rolls back when it raises."""
        with self._transaction("SELECT epoch FROM bv_head WHERE id = 1 FOR UPDATE") as writer:
            yield writer

    @contextmanager
    def setup(self) -> Iterator[Writer]:
        """A write transaction for a database that may have no tables yet."""
        with self._transaction("SELECT pg_advisory_xact_lock(7164521)") as writer:
            yield writer

    @contextmanager
    def _transaction(self, lock: str) -> Iterator[Writer]:
        """`lock` is the statement that takes the writers' lock on PostgreSQL; SQLite has its own."""
        try:
            if self._engine is None:
                connection = self._sqlite()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield Writer(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            else:
                with self._engine.connect() as pooled:
                    pooled.execute(statement(lock))
                    yield Writer(pooled)
                    pooled.commit()
        except (SQLAlchemyError, sqlite3.Error) as e:
            raise self.failure(e) from e

    def table_names(self) -> set[str]:
        """Tables that are there, whoever made them."""
        if self.is_sqlite:
            sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        else:
            sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        return {row[0] for row in self.rows(sql)}

    def failure(self, e: SQLAlchemyError | sqlite3.Error) -> StoreError:
        """The database's complaint without SQL text, parameters or password."""
        cause = str(getattr(e, "orig", None) or e).strip().splitlines()
        return StoreError(f"the catalog {self.describe()} cannot be used: {cause[0] if cause else type(e).__name__}")

    def describe(self) -> str:
        if self.is_sqlite:
            return os.path.basename(self.url.database or "")
        return self.url.render_as_string(hide_password=True).replace("postgresql+psycopg", "postgresql")


def sqlite_url(directory: str) -> URL:
    return URL.create("sqlite", database=os.path.join(directory, "catalog.db"))


def postgres_url(catalog: str) -> URL:
    """The user's URL, with the driver that Belvedere ships with."""
    try:
        url = make_url(catalog)
    except ArgumentError as e:
        raise StoreError("the catalog is no URL; write it as postgresql://user@host/database, or leave it out for SQLite") from e
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise StoreError(
            f"a catalog in {url.get_backend_name()!r} is not supported; use postgresql://…, or leave it out for SQLite"
        )
    return url.set(drivername="postgresql+psycopg")
