"""One connection to a MariaDB or MySQL server, with its errors in our words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pymysql
import pymysql.connections
import pymysql.cursors

from belvedere.errors import BelvedereError
from belvedere.sources.failing import attempts, unavailable
from belvedere.sources.url import Address, password

#: server errors that say "not now" rather than "not like this"; from 2000 on it is the client that could not reach it
_NOT_NOW = frozenset((1040, 1045, 1053, 1129, 1130, 1158, 1159, 1160, 1161, 1184, 1205, 1213, 1317, 1927, 1969, 3024))
_CLIENT = 2000
GONE = 1146
ALTERED = 1412
_TLS = ("ssl_ca", "ssl_cert", "ssl_key", "ssl_verify_cert", "ssl_verify_identity", "ssl_disabled", "unix_socket", "ssl")
_SESSION = (
    "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,ALLOW_INVALID_DATES'",
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
)


class _Client(pymysql.connections.Connection):  # type: ignore[misc]
    """Where nothing is said of certificates none is checked. Still pymysql reads all that the machine trusts, which takes longer
    than to connect; so that is done once for all connections."""

    _usual: Any = None

    def _create_ssl_ctx(self, sslp: Any) -> Any:
        if sslp:
            return super()._create_ssl_ctx(sslp)
        if _Client._usual is None:
            _Client._usual = super()._create_ssl_ctx(sslp)
        return _Client._usual


def quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


class Refused(BelvedereError):
    """The server refused a statement, with its own number for why."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class Connection:
    """Statements on a server. One that does not answer, or answers too late: SourceUnavailable."""

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self.address = address
        self._connection = attempts(self._open, address.settings.retries)
        for statement in _SESSION:
            self.run(statement)
        self.run(f"SET SESSION lock_wait_timeout = {max(1, round(address.settings.connect_timeout))}")

    def _open(self) -> Any:
        a = self.address
        strange = set(a.options) - set(_TLS)
        if strange:
            raise BelvedereError(f"source {self.name!r}: MySQL has no option {min(strange)!r}; known: {', '.join(_TLS)}")
        options: dict[str, Any] = {k: v == "true" if v in ("true", "false") else v for k, v in a.options.items()}
        patience = max(1, round(a.settings.statement_timeout))
        with self._errors():
            return _Client(
                host=a.host or "localhost", port=a.port or 3306, user=a.user or None, password=password(self.name, a) or "",
                database=a.database, charset="utf8mb4", autocommit=True,
                connect_timeout=max(1, round(a.settings.connect_timeout)), read_timeout=patience, write_timeout=patience,
                **options,
            )  # fmt: skip

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except pymysql.InterfaceError as e:
            raise unavailable(self.name, self.address.shown, e) from e
        except pymysql.MySQLError as e:
            code = e.args[0] if e.args and isinstance(e.args[0], int) else 0
            said = e.args[1] if len(e.args) > 1 else e
            if code in _NOT_NOW or code >= _CLIENT:
                raise unavailable(self.name, self.address.shown, said) from e
            raise Refused(f"source {self.name!r} refused a statement: {said}", code) from e
        except OSError as e:
            raise unavailable(self.name, self.address.shown, e) from e

    def run(self, sql: str, values: Sequence[Any] | None = None) -> None:
        with self._errors(), self._connection.cursor() as cursor:
            cursor.execute(sql, values)

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._errors(), self._connection.cursor() as cursor:
            cursor.executemany(sql, rows)

    def rows(self, sql: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        with self._errors(), self._connection.cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall())

    def stream(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Batches as they come; nothing else can be asked before the last one."""
        with self._errors():
            cursor = self._connection.cursor(pymysql.cursors.SSCursor)
            cursor.execute(sql)
        try:
            while True:
                with self._errors():
                    batch = list(cursor.fetchmany(size))
                if not batch:
                    return
                yield batch
        finally:
            with suppress(pymysql.MySQLError, OSError):
                cursor.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of all InnoDB tables."""
        self.run("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        try:
            yield
        finally:
            with suppress(BelvedereError):
                self.run("ROLLBACK")

    def close(self) -> None:
        with suppress(pymysql.MySQLError, OSError):
            self._connection.close()
