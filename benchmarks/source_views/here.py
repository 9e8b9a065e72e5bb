"""The view's own site: DuckDB in this process, on one thread so that its work is easy to count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa

from belvedere.algebra.types import Schema, to_arrow
from belvedere.sources.maintain.here import Selects


class Here(Selects):
    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set threads = 1")

    def ask(self, select: Any, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        for name, table in inputs.items():
            self.connection.register(name, table)
        found = self.connection.sql(select.sql("duckdb")).to_arrow_table()
        for name in inputs:
            self.connection.unregister(name)
        return found.cast(pa.schema([pa.field(c.name, to_arrow(c.type)) for c in types]))
