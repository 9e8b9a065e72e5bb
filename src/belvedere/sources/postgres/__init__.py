"""PostgreSQL as a source: changes are told apart by the transaction that made them, so late commits are not missed."""

from belvedere.sources.postgres.source import PostgresSource

__all__ = ["PostgresSource"]
