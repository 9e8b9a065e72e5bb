"""A DuckDB file as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from belvedere.sources.duckdb_file.connection import Connection
from belvedere.sources.duckdb_file.snapshot import DuckDBFileSnapshot
from belvedere.sources.duckdb_file.tables import describe, sizes_of
from belvedere.sources.source import Position, TableInfo, Watch
from belvedere.sources.url import Address


class DuckDBFileSource:
    """Opened for one piece of work; the file can be written by nobody else meanwhile, so the work is short."""

    system = "DuckDB"

    def __init__(self, name: str, address: Address) -> None:
        self.name = name
        self._connection = Connection(name, address)

    def names(self) -> list[str]:
        with self._connection.reading():
            return list(sizes_of(self._connection))

    def describe(self, tables: Sequence[str] | None = None) -> list[TableInfo]:
        with self._connection.reading():
            return describe(self._connection, tables)

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        """Nothing can be installed; the stamps are all there is to know."""
        return Watch(watch.token, {}, {**watch.stamps, **{t.name: t.stamp for t in self.describe([t.name for t in tables])}})

    def unwatch(self, token: str) -> None:
        """Nothing was installed."""

    @contextmanager
    def snapshot(self, tables: Sequence[str], watch: Watch | None = None) -> Iterator[DuckDBFileSnapshot]:
        fingerprint = self._connection.fingerprint()
        with self._connection.reading():
            found = {t.name: t for t in describe(self._connection, tables, missing=True)}
            yield DuckDBFileSnapshot(self._connection, found, fingerprint)

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        """There is no log."""

    def close(self) -> None:
        self._connection.close()
