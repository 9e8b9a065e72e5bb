"""The in-process engine."""

from belvedere.engines.duckdb.engine import DuckDBEngine

__all__ = ["DuckDBEngine"]
