"""Prepared statements over few rows: they see the rows of now, whatever was there when they were prepared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engines.files import write_rows
from tests.engines.support import Tables, bag, expected, run_of, with_ids

from belvedere.algebra.ops import Agg, Aggregate, Consolidate, Filter, Get, Join, Project, Share
from belvedere.algebra.scalar import col, compare, integer
from belvedere.algebra.types import BigInt, Column, Schema, parse_schema, parse_type
from belvedere.engines.duckdb import DuckDBEngine, kept
from belvedere.engines.scan import Scan
from belvedere.errors import EngineError


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    made = DuckDBEngine(threads=2)
    yield made
    made.close()


def prepared(engine: DuckDBEngine) -> int:
    return len(engine._kept._prepared)


def test_prepared_when_empty_and_run_with_rows(engine: DuckDBEngine) -> None:
    t = Tables()
    get = t.add("t", "k bigint, v bigint", [])
    node = Filter(Consolidate(get), compare(">", col(get.schema["v"]), integer(1)))
    for rows in ([], [], [(1, 1, 1), (1, 2, 1), (2, 5, 3)], [(None, 3, 1), (None, 3, 2), (7, 9, 1)], []):
        t.add("t", "k bigint, v bigint", rows, positive=True)
        wanted: dict[tuple[int | None, int], int] = {}
        for k, v, w in rows:
            if v > 1:
                wanted[k, v] = wanted.get((k, v), 0) + w
        table, metrics = engine.run(node, t)
        assert bag(table) == expected(*((*r, w) for r, w in wanted.items()))
    assert prepared(engine) == 1
    assert metrics.rows_read == 0


def test_a_scan_that_is_read_twice(engine: DuckDBEngine) -> None:
    t = Tables()
    a = t.add("t", "k bigint", [(1, 1), (2, 2)])
    b = Project(a, (("k2", col(a.schema["k"])),))
    node = Join(a, b, compare("=", col(a.schema["k"]), col(b.schema["k2"])))
    for rows in ([(1, 1), (2, 2)], [(3, 1)], [(4, 2), (5, 1)]):
        t.add("t", "k bigint", rows)
        assert bag(engine.run(node, t)[0]) == expected(*((k, k, w * w) for k, w in rows))
    assert prepared(engine) == 1


def test_files_of_both_signs_and_columns_that_came_later(engine: DuckDBEngine, tmp_path: Path) -> None:
    first = with_ids(parse_schema("id bigint"))
    now = Schema((*first.columns, Column("late", parse_type("decimal(5,1)"), 2)))
    plus, minus = write_rows(tmp_path / "a.parquet", first, [(1, 1), (2, 2)]), write_rows(tmp_path / "b.parquet", first, [(2, 1)])
    scan = Scan(now, files=(plus,), negative=(minus,), tables=(run_of(now, [(3, None, 1)]),), rows=4)
    node = Consolidate(Get("t", now, now.names))
    for _ in range(3):
        table, metrics = engine.run(node, lambda _: scan)
        assert bag(table) == expected((1, None, 1), (2, None, 1), (3, None, 1))
        assert (metrics.rows_read, metrics.files) == (4, 2)
    assert prepared(engine) == 1


def test_another_column_behind_a_name_is_another_statement(engine: DuckDBEngine) -> None:
    a = Schema((Column("v", BigInt(), 1),))
    b = Schema((Column("v", parse_type("string"), 2),))
    for schema, rows, wanted in ((a, [(1, 1)], (1, 1)), (b, [("x", 1)], ("x", 1))):
        node = Get("t", schema, schema.names)
        for _ in range(3):
            table, _ = engine.run(node, lambda _, s=schema, r=rows: Scan(s, tables=(run_of(s, r),), rows=1))  # type: ignore[misc]
            assert bag(table) == expected(wanted)
    assert prepared(engine) == 2


def test_an_error_leaves_the_statement_usable(engine: DuckDBEngine) -> None:
    t = Tables()
    get = t.add("t", "v bigint", [])
    node = Aggregate(get, (), (("s", Agg("sum", (col(get.schema["v"]),), BigInt())),))
    large = 2**62
    for rows, good in (([(1, 1)], True), ([(1, 1)], True), ([(large, 1), (large, 1)], False), ([(2, 1)], True)):
        t.add("t", "v bigint", rows, positive=True)
        if good:
            assert bag(engine.run(node, t)[0]) == expected((rows[0][0], 1))
        else:
            with pytest.raises(EngineError):
                engine.run(node, t)
        assert [s.table.num_rows for s in engine._kept._streams._known.values()] == [0]  # the rows are let go


def test_large_scans_are_left_to_the_reader_of_files(engine: DuckDBEngine) -> None:
    t = Tables()
    get = t.add("t", "v bigint", [(1, 1)])
    t.scans["t"] = replace(t.scans["t"], rows=kept.FEW + 1)
    for _ in range(3):
        engine.run(get, t)
    assert prepared(engine) == 0


def test_no_more_are_kept_than_the_limit(engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LIMIT", 3)
    t = Tables()
    get = t.add("t", "v bigint", [(5, 1)])
    for _ in range(2):
        for n in range(2):
            node = Filter(get, compare(">", col(get.schema["v"]), integer(n)))
            for _ in range(3):
                assert bag(engine.run(node, t)[0]) == expected((5, 1))
    for n in range(2, 8):
        node = Filter(get, compare(">", col(get.schema["v"]), integer(n)))
        for _ in range(3):
            assert bag(engine.run(node, t)[0]) == expected(*([(5, 1)] if n < 5 else []))
    assert prepared(engine) == 3


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("name", ["rows_2", "_rows_2"])
def test_a_relation_that_is_called_like_the_stream_of_another(engine: DuckDBEngine, name: str, measured: bool) -> None:
    t = Tables()
    one, two = t.add("one", "a bigint", [(1, 1), (2, 3)]), t.add("two", "b string, c bigint", [("x", 2, 1)])
    node = Join(Share(one, name), two, compare("=", col(one.schema["a"]), col(two.schema["c"])))
    assert bag(engine.run(node, t, measured=measured)[0]) == expected((2, "x", 2, 3))
    assert {s.name for s in engine._kept._streams._known.values()} == {"_rows_1", "_rows_2"}
