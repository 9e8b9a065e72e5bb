"""Databases to attach, one of each system, all spoken to in the same few words by the tests."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

import duckdb
import psycopg
from tests.servers.mariadb import MariaDB

LOGGED = ("sqlite", "postgres", "mariadb")
SYSTEMS = (*LOGGED, "duckdb")


class Site:
    """A database of one test. `execute` is a transaction of its own; `begin` gives a connection in a transaction."""

    system: str
    url: str
    text = "text"
    quoted = '"{}"'

    def execute(self, *statements: str) -> None:
        raise NotImplementedError

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def begin(self) -> Any:
        """A connection with execute(sql), commit(), rollback() and close()."""
        raise NotImplementedError

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        return sorted(self.fetch(f"select * from {self.quoted.format(table)}"), key=repr)

    def objects(self) -> list[str]:
        """What Belvedere has made there."""
        raise NotImplementedError

    def settle(self) -> None:
        """Let so much time pass that a change after it can be told from one before."""


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
        self.url = server.rsplit("/", 1)[0] + "/" + database

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.url) as c:
            for s in statements:
                c.execute(s)

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as c:
            return c.execute(sql).fetchall()

    def begin(self) -> Any:
        return psycopg.connect(self.url)

    def objects(self) -> list[str]:
        found = self.fetch(
            "select relname from pg_class where relname like 'bv_log%' union all select proname from pg_proc where proname like "
            "'bv_log%' union all select tgname from pg_trigger where tgname like 'bv_log%'"
        )
        return [n for (n,) in found]


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

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(self.path, read_only=True) as c:
            return c.execute(sql).fetchall()

    def objects(self) -> list[str]:
        return [n for (n,) in self.fetch("select table_name from duckdb_tables() where table_name like 'bv_log%'")]

    def settle(self) -> None:
        """As if the file had been written long ago."""
        long_ago = time.time() - 60
        os.utime(self.path, (long_ago, long_ago))
