"""One connection to a SQLite file, with its errors in our words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from belvedere.errors import BelvedereError
from belvedere.sources.failing import attempts, unavailable
from belvedere.sources.url import Address


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Connection:
    """Statements on a file. A lock that is held too long, a file that is gone: SourceUnavailable."""

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self.address = address
        self._connection = attempts(self._open, address.settings.retries)

    def _open(self) -> sqlite3.Connection:
        path = self.address.database
        if not os.path.isfile(path):
            raise unavailable(self.name, path, "there is no such file")
        with self._errors():
            return sqlite3.connect(
                f"{Path(path).as_uri()}?mode=rw", uri=True, timeout=self.address.settings.connect_timeout, isolation_level=None,
                check_same_thread=False,
            )  # fmt: skip

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as e:
            if "locked" in str(e) or "unable to open" in str(e) or "disk I/O" in str(e):
                raise unavailable(self.name, self.address.shown, e) from e
            raise BelvedereError(f"source {self.name!r} refused a statement: {e}") from e
        except sqlite3.DatabaseError as e:
            raise BelvedereError(f"source {self.name!r} ({self.address.shown}) cannot be read: {e}") from e

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        with self._errors():
            self._connection.execute(sql, values)

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._errors():
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql, values).fetchall()

    def stream(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        with self._errors():
            cursor = self._connection.execute(sql)
        while True:
            with self._errors():
                batch = cursor.fetchmany(size)
            if not batch:
                return
            yield batch

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One write transaction."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the file, from the first read on."""
        self.run("BEGIN")
        try:
            self.rows("SELECT count(*) FROM sqlite_master")
            yield
        finally:
            self.run("ROLLBACK")

    def close(self) -> None:
        self._connection.close()
