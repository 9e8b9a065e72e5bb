"""The view's own site for tests: DuckDB in this process."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import Schema, to_arrow
from belvedere.sources.maintain.here import Selects


class Duck(Selects):
    """Answers selects over Arrow tables; counts them."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set threads = 1")
        self.count = 0

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        self.count += 1
        return self.sql(select.sql("duckdb"), inputs, types)

    def sql(self, text: str, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        for name, table in inputs.items():
            self.connection.register(name, table)
        found = self.connection.sql(text).to_arrow_table()
        for name in inputs:
            self.connection.unregister(name)
        return found.cast(pa.schema([pa.field(c.name, to_arrow(c.type)) for c in types]))
