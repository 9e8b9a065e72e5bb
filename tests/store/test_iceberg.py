"""Iceberg: what readers that know nothing of Belvedere see, and that they see it exactly with the epoch."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError
from tests.store.helpers import ArrowMerger, append, append_table, assert_tidy, files, make, numbers, rows, schema

from belvedere.algebra.types import Column, Schema, Void, parse_schema
from belvedere.errors import Conflict, StoreError
from belvedere.store import Commit, Store
from belvedere.store.parquet import write_table
from belvedere.store.physical import named_schema, numbered

PEOPLE = "id bigint, name string"


@pytest.fixture
def catalog(store: Store) -> Iterator[Catalog]:
    opened = load_catalog(**store.catalog_properties())
    yield opened
    opened.engine.dispose()  # type: ignore[attr-defined]


def scan(catalog: Catalog, *name: str) -> list[dict[str, Any]]:
    return sorted(catalog.load_table(name).scan().to_arrow().to_pylist(), key=str)


def write(tx: Commit, name: str, columns: Schema, values: list[dict[str, Any]], *, ids: bool = True) -> str:
    path = os.path.join(tx.directory(), name)
    arrow = named_schema(columns)
    if not ids:
        arrow = pa.schema([pa.field(f.name, f.type) for f in arrow])
    write_table(path, arrow, pa.Table.from_pylist(values, schema=arrow))
    return path


def publish(store: Store, values: list[dict[str, Any]], *, remove: bool = False, columns: str = PEOPLE, **options: Any) -> int:
    with store.begin() as tx:
        file = write(tx, "p.parquet", parse_schema(columns), values, **options)
        tx.publish_iceberg(
            "people", parse_schema(columns), [file], [f for f, _ in store.iceberg_files("people")] if remove else []
        )
        return tx.publish()


def test_a_full_merge_becomes_the_snapshot(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    orders = make(store)
    append_table(store, orders, numbers(orders, 0, 14_000))
    append_table(store, orders, numbers(orders, 0, 3_500, weight=-1))
    store.maintain(merger)
    table = catalog.load_table("belvedere.orders")
    assert [(f.field_id, f.name) for f in table.schema().fields] == [
        (1, "id"),
        (2, "customer"),
        (3, "name"),
        (2_000_000_000, "_w"),
    ]
    found = table.scan().to_arrow()
    assert (found.num_rows, set(found.column("_w").to_pylist())) == (10_500, {1})
    assert table.scan(row_filter="id = 3600").to_arrow().to_pylist() == [{"id": 3600, "customer": 11, "name": "n3600", "_w": 1}]
    assert list(table.scan(row_filter="id < 3500").plan_files()) == []
    assert pl.scan_iceberg(table).select(pl.len()).collect().item() == 10_500
    append_table(store, orders, numbers(orders, 20_000, 25_000))
    assert catalog.load_table("belvedere.orders").scan().count() == 10_500
    store.maintain(merger)
    table = catalog.load_table("belvedere.orders")
    assert table.scan().count() == 15_500
    assert (len(table.metadata.snapshots), len(table.current_snapshot().manifests(table.io))) == (1, 1)  # type: ignore[union-attr]
    assert_tidy(store)


def test_small_collections_follow_now_and_then(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief)
    catalog = load_catalog(**brief.catalog_properties())
    seen = set()
    for n in range(150):
        append(brief, orders, (n, 0, "x"))
        if n % 4 == 3:
            brief.maintain(merger)
        if n > 8:
            seen.add(catalog.load_table("belvedere.orders").scan().to_arrow().num_rows)
    assert 2 <= len(seen) <= 4
    assert len([f for f in files(brief) if not f.endswith(".parquet")]) <= 6
    assert_tidy(brief)
    catalog.engine.dispose()  # type: ignore[attr-defined]


def test_renames_and_drops_are_followed(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    a, b = make(store, "a"), make(store, "b")
    for c in (a, b):
        for n in range(8):
            append(store, c, (n, n, c.name))
    store.maintain(merger)
    with store.begin() as tx:
        tx.alter_collection(replace(a, name="tmp"))
        tx.alter_collection(replace(b, name="a"))
        tx.alter_collection(replace(a, name="b"))
        tx.publish()
    assert {r["name"] for r in scan(catalog, "belvedere", "a")} == {"b"}
    assert {r["name"] for r in scan(catalog, "belvedere", "b")} == {"a"}
    with store.begin() as tx:
        tx.drop_collection("a")
        tx.publish()
    assert catalog.list_tables("belvedere") == [("belvedere", "b")]
    renamed = store.collection("b")
    assert renamed is not None
    i, _, name = renamed.schema.columns
    with store.begin() as tx:
        tx.alter_collection(replace(renamed, schema=Schema((i, replace(name, name="called"), Column("extra", name.type)))))
        tx.publish()
    append_table(store, renamed := store.collection("b") or renamed, rows(renamed, *[(n, "z", None) for n in range(10, 9_000)]))
    append(store, renamed, (7, "a", None), weight=-1)
    append_table(store, renamed, rows(renamed, *[(n, "w", "e") for n in range(9_000, 12_000)]))
    store.maintain(merger)
    found = catalog.load_table("belvedere.b").scan().to_arrow()
    assert found.column_names == ["id", "called", "extra", "_w"]
    assert found.num_rows == 8_990 + 3_000 + 7
    assert_tidy(store)


ALL = (
    "b boolean, t tinyint, s smallint, i int, l bigint, f float, d double, dec decimal(12,2), str string, bin binary, day date, "
    "ts timestamp, ntz timestamp_ntz, v variant, a array<int>, m map<string,decimal(5,1)>, "
    "st struct<x:int,y:array<struct<z:date>>>"
)
NOW = datetime.datetime(2026, 11, 15, 12, 30, 1, 5)
VALUES = (
    True, -8, 300, 70_000, 2**40, 1.5, -2.25, Decimal("12.50"), "ü'\"", b"\0\xff", datetime.date(2026, 11, 15),
    NOW.replace(tzinfo=datetime.UTC), NOW, '{"a":1}', [1, None], [("k", Decimal("1.5"))],
    {"x": 1, "y": [{"z": datetime.date(1999, 1, 2)}]},
)  # fmt: skip


class Concatenate:
    """For nested types, which pyarrow cannot group by: the rows of these tests are distinct."""

    def forget(self, paths: Iterable[str]) -> None:
        """Nothing is kept in memory."""

    def net(self, collection: Any, runs: list[Any]) -> None:
        """The store is to write a file."""

    def keep(self, path: str, table: pa.Table) -> None:
        """Nothing is kept in memory."""

    def merge(self, collection: Any, runs: list[Any], sort: tuple[int, ...], out_path: str) -> None:
        import pyarrow.parquet as pq

        write_table(
            out_path, collection.physical, pa.concat_tables([pq.read_table(r.path) for r in runs]).cast(collection.physical)
        )


def test_every_type(store: Store, catalog: Catalog) -> None:
    c = make(store, "every", ALL, key=(), sort=("l",))
    append_table(store, c, rows(c, VALUES))
    for _ in range(7):
        append_table(store, c, rows(c, (None,) * 17))
    store.maintain(Concatenate())
    found = scan(catalog, "belvedere", "every")
    assert len(found) == 8
    assert found[-1] == {**dict(zip(parse_schema(ALL).names, VALUES, strict=True)), "_w": 1}
    assert_tidy(store)


def test_a_column_of_nothing_but_null_has_no_iceberg_type(store: Store, catalog: Catalog) -> None:
    c = make(store, "t", Schema((*parse_schema("id bigint").columns, Column("nothing", Void()))))
    for n in range(8):
        append_table(store, c, rows(c, (n, None)))
    [report] = store.maintain(Concatenate())
    assert (report["action"], report["iceberg"], catalog.list_tables("belvedere")) == ("full", False, [])
    with store.begin() as tx:
        tx.publish_iceberg("people", c.schema, [])
        with pytest.raises(StoreError, match="'nothing' is of type void, which Iceberg does not have; cast it"):
            tx.publish()


def test_hostile_names(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    names = ["a.b", "a", "_w", '"; drop table x; --', "🐎", "x" * 300, "A", " ", "{}"]
    number = parse_schema("n int")["n"].type
    hostile = Schema(tuple(Column(n, number) for n in names))
    for name in ("x.y", "n" * 300, '"; drop'):
        c = make(store, name, hostile, key=())
        for n in range(8):
            append_table(store, c, rows(c, (n,) * 9))
    store.maintain(merger)
    tables = catalog.list_tables("belvedere")
    assert len(tables) == 3
    for identifier in tables:
        table = catalog.load_table(identifier)
        assert [f.name for f in table.schema().fields] == [*names, "__w"]
        found = table.scan().to_arrow()
        assert sorted(found.column(0).to_pylist()) == list(range(8))


def test_a_published_table_moves_with_the_epoch(store: Store, catalog: Catalog) -> None:
    assert publish(store, [{"id": 1, "name": "Ada"}]) == 1
    assert scan(catalog, "published", "people") == [{"id": 1, "name": "Ada"}]
    with store.begin() as tx:
        file = write(tx, "more.parquet", parse_schema(PEOPLE), [{"id": 2, "name": None}, {"id": 3, "name": "Bo"}])
        tx.publish_iceberg("people", parse_schema(PEOPLE), [file])
        assert len(scan(catalog, "published", "people")) == 1
        tx.publish()
    assert [r["id"] for r in scan(catalog, "published", "people")] == [1, 2, 3]
    assert sorted(n for _, n in store.iceberg_files("people")) == [1, 2]
    table = catalog.load_table("published.people")
    assert pl.scan_iceberg(table).filter(pl.col("id") > 1).sort("id").collect().rows() == [(2, None), (3, "Bo")]
    assert (len(table.metadata.snapshots), len(table.current_snapshot().manifests(table.io))) == (1, 1)  # type: ignore[union-attr]
    publish(store, [{"id": 9, "name": "only"}], remove=True)
    assert scan(catalog, "published", "people") == [{"id": 9, "name": "only"}]
    assert_tidy(store)


def test_files_without_field_ids_are_read_by_name(store: Store, catalog: Catalog) -> None:
    publish(store, [{"id": 1, "name": "Ada"}], ids=False)
    assert scan(catalog, "published", "people") == [{"id": 1, "name": "Ada"}]
    assert pl.scan_iceberg(catalog.load_table("published.people")).collect().rows() == [(1, "Ada")]


def test_an_empty_published_table(store: Store, catalog: Catalog) -> None:
    with store.begin() as tx:
        tx.publish_iceberg("people", parse_schema(PEOPLE), [])
        tx.publish()
    assert catalog.load_table("published.people").scan().to_arrow().num_rows == 0
    publish(store, [{"id": 1, "name": "Ada"}])
    with store.begin() as tx:
        tx.publish_iceberg("people", parse_schema(PEOPLE), [], [f for f, _ in store.iceberg_files("people")])
        tx.publish()
    assert scan(catalog, "published", "people") == []
    assert store.iceberg_files("people") == []


def test_changed_columns_need_all_files_anew(store: Store, catalog: Catalog) -> None:
    publish(store, [{"id": 1, "name": "Ada"}])
    with pytest.raises(StoreError, match="columns of the published table 'people' have changed"):
        publish(store, [{"id": 2, "age": 5}], columns="id bigint, age int")
    assert_tidy(store)
    publish(store, [{"id": 2, "age": 5}], columns="id bigint, age int", remove=True)
    assert scan(catalog, "published", "people") == [{"id": 2, "age": 5}]


def test_requests_that_are_refused(store: Store, tmp_path: Any) -> None:
    with store.begin() as tx, pytest.raises(StoreError, match="not in the directory of this transaction"):
        tx.publish_iceberg("people", parse_schema(PEOPLE), [str(tmp_path / "x.parquet")])
    with store.begin() as tx:
        tx.publish_iceberg("people", parse_schema(PEOPLE), [], ["/nowhere.parquet"])
        with pytest.raises(StoreError, match="not a file of the published table"):
            tx.publish()
    assert store.epoch == 0
    assert_tidy(store)


def test_old_metadata_and_files_go_with_the_retention(brief: Store, merger: ArrowMerger) -> None:
    for n in range(30):
        publish(brief, [{"id": n, "name": "x"}], remove=True)
        brief.maintain(merger)
    assert len(files(brief)) <= 4 * 7
    assert_tidy(brief)
    with brief.begin() as tx:
        tx.drop_iceberg("people")
        tx.publish()
    catalog = load_catalog(**brief.catalog_properties())
    with pytest.raises(NoSuchTableError):
        catalog.load_table("published.people")
    for n in range(7):
        with brief.begin() as tx:
            tx.put_doc("a", "b", {"n": n})
            tx.publish()
    brief.maintain(merger)
    assert files(brief) == set()
    catalog.engine.dispose()  # type: ignore[attr-defined]


def test_a_table_that_another_program_has_changed(store: Store, catalog: Catalog) -> None:
    publish(store, [{"id": 1, "name": "Ada"}])
    catalog.load_table("published.people").append(pa.table({"id": pa.array([5], pa.int64()), "name": ["else"]}))
    with pytest.raises(Conflict, match=r"published\.people was changed by another program"):
        publish(store, [{"id": 2, "name": "Bo"}])
    assert store.epoch == 1


def test_two_publishers_of_one_table(store: Store) -> None:
    with store.begin() as one, store.begin() as two:
        for n, tx in enumerate((one, two)):
            tx.publish_iceberg(
                "people", parse_schema(PEOPLE), [write(tx, "p.parquet", parse_schema(PEOPLE), [{"id": n, "name": "x"}])]
            )
        one.publish()
        with pytest.raises(Conflict, match="'people'"):
            two.publish()
    assert len(store.iceberg_files("people")) == 1
    assert_tidy(store)


def test_ids_of_a_view_are_kept(store: Store, catalog: Catalog) -> None:
    columns = Schema((Column("a", schema().columns[0].type, 7), Column("b", schema().columns[0].type, 3)))
    assert numbered(columns) is columns
    with store.begin() as tx:
        tx.publish_iceberg("v", columns, [write(tx, "v.parquet", columns, [{"a": 1, "b": 2}])])
        tx.publish()
    assert [(f.name, f.field_id) for f in catalog.load_table("published.v").schema().fields] == [("a", 7), ("b", 3)]
    assert scan(catalog, "published", "v") == [{"a": 1, "b": 2}]
