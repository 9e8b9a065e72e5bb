"""The same tables in a plain DuckDB database, changed by its own statements: what a view must equal is asked here, in the
query's own text, without any part of Belvedere."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import sqlglot
from benchmarks.tpch.changes import Assign, Batch, Change, Delete, Insert, Replace
from benchmarks.tpch.tables import TABLES, Table
from sqlglot import exp


def to_duckdb(text: str) -> str:
    """A query in DuckDB's dialect. Where it has a limit, ties are broken by all output columns, so that it has one answer.

    >>> to_duckdb("select a, b from t order by b desc limit 3")
    'SELECT a, b FROM t ORDER BY b DESC, 1 NULLS FIRST, 2 NULLS FIRST LIMIT 3'
    """
    tree = sqlglot.parse_one(text, read="spark")
    if isinstance(tree, exp.Select) and tree.args.get("limit") is not None:
        ties = [exp.Ordered(this=exp.Literal.number(n + 1), nulls_first=True) for n in range(len(tree.selects))]
        tree = tree.order_by(*ties, append=True)
    return tree.sql("duckdb")


class Plain:
    """A database in memory, or in a file where it is large."""

    def __init__(self, data: Path, file: Path | None = None, threads: int | None = None) -> None:
        self.connection = duckdb.connect(str(file) if file else ":memory:")
        if threads:
            self.connection.execute(f"set threads = {threads}")
        for table in TABLES.values():
            columns = sqlglot.parse_one(f"create table {table.name} ({table.ddl})", read="spark").sql("duckdb")
            self.connection.execute(columns)
            self.connection.execute(f"insert into {table.name} from read_parquet(?)", [str(data / f"{table.name}.parquet")])

    def close(self) -> None:
        self.connection.close()

    def ask(self, sql: str) -> pa.Table:
        """DuckDB's own SQL."""
        return self.connection.sql(sql).to_arrow_table()

    def query(self, text: str) -> pa.Table:
        """Spark's SQL."""
        return self.ask(to_duckdb(text))

    def keys(self, table: Table) -> pa.Table:
        """All keys, in order."""
        names = ", ".join(table.key)
        return self.ask(f"select {names} from {table.name} order by {names}")

    def rows(self, table: Table, keys: pa.Table) -> pa.Table:
        """The rows with these keys, in order."""
        same = " and ".join(f"t.{k} = wanted.{k}" for k in table.key)
        order = ", ".join(table.key)
        return self.with_wanted(keys, f"select t.* from {table.name} t semi join wanted on {same} order by {order}")

    def with_wanted(self, wanted: pa.Table, sql: str) -> pa.Table:
        """DuckDB's own SQL over a table `wanted` besides the others."""
        self.connection.register("wanted", wanted)
        try:
            return self.ask(sql)
        finally:
            self.connection.unregister("wanted")

    def apply(self, batch: Batch) -> None:
        self.connection.execute("begin")
        for change in batch.changes:
            self._apply(change)
        self.connection.execute("commit")

    def _apply(self, change: Change) -> None:
        table = TABLES[change.table]
        if isinstance(change, Assign):
            sets = ", ".join(f"{column} = {value}" for column, value in change.values.items())
            self.connection.execute(
                sqlglot.transpile(f"update {table.name} set {sets} where {change.where}", read="spark", write="duckdb")[0]
            )
            return
        rows = change.keys if isinstance(change, Delete) else change.rows
        self.connection.register("wanted", rows)
        try:
            if isinstance(change, (Delete, Replace)):
                same = " and ".join(f"t.{k} = wanted.{k}" for k in table.key)
                self.connection.execute(f"delete from {table.name} t using wanted where {same}")
            if isinstance(change, (Insert, Replace)):
                self.connection.execute(f"insert into {table.name} by name from wanted")
        finally:
            self.connection.unregister("wanted")

    def export(self, directory: Path) -> Path:
        """The tables as Parquet, for whoever recomputes over files."""
        directory.mkdir(parents=True, exist_ok=True)
        for name in TABLES:
            self.connection.execute(f"copy {name} to '{directory / name}.parquet' (format parquet)")
        return directory

