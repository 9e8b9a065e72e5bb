"""Snapshots that are left for later: of a few rows as they are then, in a file of their own, or of what was merged of many."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from tests.store.crash import in_process
from tests.store.helpers import ArrowMerger, append, append_table, assert_tidy, content, files, make, numbers, open_store

from belvedere.algebra.types import Column, Schema, parse_type
from belvedere.store import Store
from belvedere.store.faults import STORE
from belvedere.store.iceberg_log import current_files
from belvedere.store.model import Collection, Run
from belvedere.store.snapshots import EVERY, owner


@pytest.fixture
def catalog(store: Store) -> Iterator[Catalog]:
    opened = load_catalog(**store.catalog_properties())
    yield opened
    opened.engine.dispose()  # type: ignore[attr-defined]


def due(store: Store, merger: ArrowMerger, start: int = 0) -> Collection:
    """A collection that was merged, and whose snapshot was left for later."""
    orders = store.collection("orders") or make(store)
    for n in range(start, start + 8):
        append(store, orders, (n, 0, "x"))
    told: list[str] = []
    assert [r["iceberg"] for r in store.maintain(merger, later=told.append)] == [False]
    assert told == ["orders"]
    return orders


def ids(catalog: Catalog) -> list[int]:
    return sorted(catalog.load_table("belvedere.orders").scan().to_arrow().column("id").to_pylist())


def test_it_is_of_what_there_is_then(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    orders = due(store, merger)
    assert catalog.list_tables("belvedere") == []
    append(store, orders, (8, 0, "x"))
    append(store, orders, (0, 0, "x"), weight=-1)
    before, epoch = store.snapshot(orders), store.epoch
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == list(range(1, 9))
    assert (store.snapshot(orders), store.epoch) == (before, epoch)
    assert_tidy(store)


def test_it_is_taken_once(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    due(store, merger)
    assert store.take_snapshot("orders", merger)
    assert not store.take_snapshot("orders", merger)
    assert_tidy(store)


def test_the_next_one_takes_its_place(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    orders = due(store, merger)
    store.take_snapshot("orders", merger)
    told: list[str] = []
    for n in range(8, 8 + EVERY + 8):
        append(store, orders, (n, 0, "x"))
        store.maintain(merger, later=told.append)
    assert told
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == list(range(8 + EVERY + 8))
    for _ in range(store.retention + 8):  # the file of the first one goes when its epoch cannot be read any more
        append(store, orders, (-1, 0, "x"))
        append(store, orders, (-1, 0, "x"), weight=-1)
        store.maintain(merger, later=told.append)
    assert_tidy(store)
    assert content(store) == Counter({(n, 0, "x"): 1 for n in range(8 + EVERY + 8)})


def test_there_is_none_of_what_is_gone_or_has_grown(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    assert not store.take_snapshot("orders", merger)
    orders = due(store, merger)
    append_table(store, orders, numbers(orders, 100, 9_000))
    assert not store.take_snapshot("orders", merger)
    with store.begin() as tx:
        tx.drop_collection("orders")
        tx.publish()
    assert not store.take_snapshot("orders", merger)
    assert catalog.list_tables("belvedere") == []


def test_of_many_rows_it_is_what_was_merged(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    orders = make(store)
    append_table(store, orders, numbers(orders, 0, 9_000))
    append_table(store, orders, numbers(orders, 9_000, 13_000))
    told: list[str] = []
    assert [(r["action"], r["iceberg"]) for r in store.maintain(merger, later=told.append)] == [("full", False)]
    assert (told, catalog.list_tables("belvedere")) == (["orders"], [])
    append(store, orders, (13_000, 0, "x"))
    [merged, _] = store.snapshot(orders)
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == list(range(13_000))
    assert [f for f, _ in store_files(store, orders)] == [merged.path]
    assert not store.take_snapshot("orders", merger)
    append_table(store, orders, numbers(orders, 20_000, 24_000))
    store.maintain(merger, later=told.append)
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == [*range(13_001), *range(20_000, 24_000)]
    for _ in range(store.retention + 8):
        append(store, orders, (-1, 0, "x"))
    store.maintain(merger)
    assert_tidy(store)


def test_of_many_rows_it_is_never_a_part(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    """What merges made of some of the runs is not what there is: a snapshot that was owed for a few rows must not be of that."""
    orders = due(store, merger)
    append_table(store, orders, numbers(orders, 1_000, 61_000))
    for start in range(100_000, 100_000 + 7 * 1_500, 1_500):
        append_table(store, orders, numbers(orders, start, start + 1_500))
    assert [r["action"] for r in store.maintain(merger, later=lambda _: None)] == ["merge"]
    assert [(r.rows, r.delta) for r in store.snapshot(orders)] == [(60_000, True), (10_508, False)]
    assert not store.take_snapshot("orders", merger)
    assert catalog.list_tables("belvedere") == []


@pytest.mark.parametrize("later", [False, True])
def test_what_somebody_left_for_ever_is_taken_by_the_next(tmp_path: Path, merger: ArrowMerger, later: bool) -> None:
    """A process that is killed, or whose warehouse nobody closes, takes what it knew of what is due with it."""
    with open_store(tmp_path / "wh") as store:
        orders = make(store)
        append_table(store, orders, numbers(orders, 0, 9_000))
        append_table(store, orders, numbers(orders, 9_000, 13_000))
        store.maintain(merger, later=lambda _: None)
    with open_store(tmp_path / "wh") as store:
        told: list[str] = []
        for _ in range(2):
            store.maintain(merger, later=told.append if later else None)
        assert told == (["orders"] if later else [])
        assert store.take_snapshot("orders", merger) == later
        assert [rows for _, rows in store_files(store, orders)] == [13_000]
        assert_tidy(store)


def test_of_nothing_it_is_empty(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    """When the last rows are gone, they go from the snapshot, too."""
    orders = due(store, merger)
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == list(range(8))
    for n in range(EVERY):
        append(store, orders, (n, 0, "y"))
        append(store, orders, (n, 0, "y"), weight=-1)
    for n in range(8):
        append(store, orders, (n, 0, "x"), weight=-1)
    told: list[str] = []
    store.maintain(merger, later=told.append)
    assert (told, store.snapshot(orders)) == (["orders"], [])
    assert store.take_snapshot("orders", merger)
    assert ids(catalog) == []
    assert_tidy(store)


class Asking(ArrowMerger):
    """An engine has to merge these rows, few as they are: they are long."""

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        return None


def test_what_an_engine_has_to_merge_has_one_too(store: Store, catalog: Catalog) -> None:
    orders = due(store, Asking())
    append(store, orders, (0, 0, "x"), weight=-1)
    assert store.take_snapshot("orders", Asking())
    assert ids(catalog) == list(range(1, 8))
    assert_tidy(store)


class Outrun(ArrowMerger):
    """Nobody to be asked: what was merged is not summed up again."""

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        raise AssertionError


def test_of_many_rows_nothing_is_written(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    orders = make(store)
    for start in (0, 9_000):
        append_table(store, orders, numbers(orders, start, start + 9_000))
    store.maintain(merger, later=lambda _: None)
    before = files(store)
    assert store.take_snapshot("orders", Outrun())
    assert {f.rsplit(".", 1)[-1] for f in files(store) - before} == {"json", "avro"}
    assert_tidy(store)


def store_files(store: Store, collection: Collection) -> list[tuple[str, int]]:
    return current_files(store.catalog, owner(collection), store.path)


class Altering(ArrowMerger):
    """While it sums up, somebody adds a column."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        rows = super().net(collection, runs)
        with self.store.begin() as tx:
            columns = (*collection.schema, Column("more", parse_type("bigint"), 0))
            tx.alter_collection(replace(collection, schema=Schema(columns)))
            tx.publish()
        return rows


def test_who_describes_the_collection_anew_comes_first(store: Store, merger: ArrowMerger, catalog: Catalog) -> None:
    due(store, merger)
    assert not store.take_snapshot("orders", Altering(store))
    assert catalog.list_tables("belvedere") == []
    append(store, make(store, "other"), (1, 1, "y"))
    assert_tidy(store)
    assert store.take_snapshot("orders", merger)


@pytest.mark.parametrize("kill", [f"{p}:{n}" for p in STORE if p.startswith(("compact.", "iceberg.")) for n in (1, 2)])
def test_killed_at_any_point(tmp_path: Path, kill: str) -> None:
    path = tmp_path / "wh"
    died = in_process(path, "quiet", kill, few=65_536)
    if kill == "iceberg.metadata:2":  # there is one snapshot only
        assert died.returncode == 0, died.stderr
        return
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    reported = [int(line) for line in died.stdout.split()]
    with open_store(path, retention=3, few=65_536) as store:
        assert store.epoch == reported[-1]
        assert content(store) == Counter({(n, n, "x"): 1 for n in range(store.epoch - 1)})
        append(store, make(store, "more"), (1, 1, "after"))
        assert_tidy(store)
        store.take_snapshot("orders", ArrowMerger())
        assert_tidy(store)
    assert os.listdir(path / "staging") == []
