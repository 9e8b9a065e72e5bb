"""Scans of files on both engines: columns that came and went, signs, many runs; and files that engines write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.again import Again
from tests.engines.files import collection, run, write_rows
from tests.engines.support import bag, check_types, expected, run_of, with_ids

from belvedere.algebra.ops import Aggregate, Filter, Get, Join
from belvedere.algebra.scalar import col
from belvedere.algebra.types import Column, Schema, parse_schema, parse_type
from belvedere.algebra.typing import scalar
from belvedere.engines.arrow import alike
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan
from belvedere.errors import EngineError

NESTED = with_ids(
    parse_schema("id bigint, tags array<string>, m map<string,decimal(5,2)>, st struct<`p q`:int,ts:timestamp>, n timestamp_ntz")
)


@pytest.fixture(scope="module", params=["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "spark":
        yield request.getfixturevalue("spark_engine")
        return
    made = Again(threads=2)
    yield made
    made.close()


def always(scan: Scan) -> Callable[[Get], Scan]:
    return lambda _: scan


def test_columns_that_came_and_went(engine: Engine, tmp_path: Path) -> None:
    first = with_ids(parse_schema("id bigint, gone string"))
    now = Schema(
        (
            Column("id", parse_type("bigint"), 1),
            Column("late", parse_type("decimal(5,1)"), 3),
            Column("never", parse_type("date"), 4),
        )
    )
    files = (
        write_rows(tmp_path / "a.parquet", first, [(1, "x", 1), (2, "y", 2)]),
        write_rows(tmp_path / "b.parquet", Schema(now.columns[:2]), [(3, Decimal("1.5"), 1), (1, None, -1)]),
    )
    memory = run_of(Schema((now.columns[0],)), [(4, 1)])
    node = Get("t", now, now.names)
    table, metrics = engine.run(node, always(Scan(now, files=files, tables=(memory,), rows=5)))
    check_types(table, node)
    assert bag(table) == expected((2, None, None, 2), (3, Decimal("1.5"), None, 1), (4, None, None, 1))
    assert metrics.scanned == {"t": 5}
    assert (metrics.rows_read, metrics.files) == (5, 2)


def test_files_that_count_with_the_other_sign(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint"))
    new = write_rows(tmp_path / "new.parquet", schema, [(1, 1), (2, 3)])
    old = write_rows(tmp_path / "old.parquet", schema, [(1, 1), (2, 1), (3, 1)])
    node = Get("t", schema, schema.names, "delta")
    table, _ = engine.run(node, always(Scan(schema, files=(new,), negative=(old,), rows=5)))
    assert bag(table) == expected((2, 2), (3, -1))


def test_the_same_collection_twice(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint, up bigint"))
    path = write_rows(tmp_path / "a b'c.parquet", schema, [(1, None, 1), (2, 1, 1), (3, 1, 2)])
    child = Get("t", schema, schema.names)
    parent = Get("t", Schema((Column("pid", parse_type("bigint")),)), ("id",))
    node = Join(child, parent, scalar("up = pid", Schema((*schema.columns, *parent.schema.columns))))
    table, _ = engine.run(node, always(Scan(schema, files=(path,), rows=3)))
    assert bag(table) == expected((2, 1, 1, 1), (3, 1, 1, 2))


def test_nested_values_come_back_as_they_went(engine: Engine, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    at, wall = datetime(2024, 2, 29, 1, 2, 3, 456, UTC), datetime(1999, 12, 31, 23, 59, 59)
    rows = [
        (1, ["b", None, ""], [("k", Decimal("1.25")), ("a", None)], {"p q": 1, "ts": at}, wall, 1),
        (2, [], [], {"p q": None, "ts": None}, None, 2), (3, None, None, None, wall, 1),
    ]  # fmt: skip
    path = write_rows(tmp_path / "n.parquet", NESTED, rows)
    node = Get("t", NESTED, NESTED.names)
    scan = Scan(NESTED, files=(path,), rows=3)
    table, _ = engine.run(node, always(scan))
    check_types(table, node)
    assert bag(table) == expected(*rows)
    columns = {c.name: c.id + 10 for c in NESTED}
    written, _ = write(engine, node, scan, columns, ["id"], tmp_path)
    again = Schema(tuple(Column(c.name, c.type, c.id + 10) for c in NESTED))
    assert_layout(written, collection(again).physical)
    back, _ = engine.run(Get("t", again, again.names), always(Scan(again, files=tuple(written), rows=3)))
    assert bag(back) == expected(*rows)


def write(
    engine: Engine, node: Any, scan: Scan, columns: Mapping[str, int], sort: Sequence[str], folder: Path
) -> tuple[list[str], Any]:
    target = folder / "out"
    target.mkdir()
    paths, metrics = engine.write(node, always(scan), columns, sort, str(target))
    assert sorted(paths) == sorted(str(p) for p in target.iterdir())
    return paths, metrics


def assert_layout(paths: Sequence[str], physical: pa.Schema) -> None:
    """Names, types and field ids all the way down."""
    for path in paths:
        found = pq.read_schema(path)
        assert found.names == physical.names
        assert all(alike(a.type, b.type) for a, b in zip(found, physical, strict=True))
        assert ids(pq.ParquetFile(path).schema_arrow) == ids(physical)


def ids(schema: pa.Schema) -> list[Any]:
    def walk(f: pa.Field) -> list[Any]:
        t = f.type
        if pa.types.is_map(t):
            inner = [t.key_field, t.item_field]
        elif pa.types.is_list(t):
            inner = [t.value_field]
        else:
            inner = [t.field(i) for i in range(t.num_fields)] if pa.types.is_struct(t) else []
        return [int(f.metadata[b"PARQUET:field_id"]), *(walk(i) for i in inner)]

    return [walk(f) for f in schema]


def test_written_files_are_sorted_with_small_row_groups(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint, name string"))
    rows = [(i * 7919 % 30011 if i % 100 else None, f"n{i}", 1 + i % 2) for i in range(30000)]
    path = write_rows(tmp_path / "in.parquet", schema, rows)
    paths, _ = write(
        engine, Get("t", schema, schema.names), Scan(schema, files=(path,), rows=30000), {"id": 5, "name": 6}, ["id"], tmp_path
    )
    found: list[Any] = []
    for p in paths:
        meta = pq.read_metadata(p)
        assert max(meta.row_group(g).num_rows for g in range(meta.num_row_groups)) <= 8192
        assert meta.row_group(0).column(0).statistics.has_min_max
        table = pq.read_table(p)
        assert table.column_names == ["c5", "c6", "_w"]
        values = table.column("c5").to_pylist()
        assert values == sorted(values, key=lambda v: (v is not None, v or 0))
        found += table.to_pylist()
    assert sorted((r["c6"], r["_w"]) for r in found) == sorted((r[1], r[2]) for r in rows)


def test_nothing_is_written_for_no_rows(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint"))
    assert write(engine, Get("t", schema, schema.names), Scan(schema), {"id": 1}, ["id"], tmp_path)[0] == []


def test_merge_puts_runs_together(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint, d double, m map<string,int>"))
    nan = float("nan")
    a = write_rows(tmp_path / "a.parquet", schema, [(2, nan, [("x", 1), ("y", 2)], 1), (1, 0.5, None, 1)])
    b = write_rows(tmp_path / "b.parquet", schema, [(2, nan, [("y", 2), ("x", 1)], 1), (1, 0.5, None, -1), (None, -0.0, [], 1)])
    out = str(tmp_path / "merged.parquet")
    engine.merge(collection(schema), [run(a, 2), run(b, 3)], (1,), out)
    assert_layout([out], collection(schema).physical)
    table = pq.read_table(out)
    assert table.column("c1").to_pylist() == [None, 2]
    assert bag(table) == expected((2, nan, [("x", 1), ("y", 2)], 2), (None, 0.0, [], 1))


def test_errors_are_ours(engine: Engine, tmp_path: Path) -> None:
    schema = with_ids(parse_schema("id bigint"))
    path = write_rows(tmp_path / "a.parquet", schema, [(0, 1)])
    node = Aggregate(Get("t", schema, schema.names), (("k", scalar("1 div id", schema)),), ())
    with pytest.raises(EngineError, match=r"(?i)division by zero"):
        engine.run(node, always(Scan(schema, files=(path,), rows=1)))
    with pytest.raises(EngineError, match="gone"):
        engine.run(Get("t", schema, schema.names), always(Scan(schema, files=(str(tmp_path / "gone.parquet"),), rows=1)))
    for _ in range(3):  # a statement that was prepared
        engine.run(Get("u", schema, schema.names), always(Scan(schema, files=(path,), rows=1)))
    with pytest.raises(EngineError, match="gone"):
        engine.run(Get("u", schema, schema.names), always(Scan(schema, files=(str(tmp_path / "gone.parquet"),), rows=1)))


@pytest.mark.parametrize("odd", ["a\nb", "a\r\nb", "\u2028", "'\n'", '"\n', "`\n`", "\\\n\\", "\\'\n"], ids=ascii)
def test_line_breaks_inside_of_values(engine: Engine, odd: str) -> None:
    """Statements are laid out in lines for people to read, and what is quoted stays as it is."""
    schema = with_ids(parse_schema("s string"))
    literal = odd.replace("\\", "\\\\").replace("'", "\\'")
    rows = Filter(Get("t", schema, schema.names), scalar(f"s = '{literal}'", schema))
    node = Aggregate(rows, (("s", col(schema["s"])), ("l", scalar(f"concat('{literal}', s)", schema))), ())
    scan = Scan(schema, tables=(run_of(schema, [(odd, 1), (odd.replace("\n", "\n  "), 1), ("", 1)]),), rows=3)
    found, _ = engine.run(node, always(scan))
    assert found.select(["s", "l"]).to_pylist() == [{"s": odd, "l": odd + odd}]


def test_more_than_one_row_of_a_scalar_subquery(engine: Engine) -> None:
    from belvedere.algebra.ops import Agg

    schema = with_ids(parse_schema("id bigint"))
    scan = Scan(schema, tables=(run_of(schema, [(1, 2)]),), rows=1)
    node = Aggregate(
        Get("t", schema, schema.names), (), (("v", Agg("single_value", (col(schema["id"]),), parse_type("bigint"))),)
    )
    with pytest.raises(EngineError, match="more than one row"):
        engine.run(node, always(scan))
