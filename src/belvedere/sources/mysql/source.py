"""A MariaDB or MySQL database as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from belvedere.errors import SourceUnavailable
from belvedere.sources.mysql import log
from belvedere.sources.mysql.connection import ALTERED, GONE, Connection, Refused, quote
from belvedere.sources.mysql.snapshot import MySQLSnapshot
from belvedere.sources.mysql.tables import describe, tables_of
from belvedere.sources.source import LOG, Position, TableInfo, Watch, fresh_number, of_this_log
from belvedere.sources.url import Address

#: how often a snapshot is begun again because a table was altered meanwhile
TRIES = 20


class MySQLSource:
    """Opened for one piece of work, by one thread at a time."""

    system = "MariaDB"

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self._connection = Connection(name, address)

    def names(self) -> list[str]:
        return list(tables_of(self._connection))

    def describe(self, tables: Sequence[str] | None = None) -> list[TableInfo]:
        return [d.info for d in describe(self._connection, tables)]

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        names = {t.name for t in tables}
        kept = {n: i for n, i in watch.tables.items() if n not in names}
        made, stamps = dict(kept), dict(watch.stamps)
        for old in log.logs(self._connection, watch.token) - {log.log_name(watch.token, i) for i in kept.values()}:
            log.remove(self._connection, old)
        for table in describe(self._connection, sorted(names)):
            stamps[table.info.name] = table.info.stamp
            if table.info.follow == LOG:
                made[table.info.name] = fresh_number()
                log.install(self._connection, log.log_name(watch.token, made[table.info.name]), table)
        return Watch(watch.token, made, stamps)

    def unwatch(self, token: str) -> None:
        for old in log.logs(self._connection, token):
            log.remove(self._connection, old)

    @contextmanager
    def snapshot(self, tables: Sequence[str], watch: Watch | None = None) -> Iterator[MySQLSnapshot]:
        for _ in range(TRIES):
            with self._connection.reading():
                there = self._held(tables)
                if there is not None:
                    found = {t.info.name: t for t in describe(self._connection, there, missing=True)}
                    yield MySQLSnapshot(self._connection, found, watch)
                    return
        raise SourceUnavailable(f"source {self.name!r}: its tables are altered faster than they can be read; try again later")

    def _held(self, tables: Sequence[str]) -> list[str] | None:
        """Those of the tables that are there, kept from being altered by having been read; None if one was altered since the
        snapshot began."""
        there = []
        for name in tables:
            try:
                self._connection.rows(f"SELECT 1 FROM {quote(name)} LIMIT 1")
                there.append(name)
            except Refused as e:
                if e.code == ALTERED:
                    return None
                if e.code != GONE:
                    raise
        return there

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        # without locks on gaps, in which others may be about to write
        self._connection.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        # a delete looks at the entry behind those it is for; whoever holds that one need not be waited for
        self._connection.run("SET SESSION innodb_lock_wait_timeout = 1")
        for table, positions in read.items():
            if known := of_this_log(watch, table, positions):
                name = log.log_name(watch.token, watch.tables[table])
                for low, high in log.in_all([p["read"][table] for p in known]):
                    self._connection.run(f"DELETE FROM {name} WHERE bv_seq BETWEEN %s AND %s AND bv_w <> 0", (low, high))

    def close(self) -> None:
        self._connection.close()
