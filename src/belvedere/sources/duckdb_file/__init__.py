"""DuckDB files as sources: no triggers, so they are always mirrored, and their changes are found by comparing."""

from belvedere.sources.duckdb_file.source import DuckDBFileSource

__all__ = ["DuckDBFileSource"]
