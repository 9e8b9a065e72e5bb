"""SQLite files as sources: one writer at a time, so a log's number is its place in history."""

from belvedere.sources.sqlite.source import SQLiteSource

__all__ = ["SQLiteSource"]
