"""Engines of a process share a database of DuckDB; what one of them brings is not seen by another."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import belvedere as bv
from belvedere.algebra.types import BigInt
from belvedere.engines.duckdb import DuckDBEngine, databases
from belvedere.engines.duckdb.databases import Database, shared
from belvedere.engines.function import Function, identifier


def of(engine: DuckDBEngine) -> list[Database]:
    return [database for database, _ in engine._databases.values()]


def test_equal_settings_are_one_database() -> None:
    one, two = DuckDBEngine(threads=1), DuckDBEngine(threads=1)
    one._open_small(), two._open_small()
    assert of(one) == of(two) != []
    one.close()
    assert two.query_text("select bv_divide(1.0::double, 2.0::double) x").to_pylist() == [{"x": 0.5}]
    two.close()


def test_other_settings_are_another_database() -> None:
    one, two, small = DuckDBEngine(threads=1), DuckDBEngine(threads=2), DuckDBEngine(threads=1, memory_limit="200MB")
    found = []
    for engine in (one, two, small):
        asked = "select value from duckdb_settings() where name in ('threads', 'memory_limit') order by name"
        found.append([r["value"] for r in engine.query_text(asked).to_pylist()])
        engine.close()
    assert [f[1] for f in found] == ["1", "2", "1"]
    assert found[2][0] != found[0][0] == found[1][0]


def test_a_limit_of_memory_is_not_shared() -> None:
    one, two = (DuckDBEngine(threads=1, memory_limit="200MB") for _ in range(2))
    one._open(), two._open()
    assert of(one) != of(two)
    one.close(), two.close()


def test_every_connection_has_the_settings() -> None:
    settings = DuckDBEngine(threads=1)._settings(1)
    con = shared(settings).connect()
    found = dict(con.execute("select name, value from duckdb_settings()").fetchall())
    assert {n: found[n] for n in settings} == {n: v.strip("'") for n, v in settings.items()}
    assert found["enable_progress_bar"] == "false"


def test_tables_and_statements_are_the_connections_own() -> None:
    database = shared(DuckDBEngine()._settings(1))
    one, two = database.connect(), database.connect()
    one.register("rows", pa.table({"a": [1]}))
    two.register("rows", pa.table({"a": [2]}))
    one.execute("prepare kept as select a from rows")
    two.execute("prepare kept as select a * 10 from rows")
    assert one.execute("execute kept").fetchall() == [(1,)]
    assert two.execute("execute kept").fetchall() == [(20,)]


@pytest.mark.parametrize("early", [True, False])
def test_a_function_is_one_engines_own(early: bool) -> None:
    one, two = DuckDBEngine(threads=1), DuckDBEngine(threads=1)
    two._open()
    for engine, step in ((one, 1), (two, 2)):
        if not early:
            engine._open(), engine._open_small()
        function = Function("f", lambda x, n=step: x + n, (BigInt(),), BigInt())
        engine.register(function)
    text = f"select {identifier('f')}(1) x"
    assert [e.query_text(text).to_pylist() for e in (one, two)] == [[{"x": 2}], [{"x": 3}]]
    with pytest.raises(duckdb.CatalogException):
        shared(one._settings(1)).connect().execute(text)
    one.close(), two.close()


def test_it_goes_with_the_last_engine() -> None:
    settings = {**DuckDBEngine()._settings(1), "max_expression_depth": "4321"}  # nobody else asks for these
    one = shared(settings)
    assert shared(settings) is one
    del one
    gc.collect()
    assert (os.getpid(), *settings.items()) not in databases._SHARED


def test_another_process_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = DuckDBEngine()._settings(1)
    here = shared(settings)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    there = shared(settings)
    assert isinstance(there, Database)
    assert there is not here


def test_a_worn_database_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What DuckDB keeps of statements goes with it; views and questions do not notice."""
    monkeypatch.setattr(databases, "WORN", 7)
    with bv.open(tmp_path / "one", engine="duckdb") as one, bv.open(tmp_path / "two", engine="duckdb") as two:
        for wh in (one, two):
            wh.create_table("t", "id bigint, k bigint", key="id")
            wh.load("t", [{"id": n, "k": n % 5} for n in range(50)])
            wh.create_view("v", "select a.k, count(*) n from t a join t b on a.k = b.id group by a.k")
        seen: list[weakref.ref[Database]] = []
        for turn in range(30):
            for wh in (one, two):
                with wh.transaction() as tx:
                    tx.update("t", {"k": "(k + 1) % 5"}, where=f"id % 9 = {turn % 9}")
                wh.view("v").refresh(strategy="incremental")
                assert wh.view("v").verify().ok
                assert wh.query("select count(*) n from v").rows() == [{"n": 5}]
                engine = wh.core.duckdb
                assert engine._small is not None
                database = engine._databases[engine._small][0]
                if not any(r() is database for r in seen):
                    seen.append(weakref.ref(database))
                del database
        assert len(seen) > 10
        gc.collect()
        assert sum(r() is not None for r in seen) <= 2, "each has one at the most"


def test_one_for_files_is_replaced_when_files_go(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = DuckDBEngine(threads=1)
    assert engine.query_text("select 1 x").to_pylist() == [{"x": 1}]
    before = engine._connection
    engine.forget(["nothing"])
    assert engine._connection is before
    monkeypatch.setattr(databases, "WORN", 1)
    engine.forget(["nothing"])
    assert engine._connection is None
    assert engine.query_text("select 2 x").to_pylist() == [{"x": 2}]
    engine.close()
