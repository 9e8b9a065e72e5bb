"""Rows come as Arrow by the short way, and are the same as by the documented one."""

from __future__ import annotations

import warnings

import duckdb
import pyarrow as pa
import pytest

from belvedere.engines.duckdb import fetching
from belvedere.engines.duckdb.fetching import by_execute, rows_of

STATEMENTS = (
    "SELECT 1 AS a, NULL AS b WHERE false",
    "SELECT CAST(x AS DECIMAL(38, 3)) AS d, CAST(x AS DOUBLE) AS f, 'é' || x AS t FROM range(5) r(x)",
    "SELECT 'nan'::DOUBLE AS f, -0.0::DOUBLE AS z, NULL::VARCHAR AS t, ''::VARCHAR AS e",
    "SELECT [1, NULL] AS l, {'a': 1, 'b': NULL::DATE} AS s, MAP {'k': 2} AS m, 'x'::BLOB AS b",
    "SELECT DATE '2020-02-29' AS d, TIMESTAMPTZ '2020-01-01 00:00:00+00' AS z, TIMESTAMP '1-01-01' AS t, true AS b",
    "SELECT x, x % 7 AS y FROM range(300000) r(x)",
)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 1})
    con.execute("SET TimeZone = 'UTC'")
    return con


@pytest.mark.parametrize("sql", STATEMENTS)
def test_both_ways_give_the_same(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    found, expected = rows_of(con, sql), by_execute(con, sql)
    assert found.schema == expected.schema
    assert found.num_rows == expected.num_rows
    # NaN is not equal to itself
    assert str(found.slice(0, 5).to_pylist()) == str(expected.slice(0, 5).to_pylist())
    last = max(0, found.num_rows - 5)
    assert str(found.slice(last).to_pylist()) == str(expected.slice(last).to_pylist())


def test_what_is_prepared_runs_again_over_other_rows(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.execute("PREPARE p AS SELECT a FROM t")
    assert rows_of(con, "EXECUTE p").to_pylist() == [{"a": 1}]
    con.execute("INSERT INTO t VALUES (2)")
    assert rows_of(con, "EXECUTE p").to_pylist() == [{"a": 1}, {"a": 2}]


def test_errors_are_those_of_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    for way in (rows_of, by_execute):
        with pytest.raises(duckdb.Error, match="nothing_of_that_name"):
            way(con, "SELECT * FROM nothing_of_that_name")
    assert rows_of(con, "SELECT 3 AS a").to_pylist() == [{"a": 3}]


def test_it_does_without_the_short_way(con: duckdb.DuckDBPyConnection) -> None:
    class Older:
        """A connection without the call below."""

        def execute(self, sql: str) -> duckdb.DuckDBPyConnection:
            return con.execute(sql)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table: pa.Table = fetching.rows_of(Older(), "SELECT 4 AS a")  # type: ignore[arg-type]
    assert table.to_pylist() == [{"a": 4}]
