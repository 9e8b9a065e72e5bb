"""Databases to attach, one of each system, all spoken to in the same few words by the tests."""

from __future__ import annotations

import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import duckdb
import psycopg
from tests.servers.mariadb import MariaDB

LOGGED = ("sqlite", "postgres", "mariadb")
SYSTEMS = (*LOGGED, "duckdb")


class Site(ABC):
    """A database of one test. `execute` is a transaction of its own; `begin` gives a connection in a transaction."""

    system: str
    url: str
    text = "text"
    quoted = '"{}"'

    @abstractmethod
    def execute(self, *statements: str) -> None: ...

    @abstractmethod
    def fetch(self, sql: str) -> list[tuple[Any, ...]]: ...

    @abstractmethod
    def begin(self) -> Any:
        """A connection with execute(sql), commit(), rollback() and close()."""

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        return sorted(self.fetch(f"select * from {self.quoted.format(table)}"), key=repr)

    @abstractmethod
    def objects(self) -> list[str]:
        """What Belvedere has made there."""

    def with_option(self, option: str) -> str:
        """Its URL with one more option."""
        return f"{self.url}{'&' if '?' in self.url else '?'}{option}"

    def settle(self) -> None:
        """Let so much time pass that a change after it can be told from one before: most need none."""
        return


class SQLiteSite(Site):
    system = "sqlite"

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, "site.db")
        self.url = f"sqlite:///{self.path}"
        with sqlite3.connect(self.path) as c:
            c.execute("pragma journal_mode = wal")
        c.close()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, isolation_level=None, timeout=30, check_same_thread=False)

    def execute(self, *statements: str) -> None:
        c = self._connect()
        try:
            c.execute("begin immediate")
            for s in statements:
                c.execute(s)
            c.execute("commit")
        finally:
            c.close()

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        c = self._connect()
        try:
            return c.execute(sql).fetchall()
        finally:
            c.close()

    def begin(self) -> Any:
        c = self._connect()
        c.execute("begin immediate")
        return c

    def objects(self) -> list[str]:
        return [n for (n,) in self.fetch("select name from sqlite_master where name like 'bv_log%'")]


class PostgresSite(Site):
    system = "postgres"

    def __init__(self, server: str, database: str) -> None:
        with psycopg.connect(server, autocommit=True) as c:
            c.execute(f'create database "{database}"')
        self.url = self.place = server.rsplit("/", 1)[0] + "/" + database

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.place) as c:
            for s in statements:
                c.execute(s)

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.place) as c:
            return c.execute(sql).fetchall()

    def begin(self) -> Any:
        return psycopg.connect(self.place)

    def objects(self) -> list[str]:
        found = self.fetch(
            "select relname from pg_class where relname like 'bv_log%' union all select proname from pg_proc where proname like "
            "'bv_log%' union all select tgname from pg_trigger where tgname like 'bv_log%'"
        )
        return [n for (n,) in found]


class LogicalSite(PostgresSite):
    """Attached by the decoded log; the server has wal_level = logical."""

    def __init__(self, server: str, database: str) -> None:
        super().__init__(server, database)
        self.url = self.with_option("changes=logical")

    def objects(self) -> list[str]:
        found = self.fetch(
            "select pubname::text from pg_publication union all select slot_name::text from pg_replication_slots "
            "where database = current_database() "
            "union all select 'identity of ' || relname from pg_class where relreplident = 'f'"
        )
        return super().objects() + [n for (n,) in found]

    def forget(self) -> None:
        """Without its slots the server can throw away what was written so far."""
        self.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()")

    def untold(self) -> int:
        """Changed rows that its slots would tell."""
        [(count,)] = self.fetch(
            "select count(*) from pg_replication_slots s, pg_publication p, pg_logical_slot_peek_binary_changes("
            "s.slot_name, NULL, NULL, 'proto_version', '1', 'publication_names', p.pubname) c "
            "where s.database = current_database() and s.slot_name like p.pubname || '%' "
            "and substr(c.data, 1, 1) in ('I', 'U', 'D')"
        )
        return int(count)


class _MariaConnection:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        connection.begin()

    def execute(self, sql: str, values: Sequence[Any] | None = None) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(sql, values)

    def commit(self) -> None:
        self._connection.commit()
        self._connection.begin()

    def rollback(self) -> None:
        self._connection.rollback()
        self._connection.begin()

    def close(self) -> None:
        self._connection.close()


class MariaSite(Site):
    system = "mariadb"
    text = "varchar(100)"
    quoted = "`{}`"

    def __init__(self, server: MariaDB, database: str) -> None:
        self.server, self.database = server, database
        c = server.connect()
        c.cursor().execute(f"create database `{database}` character set utf8mb4")
        c.close()
        self.url = server.url(database)

    def execute(self, *statements: str) -> None:
        c = self.begin()
        try:
            for s in statements:
                c.execute(s)
            c.commit()
        finally:
            c.close()

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        c = self.server.connect(self.database)
        try:
            with c.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall())
        finally:
            c.close()

    def begin(self) -> Any:
        return _MariaConnection(self.server.connect(self.database))

    def objects(self) -> list[str]:
        found = self.fetch(
            "select table_name from information_schema.tables where table_schema = database() and table_name like 'bv_log%'"
        )
        found += self.fetch("select trigger_name from information_schema.triggers where trigger_schema = database()")
        return [n for (n,) in found]


class DuckDBSite(Site):
    system = "duckdb"

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, "site.duckdb")
        self.url = f"duckdb:///{self.path}"
        duckdb.connect(self.path).close()

    def execute(self, *statements: str) -> None:
        with duckdb.connect(self.path) as c:
            c.execute("begin")
            for s in statements:
                c.execute(s)
            c.execute("commit")

    def begin(self) -> Any:
        """It has the file to itself until it is closed: others, readers too, are refused."""
        c = duckdb.connect(self.path)
        c.begin()
        return c

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(self.path, read_only=True) as c:
            return c.execute(sql).fetchall()

    def objects(self) -> list[str]:
        return [n for (n,) in self.fetch("select table_name from duckdb_tables() where table_name like 'bv_log%'")]

    def settle(self) -> None:
        """As if the file had been written long ago."""
        long_ago = time.time() - 60
        os.utime(self.path, (long_ago, long_ago))
