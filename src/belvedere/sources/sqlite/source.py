"""A SQLite file as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from belvedere.errors import UnknownName
from belvedere.sources.source import LOG, Position, TableInfo, Watch, fresh_number, of_this_log
from belvedere.sources.sqlite import log
from belvedere.sources.sqlite.connection import Connection
from belvedere.sources.sqlite.snapshot import SQLiteSnapshot
from belvedere.sources.sqlite.tables import describe, texts_of
from belvedere.sources.url import Address


class SQLiteSource:
    """Opened for one piece of work, by one thread at a time."""

    system = "SQLite"

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self._connection = Connection(name, address)

    def names(self) -> list[str]:
        return list(texts_of(self._connection))

    def describe(self, tables: Sequence[str] | None = None) -> list[TableInfo]:
        with self._connection.reading():
            return describe(self._connection, tables)

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        names = {t.name for t in tables}
        kept = {n: i for n, i in watch.tables.items() if n not in names}
        made, stamps = dict(kept), dict(watch.stamps)
        with self._connection.writing():
            for old in log.logs(self._connection, watch.token) - {log.log_name(watch.token, i) for i in kept.values()}:
                log.remove(self._connection, old)
            for info in describe(self._connection, sorted(names)):
                stamps[info.name] = info.stamp
                if info.follow == LOG:
                    made[info.name] = fresh_number()
                    log.install(self._connection, log.log_name(watch.token, made[info.name]), info)
        return Watch(watch.token, made, stamps)

    def unwatch(self, token: str) -> None:
        with self._connection.writing():
            for old in log.logs(self._connection, token):
                log.remove(self._connection, old)

    @contextmanager
    def snapshot(self, tables: Sequence[str], watch: Watch | None = None) -> Iterator[SQLiteSnapshot]:
        with self._connection.reading():
            found = {}
            for name in tables:
                try:
                    [found[name]] = describe(self._connection, [name])
                except UnknownName:
                    continue
            yield SQLiteSnapshot(self._connection, found, watch)

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        with self._connection.writing():
            for table, positions in read.items():
                if known := of_this_log(watch, table, positions):
                    name, last = log.log_name(watch.token, watch.tables[table]), min(p["seq"][table] for p in known)
                    self._connection.run(f"DELETE FROM {name} WHERE bv_seq BETWEEN 1 AND ?", (last,))

    def close(self) -> None:
        self._connection.close()
