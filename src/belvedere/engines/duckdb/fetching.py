"""The rows of a statement as Arrow.

DuckDB's own Python has two ways. `execute` keeps the rows in another form and reads them back by a second statement, which takes
longer than many a first one here. `sql` asks for Arrow, but binds the statement before, once more than is needed, and what is
prepared it runs only once. Both end in one call below them, which does no more than is asked. It is not told of in the manual; so
where it is not there, `execute` will do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa

#: rows of a batch
BATCH = 131_072


def rows_of(con: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Run one statement, and give all of its rows."""
    submit: Callable[..., Any] | None = getattr(con, "_submit", None)
    return by_execute(con, sql) if submit is None else submit(sql, None, "arrow", BATCH).arrow_table()


def by_execute(con: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """The same by what is documented."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
        return con.execute(sql).to_arrow_table()
