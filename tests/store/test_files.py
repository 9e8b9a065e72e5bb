"""Data files: their schema, ids, pages and order, and what the catalog knows about them without opening them."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.store.helpers import append_table, assert_tidy, content, files, make, numbers, rows

from belvedere.algebra.types import BigInt, Column, Schema, String, Void, parse_schema, to_arrow
from belvedere.errors import StoreError
from belvedere.store import Store
from belvedere.store.parquet import write_table
from belvedere.store.physical import child_ids, named_schema, physical_schema

_NESTED = parse_schema("id bigint, s struct<a:int,b:array<map<string,decimal(9,2)>>>, m map<int,struct<q:date>>, t tinyint")
NESTED = Schema((*_NESTED.columns[:3], Column("n", Void()), _NESTED.columns[3]))


def field_ids(schema: pa.Schema) -> list[int]:
    found: list[int] = []

    def walk(f: pa.Field) -> None:
        if f.metadata and b"PARQUET:field_id" in f.metadata:
            found.append(int(f.metadata[b"PARQUET:field_id"]))
        t = f.type
        for child in [t.field(i) for i in range(t.num_fields)] if pa.types.is_nested(t) else []:
            walk(child)

    for f in schema:
        walk(f)
    return found


def test_the_physical_schema_has_ids_all_the_way_down() -> None:
    schema = Schema(tuple(Column(c.name, c.type, n) for n, c in enumerate(NESTED, 1)))
    physical = physical_schema(schema)
    assert physical.names == ["c1", "c2", "c3", "c4", "c5", "_w"]
    assert [physical.field(n).type for n in physical.names[:-1]] == [to_arrow(c.type) for c in schema]
    ids = field_ids(physical)
    assert ids[-1] == 2_000_000_000
    assert len(set(ids)) == len(ids) == 14
    assert {i for i in ids if i < 1000} == {1, 2, 3, 4, 5}
    assert named_schema(schema).names == ["id", "s", "m", "n", "t"]
    assert field_ids(named_schema(schema)) == ids[:-1]


def test_too_many_nested_fields() -> None:
    ids = child_ids(3)
    assert [next(ids) for _ in range(999)][-1] == 1_003_999
    with pytest.raises(StoreError, match="more than 999 nested fields"):
        next(ids)


def test_a_written_file(store: Store) -> None:
    orders = make(store, sort=("customer", "id"))
    append_table(store, orders, numbers(orders, 0, 20_000))
    [run] = store.snapshot(orders)
    assert (run.rows, run.deletes, run.arrangement, run.bytes) == (20_000, 0, (2, 1), os.path.getsize(run.path))
    file = pq.ParquetFile(run.path)
    meta = file.metadata
    assert [meta.row_group(g).num_rows for g in range(meta.num_row_groups)] == [8192, 8192, 3616]
    chunk = meta.row_group(0).column(0)
    assert (chunk.compression, chunk.has_column_index, chunk.has_offset_index, chunk.is_stats_set) == ("SNAPPY", True, True, True)
    assert field_ids(file.schema_arrow) == [1, 2, 3, 2_000_000_000]
    read = file.read().to_pydict()
    assert list(zip(read["c2"], read["c1"], strict=True)) == sorted(zip(read["c2"], read["c1"], strict=True))
    assert run.stats["1"] == {"min": 0, "max": 19_999, "nulls": 0}


@pytest.mark.parametrize(
    ("count", "compression", "dictionary"), [(9, "UNCOMPRESSED", False), (600, "SNAPPY", True), (300_000, "ZSTD", True)]
)
def test_what_stays_for_long_is_written_small(tmp_path: Path, count: int, compression: str, dictionary: bool) -> None:
    named = Schema((Column("a", BigInt(), 1), Column("b", String(), 2)))
    schema = physical_schema(named)
    table = pa.table([pa.array(range(count)), pa.array([f"{n % 9}" for n in range(count)]), pa.array([1] * count)], schema=schema)
    write_table(str(tmp_path / "f.parquet"), schema, table)
    meta = pq.ParquetFile(tmp_path / "f.parquet").metadata
    number, text = (meta.row_group(0).column(n) for n in (0, 1))
    assert {number.compression, text.compression} == {compression}
    assert (number.has_dictionary_page, text.has_dictionary_page) == (False, dictionary)
    assert pq.read_table(tmp_path / "f.parquet").equals(table)



def test_nested_rows_come_back(store: Store) -> None:
    c = make(store, "n", NESTED)
    value = (1, {"a": 5, "b": [[("k", Decimal("1.50"))], None]}, [(7, {"q": datetime.date(2026, 11, 15)})], None, -3)
    append_table(store, c, rows(c, value, (2, None, None, None, None)))
    [run] = store.snapshot(c)
    found = pq.read_table(run.path)
    assert field_ids(found.schema) == field_ids(c.physical)
    assert [tuple(r[n] for n in c.physical.names[:-1]) for r in found.to_pylist()] == [value, (2, None, None, None, None)]


def test_statistics_of_small_runs(store: Store) -> None:
    columns = "id bigint, d decimal(9,2), s string, day date, ok boolean, f double, long string, none string"
    c = make(store, "t", columns)
    values: list[tuple[Any, ...]] = [
        (n, Decimal(n) / 4, f"s{n % 3}", datetime.date(2026, 1, 1 + n % 20), n % 2 == 0, float(n), "y" * n, None)
        for n in range(70)
    ]
    append_table(store, c, rows(c, (None,) * 8, *values))
    stats = store.snapshot(c)[0].stats
    assert stats["1"] == {"min": 0, "max": 69, "nulls": 1}
    assert stats["2"] == {"min": "0.00", "max": "17.25", "nulls": 1}
    assert (sorted(stats["3"]["values"]), stats["3"]["min"], stats["3"]["max"]) == (["s0", "s1", "s2"], "s0", "s2")
    assert (stats["4"]["min"], stats["4"]["max"], len(stats["4"]["values"])) == ("2026-01-01", "2026-01-20", 20)
    assert (stats["5"]["min"], stats["5"]["max"], sorted(stats["5"]["values"])) == (False, True, [False, True])
    assert "6" not in stats
    assert stats["7"] == {"nulls": 1}
    assert stats["8"] == {"nulls": 71, "values": []}


def test_statistics_of_large_runs_come_from_the_footer(store: Store) -> None:
    c = make(store, "t", "id bigint, d decimal(9,2), s string, day date, none int")
    n = 10_001
    table = pa.table(
        [
            pa.array(range(n), pa.int64()),
            pa.array([Decimal(i) / 4 for i in range(n)], pa.decimal128(9, 2)),
            pa.array([f"{i:05d}" for i in range(n)]),
            pa.array([datetime.date(2026, 1, 1 + i % 20) for i in range(n)]),
            pa.nulls(n, pa.int32()),
            pa.array([1] * n, pa.int64()),
        ],
        names=c.physical.names,
    )
    append_table(store, c, table)
    stats = store.snapshot(c)[0].stats
    assert stats["1"] == {"min": 0, "max": 10_000, "nulls": 0}
    assert stats["3"] == {"min": "00000", "max": "10000", "nulls": 0}
    assert stats["4"] == {"min": "2026-01-01", "max": "2026-01-20", "nulls": 0}
    assert stats["5"] == {"nulls": n}
    assert stats.get("2", {"min": "0.00", "max": "2500.00", "nulls": 0}) == {"min": "0.00", "max": "2500.00", "nulls": 0}


def test_a_decimal_stored_as_an_integer_gives_no_wrong_bound(store: Store) -> None:
    c = make(store, "t", "id bigint, d decimal(9,2)")
    n = 10_001
    with store.begin() as tx:
        path = os.path.join(tx.directory(), "x.parquet")
        values = [pa.array(range(n)), pa.array([Decimal(i) / 4 for i in range(n)], pa.decimal128(9, 2)), pa.array([1] * n)]
        pq.write_table(pa.table(values, names=c.physical.names), path, store_decimal_as_integer=True)
        [run] = tx.adopt(c, [path])
    assert run.stats["1"]["max"] == 10_000
    assert run.stats.get("2", {"max": "2500.00"})["max"] == "2500.00"


def test_the_writer_may_add_to_the_statistics(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx:
        tx.append(orders, rows(orders, (1, 1, "a")), stats={"changed": [2]})
        tx.publish()
    stats = store.snapshot(orders)[0].stats
    assert (stats["changed"], stats["1"]["values"]) == ([2], [1])


def test_adopted_files(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx:
        inside = os.path.join(tx.directory(), "part")
        os.makedirs(inside)
        paths = [os.path.join(inside, f"{n}.parquet") for n in range(4)]
        write_table(paths[0], orders.physical, rows(orders, (1, 1, "a"), (2, 1, "a", -1), (3, 1, "a", 2)))
        write_table(paths[1], orders.physical, rows(orders, (4, 1, "a")))
        write_table(paths[2], orders.physical, rows(orders))
        write_table(paths[3], orders.physical, numbers(orders, 10, 9000))
        with open(os.path.join(inside, "_SUCCESS"), "w"):
            pass
        runs = tx.adopt(orders, paths, stats={"by": "engine"})
        tx.publish()
    assert [(r.rows, r.deletes, r.arrangement) for r in runs] == [(3, 1, None), (1, 0, None), (8990, 0, ())]
    assert {r.stats["by"] for r in store.snapshot(orders)} == {"engine"}
    assert sum(content(store).values()) == (1 - 1 + 2) + 1 + 8990
    assert len(files(store)) == 3
    assert_tidy(store)


def test_sorted_files_of_an_engine_keep_their_order(store: Store) -> None:
    orders = make(store, arrangements=(("customer",),))
    with store.begin() as tx:
        path = os.path.join(tx.directory(), "x.parquet")
        write_table(path, orders.physical, numbers(orders, 0, 9000))
        [run] = tx.adopt(orders, [path], arrangement=(1,))
        tx.publish()
    assert run.arrangement == (1,)
    assert [r.arrangement for r in store.snapshot(orders, arrangement=(2,))] == [(1,)]


def test_files_that_are_refused(store: Store, tmp_path: Any) -> None:
    orders = make(store)
    with store.begin() as tx:
        inside = os.path.join(tx.directory(), "x.parquet")
        outside = str(tmp_path / "x.parquet")
        write_table(outside, orders.physical, rows(orders, (1, 1, "a")))
        with pytest.raises(StoreError, match="not in the directory of this transaction"):
            tx.adopt(orders, [outside])
        with pytest.raises(StoreError, match="no Parquet file"):
            tx.adopt(orders, [inside])
        pq.write_table(pa.table({"c1": [1], "_w": [1]}), inside)
        with pytest.raises(StoreError, match="lacks the columns c2, c3 of 'orders'"):
            tx.adopt(orders, [inside])
        write_table(inside, orders.physical, rows(orders, (1, 1, "a", 0)))
        with pytest.raises(StoreError, match="weight is 0 or NULL"):
            tx.adopt(orders, [inside])
    assert_tidy(store)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pa.table({"c1": [1], "_w": [1]}), "missing: c2, c3"),
        (pa.table({"c1": [1], "c2": [1], "c3": ["a"], "c9": [1], "_w": [1]}), "unknown: c9"),
        (pa.table({"c1": ["x"], "c2": [1], "c3": ["a"], "_w": [1]}), "do not have its types"),
        (pa.table({"c1": [1], "c2": [1], "c3": ["a"], "_w": [0]}), "a weight that is 0 or NULL"),
        (pa.table({"c1": [1], "c2": [1], "c3": ["a"], "_w": pa.array([None], pa.int64())}), "a weight that is 0 or NULL"),
    ],
)
def test_rows_that_are_refused(store: Store, table: pa.Table, says: str) -> None:
    orders = make(store)
    with store.begin() as tx, pytest.raises(StoreError, match=says):
        tx.append(orders, table)
    assert_tidy(store)


def test_every_type_can_be_a_sort_key(store: Store) -> None:
    c = make(store, "t", "b boolean, d decimal(5,1), s string, y date, f double, x binary, t timestamp, a array<int>", key=())
    ordered = [("b", True), ("d", Decimal("2.5")), ("s", "b"), ("y", datetime.date(2026, 1, 2)), ("f", 2.0), ("x", b"b")]
    low: dict[str, Any] = {"b": False, "d": Decimal("1.5"), "s": "a", "y": datetime.date(2026, 1, 1), "f": 1.0, "x": b"a"}
    t = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    for n, (name, high) in enumerate(ordered):
        made = make(store, f"t{n}", str(c.schema), key=(), sort=(name, "a", "t"))
        values = [tuple({**low, name: v, "t": t, "a": [1]}[col] for col in made.schema.names) for v in (high, None, low[name])]
        append_table(store, made, rows(made, *values))
        column = made.schema[name].id
        [run] = store.snapshot(made)
        assert pq.read_table(run.path).column(f"c{column}").to_pylist() == [None, low[name], high]
