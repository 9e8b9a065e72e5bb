"""PostgreSQL as a source without triggers: changes are decoded from the server's own write-ahead log."""

from belvedere.sources.postgres.logical.source import LogicalSource

__all__ = ["LogicalSource"]
