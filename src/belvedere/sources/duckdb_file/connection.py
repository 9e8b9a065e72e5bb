"""One connection to a DuckDB file. While another process has it open for writing it cannot be read: SourceUnavailable."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from belvedere.errors import BelvedereError
from belvedere.sources.failing import attempts, unavailable
from belvedere.sources.url import Address

#: seconds within which a file can change twice without its times showing it
RACY = 2.0


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Connection:
    """Statements on a file."""

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self.address = address
        self._connection = attempts(self._open, address.settings.retries)

    def _open(self) -> duckdb.DuckDBPyConnection:
        path = self.address.database
        if not os.path.isfile(path):
            raise unavailable(self.name, path, "there is no such file")
        try:
            try:
                return duckdb.connect(path, read_only=True)
            except duckdb.ConnectionException:  # this process has it open for writing: then it is shared
                return duckdb.connect(path)
        except duckdb.Error as e:
            raise unavailable(self.name, path, e) from e

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except duckdb.IOException as e:
            raise unavailable(self.name, self.address.shown, e) from e
        except duckdb.Error as e:
            raise BelvedereError(f"source {self.name!r} refused a statement: {e}") from e

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql, list(values)).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        with self._errors():
            return self._connection.sql(sql).to_arrow_table()

    def stream(self, sql: str, size: int) -> Iterator[pa.RecordBatch]:
        with self._errors():
            reader: Any = self._connection.sql(sql).to_arrow_reader(size)
            yield from reader

    @contextmanager
    def given(self, tables: dict[str, pa.Table]) -> Iterator[None]:
        """Arrow tables under names of their own."""
        with self._errors():
            for name, table in tables.items():
                self._connection.register(name, table)
        try:
            yield
        finally:
            for name in tables:
                self._connection.unregister(name)

    @contextmanager
    def reading(self) -> Iterator[None]:
        self.rows("BEGIN TRANSACTION")
        try:
            yield
        finally:
            self.rows("ROLLBACK")

    def fingerprint(self) -> str | None:
        """What changes whenever the file is written to; None if that was so short a time ago that it could not tell."""
        seen = []
        for path in (self.address.database, self.address.database + ".wal"):
            try:
                found = os.stat(path)
            except FileNotFoundError:
                continue
            if time.time() - found.st_mtime < RACY:
                return None
            seen.append(f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}")
        return " ".join(seen)

    def close(self) -> None:
        self._connection.close()
