"""Retention: what is kept, what goes, and that going is done with care."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from tests.store.helpers import ArrowMerger, append, assert_tidy, content, files, make, open_store, raw, rows

from belvedere.errors import StoreError
from belvedere.store import Store
from belvedere.store.garbage import horizon_of


def test_horizon() -> None:
    assert horizon_of(50, 0, 100, []) == 0
    assert horizon_of(150, 0, 100, []) == 50
    assert horizon_of(150, 0, 100, [20, 70]) == 20
    assert horizon_of(150, 0, 100, [120]) == 50
    assert horizon_of(150, 60, 100, [20]) == 60
    assert horizon_of(2000, 60, 100, [20]) == 1000


def test_old_epochs_go_and_recent_ones_stay(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief)
    want = {1: Counter()}
    for n in range(2, 40):
        append(brief, orders, (n, n, "x"))
        want[n] = want[n - 1] + Counter({(n, n, "x"): 1})
        brief.maintain(merger)
    assert [e for e in range(45) if brief.has_epoch(e)] == list(range(34, 40))
    for epoch in range(34, 40):
        assert content(brief, epoch=epoch) == want[epoch]
    with pytest.raises(StoreError, match="epoch 33 is beyond the retention; the oldest that can be read is 34"):
        brief.snapshot(orders, 33)
    with pytest.raises(StoreError, match="beyond the retention"):
        brief.collection("orders", 33)
    assert brief.delta(orders, 33, 39) is None
    assert len(brief.delta(orders, 34, 39) or []) == 5
    assert len(files(brief)) < 25
    assert_tidy(brief)
    with raw(brief) as db:
        for table in ("bv_epochs", "bv_touched"):
            assert db.execute(f"SELECT MIN(epoch) FROM {table}").fetchone()[0] == 35


def test_versions_of_documents_and_collections_go(brief: Store, merger: ArrowMerger) -> None:
    for n in range(30):
        with brief.begin() as tx:
            tx.put_doc("watermark", "v", {"n": n})
            tx.publish()
        brief.maintain(merger)
    with raw(brief) as db:
        assert db.execute("SELECT COUNT(*) FROM bv_docs").fetchone()[0] <= 7
    assert brief.doc("watermark", "v", 26) == {"n": 25}


def test_a_pin_holds_what_a_view_has_not_consumed(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief)
    with brief.begin() as tx:
        tx.put_doc("pin", "v", {"epoch": 2})
        tx.publish()
    for n in range(30):
        append(brief, orders, (n, n, "x"))
        brief.maintain(merger)
    assert brief.has_epoch(2)
    assert len(brief.delta(orders, 2, brief.epoch) or []) == 30
    with brief.begin() as tx:
        tx.put_doc("pin", "v", {"epoch": brief.epoch})
        tx.publish()
    brief.maintain(merger)
    assert not brief.has_epoch(2)
    assert_tidy(brief)


def test_a_pin_does_not_hold_for_ever(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief)
    with brief.begin() as tx:
        tx.put_doc("pin", "forgotten", {"epoch": 2})
        tx.publish()
    for n in range(60):
        append(brief, orders, (n, n, "x"))
    brief.maintain(merger)
    assert [brief.has_epoch(e) for e in (11, 12)] == [False, True]


def test_a_dropped_collection_goes_with_its_files(brief: Store, merger: ArrowMerger) -> None:
    orders, other = make(brief), make(brief, "other")
    append(brief, orders, (1, 1, "a"))
    with brief.begin() as tx:
        tx.drop_collection("orders")
        tx.publish()
    assert len(files(brief)) == 1
    for n in range(6):
        append(brief, other, (n, n, "x"))
    brief.maintain(merger)
    assert len(files(brief)) == 6
    assert_tidy(brief)


def test_an_interrupted_removal_is_finished_by_the_next_commit(store: Store) -> None:
    orders = make(store)
    directory = Path(store.path, "data", "old")
    directory.mkdir()
    (directory / "1.parquet").write_bytes(b"x")
    with raw(store) as db:
        db.execute("INSERT INTO bv_garbage VALUES ('data/old/1.parquet'), ('data/gone/2.parquet')")
    append(store, orders, (1, 1, "a"))
    assert not directory.exists()
    assert_tidy(store)


def test_a_retention_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="keeps nothing"):
        open_store(tmp_path / "wh", retention=0)
    assert not (tmp_path / "wh").exists()


def test_live_transactions_are_left_alone(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx, open_store(store.path) as other:
        run = tx.append(orders, rows(orders, (1, 1, "a")))
        append(other, make(other, "other"), (1, 1, "a"))
        assert os.path.exists(run.path)
        tx.publish()
    assert content(store) == Counter({(1, 1, "a"): 1})
    assert json.loads(Path(store.path, "belvedere.json").read_text())["catalog"] == "sqlite"
