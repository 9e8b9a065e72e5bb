"""One connection to a PostgreSQL server, with its errors in our words and its values in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.types.string import TextLoader

from belvedere.errors import BelvedereError
from belvedere.sources.failing import attempts, unavailable
from belvedere.sources.url import Address, password

#: pg_snapshot and xid8 came with it
OLDEST = 130000


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sqlstate(error: BelvedereError) -> str:
    """The server's code for what was wrong, empty if it was not the server that said so."""
    return (error.__cause__.sqlstate or "") if isinstance(error.__cause__, psycopg.Error) else ""


class Connection:
    """Statements on a server. One that does not answer, or answers too late: SourceUnavailable."""

    def __init__(self, name: str, address: Address, secret: str | None = None) -> None:
        self.name = name
        self.address = address
        self._secret = secret
        self._connection = attempts(self._open, address.settings.retries)
        version = self._connection.info.server_version
        if version < OLDEST:
            raise BelvedereError(f"source {name!r} is PostgreSQL {version // 10000}; 13 or newer is needed")
        for kind in ("uuid", "json", "jsonb"):
            self._connection.adapters.register_loader(kind, TextLoader)
        self.run("SET TimeZone = 'UTC'")
        self.run("SET DateStyle = 'ISO'")
        self.run("SET standard_conforming_strings = on")
        self.run(f"SET statement_timeout = {int(address.settings.statement_timeout * 1000)}")

    def _open(self) -> psycopg.Connection[tuple[Any, ...]]:
        a = self.address
        secret = self._secret or password(self.name, a)
        parts = {"host": a.host, "port": a.port, "user": a.user, "dbname": a.database, "password": secret}
        given: dict[str, Any] = {"keepalives_idle": 10, "application_name": "belvedere", **a.options}
        given |= {k: v for k, v in parts.items() if v}
        given["connect_timeout"] = max(1, round(a.settings.connect_timeout))
        with self._errors():
            return psycopg.connect(**given, autocommit=True)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.OperationalError, psycopg.InterfaceError) as e:
            raise unavailable(self.name, self.address.shown, e) from e
        except psycopg.DataError as e:
            raise BelvedereError(f"source {self.name!r} holds a value that cannot be read: {' '.join(str(e).split())}") from e
        except psycopg.Error as e:
            raise BelvedereError(f"source {self.name!r} refused a statement: {' '.join(str(e).split())}") from e

    def run(self, sql: str, values: Sequence[Any] | None = None) -> None:
        with self._errors():
            self._connection.execute(sql.encode(), values)

    def rows(self, sql: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql.encode(), values).fetchall()

    def stream(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Batches through a cursor of the server, inside a transaction."""
        with self._errors():
            cursor = self._connection.cursor(name="bv_read")
            cursor.execute(sql.encode())
        try:
            while True:
                with self._errors():
                    batch = cursor.fetchmany(size)
                if not batch:
                    return
                yield batch
        finally:
            with suppress(psycopg.Error):
                cursor.close()

    def copy(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._errors(), self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def transaction(self, how: str = "") -> Iterator[None]:
        self.run(f"BEGIN {how}")
        try:
            yield
        except BaseException:
            with suppress(BelvedereError):
                self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()
