"""Deltas: what changed between two epochs, told from runs, also after compaction, and never told wrongly."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from tests.store.helpers import ArrowMerger, append, content, make, read, rows

from belvedere.errors import StoreError
from belvedere.store import Store
from belvedere.store.parquet import write_table


def test_delta_is_the_sum_of_the_runs_in_between(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 1, "a"))
    append(store, orders, (2, 2, "b"))
    append(store, orders, (1, 1, "a"), weight=-1)
    for since in range(5):
        for until in range(since, 5):
            runs = store.delta(orders, since, until)
            assert runs is not None
            change = content(store, epoch=until) if until else Counter()
            change.subtract(content(store, epoch=since) if since else Counter())
            assert read(orders, runs) == Counter({k: v for k, v in change.items() if v})


def test_delta_survives_compaction(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief)
    for n in range(4):
        append(brief, orders, (n, n, "x"))
    before = {s: read(orders, brief.delta(orders, s, 5) or []) for s in range(1, 6)}
    for n in range(4, 9):
        append(brief, orders, (n, n, "x"))
        brief.maintain(merger)
    assert any(r.delta is False for r in brief.snapshot(orders))
    horizon = next(e for e in range(10) if brief.has_epoch(e))
    assert horizon > 1
    for since in range(horizon, 6):
        assert read(orders, brief.delta(orders, since, 5) or []) == before[since]
    assert brief.delta(orders, horizon - 1, 5) is None


def test_delta_within_the_epoch_that_was_compacted(store: Store, merger: ArrowMerger) -> None:
    orders = make(store)
    for n in range(8):
        append(store, orders, (n, n, "x"))
    head = store.epoch
    [report] = [r for r in store.maintain(merger) if r["action"] == "full"]
    assert (report["runs"], report["rows"]) == (8, 8)
    assert read(orders, store.delta(orders, head - 1, head) or []) == Counter({(7, 7, "x"): 1})
    assert content(store, epoch=head - 1) == Counter({(n, n, "x"): 1 for n in range(7)})


def test_replaced_content_has_no_delta(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 1, "a"))
    with store.begin() as tx:
        tx.append(orders, rows(orders, (9, 9, "lost")))
        tx.replace(orders)
        tx.append(orders, rows(orders, (2, 2, "b")))
        tx.publish()
    append(store, orders, (3, 3, "c"))
    assert content(store) == Counter({(2, 2, "b"): 1, (3, 3, "c"): 1})
    assert content(store, epoch=2) == Counter({(1, 1, "a"): 1})
    assert store.delta(orders, 2, 3) is None
    assert store.delta(orders, 1, 4) is None
    assert read(orders, store.delta(orders, 3, 4) or []) == Counter({(3, 3, "c"): 1})
    assert read(orders, store.delta(orders, 1, 2) or []) == Counter({(1, 1, "a"): 1})


def test_truncate(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 1, "a"))
    with store.begin() as tx:
        tx.replace(orders)
        tx.publish()
    assert (content(store), store.delta(orders, 2, 3)) == (Counter(), None)


def test_adopted_content_without_delta(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx:
        path = os.path.join(tx.directory(), "engine.parquet")
        write_table(path, orders.physical, rows(orders, (1, 1, "a")))
        [run] = tx.adopt(orders, [path], delta=False)
        tx.publish()
    assert run.delta is False
    assert content(store) == Counter({(1, 1, "a"): 1})
    assert store.delta(orders, 1, 2) is None


def test_a_delta_up_to_an_epoch_that_is_not_published(store: Store) -> None:
    orders = make(store)
    with pytest.raises(StoreError, match="not published yet"):
        store.delta(orders, 0, 7)
