"""From a URL to an open source. The driver of a system is imported when the first source of it is opened."""

from __future__ import annotations

from belvedere.sources.source import Source
from belvedere.sources.url import Address


def open_source(name: str, address: Address) -> Source:
    """Connect; SourceUnavailable if it does not answer."""
    match address.system:
        case "sqlite":
            from belvedere.sources.sqlite import SQLiteSource

            return SQLiteSource(name, address)
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
