"""What a statement of DuckDB's runs within: its rows in memory under their names, and its errors as ours."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from belvedere.engines.function import complaint
from belvedere.errors import EngineError, OutOfMemory

#: rows of a table that may stay registered after its statement
FEW = 10_000


class Registered:
    """In-memory tables under their names, for the time of a statement."""

    def __init__(self, con: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> None:
        self._con, self._tables = con, tables

    def __enter__(self) -> None:
        for name, table in self._tables.items():
            self._con.register(name, table)

    def __exit__(self, *_: object) -> None:
        for name, table in self._tables.items():
            if table.num_rows > FEW:  # a few rows may stay until the next statement takes the name
                self._con.unregister(name)


class Errors:
    """DuckDB's errors as ours, and those of files that cannot be read."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, duckdb.OutOfMemoryException):
            raise OutOfMemory(
                f"DuckDB needs more memory than it may take, even with the disk ({str(error).splitlines()[0]}); give it more "
                "with bv.open(…, memory=…) or BELVEDERE_MEMORY, or do this on Spark with engine=\"spark\""
            ) from error
        if isinstance(error, duckdb.Error):
            raise EngineError(complaint(str(error)) or f"DuckDB: {str(error).strip()}") from error
        if isinstance(error, (OSError, pa.ArrowInvalid)):
            raise EngineError(f"a file of the warehouse cannot be read: {error}") from error
