"""From a URL to an open source. The driver of a system is imported when the first source of it is opened."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from belvedere.sources.parts import Part
from belvedere.sources.source import Source
from belvedere.sources.url import LOGICAL, Address


def open_source(name: str, address: Address) -> Source:
    """Connect; SourceUnavailable if it does not answer."""
    match address.system:
        case "sqlite":
            from belvedere.sources.sqlite import SQLiteSource

            return SQLiteSource(name, address)
        case "postgres" if address.settings.changes == LOGICAL:
            from belvedere.sources.postgres.logical import LogicalSource

            return LogicalSource(name, address)
        case "postgres":
            from belvedere.sources.postgres import PostgresSource

            return PostgresSource(name, address)
        case "mysql":
            from belvedere.sources.mysql import MySQLSource

            return MySQLSource(name, address)
        case "duckdb":
            from belvedere.sources.duckdb_file import DuckDBFileSource

            return DuckDBFileSource(name, address)
        case _:
            raise AssertionError(f"no adapter for {address.system}")


def read_part(part: Part) -> Iterator[pa.Table]:
    """The rows of a part, in batches, over a connection of its own."""
    match part.address.system:
        case "postgres":
            from belvedere.sources.postgres import parts

            return parts.read_part(part)
        case _:
            raise AssertionError(f"{part.address.system} shares no snapshot")
