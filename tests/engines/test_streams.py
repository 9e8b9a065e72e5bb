"""Statements share the streams that they read; none sees the rows of another."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from belvedere.engines.duckdb import DuckDBEngine, streams
from belvedere.engines.duckdb.databases import shared
from belvedere.engines.duckdb.streams import Streams

A = pa.schema([("a", pa.int64()), ("_w", pa.int64())])
B = pa.schema([("b", pa.string()), ("_w", pa.int64())])


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    return shared(DuckDBEngine(threads=1)._settings(1)).connect()


def registered(con: duckdb.DuckDBPyConnection) -> set[str]:
    rows = con.execute("select view_name from duckdb_views() where temporary").fetchall()
    return {name for (name,) in rows if name.startswith("_rows_")}


def test_equal_forms_of_two_statements_are_one_stream(con: duckdb.DuckDBPyConnection) -> None:
    known = Streams()
    one, two = known.take(con, [A, B]), known.take(con, [B, A])
    assert {id(s) for s in one} == {id(s) for s in two}
    assert len(registered(con)) == 2


def test_equal_forms_of_one_statement_are_two_streams(con: duckdb.DuckDBPyConnection) -> None:
    first, second = Streams().take(con, [A, A])
    first.table, second.table = pa.table([[1], [1]], schema=A), pa.table([[2], [1]], schema=A)
    found = con.execute(f"select x.a, y.a from {first.name} x, {second.name} y").fetchall()
    assert found == [(1, 2)]


def test_what_no_statement_reads_goes_after_a_while(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "IDLE", 1)
    known = Streams()
    forms = [pa.schema([(f"c{n}", pa.int64())]) for n in range(4)]
    kept = known.take(con, forms[:1])
    for form in forms:
        known.give_back(con, known.take(con, [form]))
    assert registered(con) == {"_rows_1", "_rows_4"}
    assert known.take(con, forms[:1]) == kept
    known.give_back(con, known.take(con, forms[3:]))
    assert registered(con) == {"_rows_1", "_rows_4"}


def test_names_are_not_given_out_twice(con: duckdb.DuckDBPyConnection) -> None:
    known = Streams()
    before = known.take(con, [A])
    known.forget()
    after = known.take(con, [A])
    assert before[0].name != after[0].name
