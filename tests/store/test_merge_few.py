"""Merges of few rows: written where transactions write, without a directory, a marker or an engine's file."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.store.helpers import ArrowMerger, append, assert_tidy, content, make, read
from tests.store.test_compaction import Intruder

from belvedere.errors import StoreError
from belvedere.store import Store
from belvedere.store.model import Collection


def again(store: Store) -> Collection:
    """A collection that was merged once, and is due to be merged again."""
    orders = make(store)
    for n in range(8):
        append(store, orders, (n, 0, "x"))
    assert [r["iceberg"] for r in store.maintain(ArrowMerger())] == [True]
    for n in range(8, 15):
        append(store, orders, (n, 0, "x"))
    return orders


ALL = Counter({(n, 0, "x"): 1 for n in range(15)})


def test_they_lie_beside_the_runs_of_transactions(store: Store, merger: ArrowMerger) -> None:
    orders = again(store)
    beside = {os.path.dirname(r.path) for r in store.snapshot(orders) if r.delta}
    [report] = store.maintain(merger)
    assert (report["action"], report["rows"], report["iceberg"]) == ("full", 15, False)
    [run] = store.snapshot(orders)
    assert {os.path.dirname(run.path)} == beside
    assert (run.rows, run.deletes, run.arrangement, run.bytes) == (15, 0, None, Path(run.path).stat().st_size)
    assert run.stats["1"]["min"] == 0
    assert run.stats["1"]["max"] == 14
    assert merger.kept.keys() == {run.path}
    assert merger.kept[run.path].equals(pq.read_table(run.path))
    assert content(store) == ALL
    assert_tidy(store)


def test_nothing_left_is_no_file(store: Store, merger: ArrowMerger) -> None:
    orders = again(store)
    for n in range(15):
        append(store, orders, (n, 0, "x"), weight=-1)
    store.maintain(merger)
    assert store.snapshot(orders) == []
    assert merger.kept == {}
    assert_tidy(store)


def test_another_writer_goes_on_meanwhile(store: Store) -> None:
    orders = again(store)
    store.maintain(Intruder(lambda: append(store, orders, (100, 0, "y"))))
    assert content(store) == ALL + Counter({(100, 0, "y"): 1})
    assert len(store.snapshot(orders)) == 2
    assert read(orders, store.delta(orders, store.epoch - 1, store.epoch) or []) == Counter({(100, 0, "y"): 1})
    assert_tidy(store)


def test_it_gives_up_without_a_trace_when_another_writer_was_faster(store: Store) -> None:
    orders = again(store)
    assert store.maintain(Intruder(lambda: store.maintain(ArrowMerger()))) == []
    assert len(store.snapshot(orders)) == 1
    assert content(store) == ALL
    assert_tidy(store)


def test_a_failure_leaves_no_file(store: Store, merger: ArrowMerger, monkeypatch: pytest.MonkeyPatch) -> None:
    again(store)

    def fails(name: str) -> None:
        if name == "compact.sql":
            raise StoreError("no more room")

    monkeypatch.setattr("belvedere.store.maintain.point", fails)
    with pytest.raises(StoreError, match="no more room"):
        store.maintain(merger)
    assert content(store) == ALL
    assert_tidy(store)
