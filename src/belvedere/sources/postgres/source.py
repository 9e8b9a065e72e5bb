"""A PostgreSQL database as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from belvedere.sources.postgres import log
from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.postgres.snapshot import PostgresSnapshot
from belvedere.sources.postgres.tables import describe, tables_of
from belvedere.sources.source import LOG, Position, TableInfo, Watch, fresh_number, of_this_log
from belvedere.sources.url import Address


class PostgresSource:
    """Opened for one piece of work, by one thread at a time."""

    system = "PostgreSQL"

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self._connection = Connection(name, address)

    def names(self) -> list[str]:
        return list(tables_of(self._connection))

    def describe(self, tables: Sequence[str] | None = None) -> list[TableInfo]:
        with self._connection.transaction("ISOLATION LEVEL REPEATABLE READ"):
            return self._found(tables)

    def _found(self, tables: Sequence[str] | None, *, missing: bool = False) -> list[TableInfo]:
        return describe(self._connection, tables, missing=missing)

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        names = {t.name for t in tables}
        kept = {n: i for n, i in watch.tables.items() if n not in names}
        made, stamps = dict(kept), dict(watch.stamps)
        with self._altering():
            for old in log.logs(self._connection, watch.token) - {log.log_name(watch.token, i) for i in kept.values()}:
                log.remove(self._connection, old)
            for name in sorted(names):
                self._connection.run(f"LOCK TABLE {quote(name)} IN SHARE ROW EXCLUSIVE MODE")
            for info in self._found(sorted(names)):
                stamps[info.name] = info.stamp
                if info.follow == LOG:
                    made[info.name] = fresh_number()
                    log.install(self._connection, log.log_name(watch.token, made[info.name]), info)
        return Watch(watch.token, made, stamps)

    def unwatch(self, token: str) -> None:
        with self._altering():
            for old in log.logs(self._connection, token):
                log.remove(self._connection, old)

    @contextmanager
    def _altering(self) -> Iterator[None]:
        """A transaction that would rather fail than keep others waiting behind it for long."""
        with self._connection.transaction():
            self._connection.run(f"SET LOCAL lock_timeout = {int(self._connection.address.settings.connect_timeout * 1000)}")
            yield

    @contextmanager
    def snapshot(self, tables: Sequence[str], watch: Watch | None = None) -> Iterator[PostgresSnapshot]:
        there = {t.name for t in self._found(tables, missing=True)}
        with self._connection.transaction("ISOLATION LEVEL REPEATABLE READ"):
            # a truncation is seen even by older snapshots; the lock, taken before the snapshot is, keeps it away
            for name in sorted(there):
                self._connection.run(f"LOCK TABLE {quote(name)} IN ACCESS SHARE MODE")
            found = {t.name: t for t in self._found(sorted(there), missing=True)}
            with self._state(found, watch) as snapshot:
                yield snapshot

    @contextmanager
    def _state(self, tables: Mapping[str, TableInfo], watch: Watch | None) -> Iterator[PostgresSnapshot]:
        """What reads the state that the running transaction sees."""
        yield PostgresSnapshot(self._connection, tables, watch)

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        for table, positions in read.items():
            known = sorted({p["snapshot"] for p in of_this_log(watch, table, positions)})
            if known:
                seen = "bv_xid < pg_snapshot_xmax(%s::pg_snapshot) AND pg_visible_in_snapshot(bv_xid, %s::pg_snapshot)"
                name = quote(log.log_name(watch.token, watch.tables[table]))
                self._connection.run(
                    f"DELETE FROM {name} WHERE bv_w <> 0 AND {' AND '.join(seen for _ in known)}",
                    tuple(k for k in known for _ in range(2)),
                )

    def close(self) -> None:
        self._connection.close()
