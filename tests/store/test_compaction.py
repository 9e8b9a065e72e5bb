"""Compaction: the content stays, the number of files stays small, every order is there, and nobody is disturbed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pyarrow as pa
import pytest
from tests.store.helpers import ArrowMerger, append, append_table, assert_tidy, content, files, make, numbers, read, rows

from belvedere.errors import StoreError
from belvedere.store import Collection, Run, Store
from belvedere.store.gone import SOON
from belvedere.store.policy import next_merge


def run(rows: int, deletes: int = 0, number: int = 0, arrangement: tuple[int, ...] | None = None) -> Run:
    return Run(number, 1, "", rows, deletes, 0, 1, None, True, arrangement, {}, number)


def test_policy() -> None:
    small = [run(10, number=n) for n in range(8)]
    assert next_merge([], ()) == next_merge(small[:1], ()) == next_merge(small[:7], ()) == []
    assert next_merge(small, ()) == small
    base = run(100_000, number=99)
    assert next_merge([base, *small[:7]], ()) == []
    assert next_merge([base, *small], ()) == small
    assert next_merge([base, run(30_001)], ()) == [base, run(30_001)]
    assert next_merge([base, run(30_000)], ()) == []
    assert next_merge([base, run(25_000, 25_000)], ()) == [base, run(25_000, 25_000)]
    assert next_merge([base, run(25_000, 24_999)], ()) == []
    assert next_merge([run(10), run(10_000, arrangement=(2,))], (1,)) == [run(10_000, arrangement=(2,))]
    assert next_merge([run(10_000, arrangement=(1, 2))], (1,)) == []
    assert next_merge([run(10_000, arrangement=())], (1,)) == [run(10_000, arrangement=())]


def test_small_runs_become_one_that_serves_every_order(store: Store, merger: ArrowMerger) -> None:
    orders = make(store, arrangements=(("customer",),))
    for n in range(7):
        append(store, orders, (n, 0, "x"))
    assert store.maintain(merger) == []
    append(store, orders, (0, 0, "x"), weight=-1)
    epoch = store.epoch
    [report] = store.maintain(merger)
    assert (report["action"], report["collection"], report["runs"], report["rows_in"], report["rows"]) == (
        "full",
        "orders",
        8,
        8,
        6,
    )
    [merged] = store.snapshot(orders)
    assert (merged.arrangement, merged.delta, merged.epoch_from, merged.rows, store.epoch) == (None, False, epoch, 6, epoch)
    assert store.snapshot(orders, arrangement=(2,)) == [merged]
    assert content(store) == Counter({(n, 0, "x"): 1 for n in range(1, 7)})
    assert content(store, epoch=epoch - 1) == Counter({(n, 0, "x"): 1 for n in range(7)})
    assert_tidy(store)


def test_large_results_are_written_once_per_order(store: Store, merger: ArrowMerger) -> None:
    orders = make(store, arrangements=(("customer",), ("name", "id")))
    append_table(store, orders, numbers(orders, 0, 10_000))
    append_table(store, orders, numbers(orders, 10_000, 14_000))
    want = content(store)
    store.maintain(merger)
    assert merger.calls == [("orders", 2, (1,)), ("orders", 1, (2,)), ("orders", 1, (3, 1))]
    for order in ((1,), (2,), (3, 1), (3,)):
        [found] = store.snapshot(orders, arrangement=order)
        assert found.serves(order)
        assert read(orders, [found]) == want
    assert store.snapshot(orders)[0].arrangement == (1,)
    assert store.snapshot(orders, arrangement=(2, 3))[0].arrangement == (1,)
    append(store, orders, (99_999, 5, "new"))
    assert [r.arrangement for r in store.snapshot(orders, arrangement=(2,))] == [(2,), None]
    assert store.maintain(merger) == []
    assert_tidy(store)


def test_an_order_added_later_is_built(store: Store, merger: ArrowMerger) -> None:
    from dataclasses import replace

    orders = make(store)
    append_table(store, orders, numbers(orders, 0, 9_000))
    append(store, orders, (99_999, 5, "new"))
    want = content(store)
    with pytest.raises(StoreError, match="no arrangement of 'orders'"):
        store.build_arrangement(orders, (2,), merger)
    with store.begin() as tx:
        orders = tx.alter_collection(replace(orders, arrangements=((2,),)))
        tx.publish()
    found = store.collection("orders")
    assert found is not None
    assert [r.arrangement for r in store.snapshot(found, arrangement=(2,))] == [(1,), None]
    [report] = store.build_arrangement(found, (2,), merger)
    assert (report["action"], report["rows"], report["order"]) == ("arrange", 9_000, [2])
    arranged = store.snapshot(found, arrangement=(2,))
    assert {r.arrangement for r in arranged} == {(2,), None}
    assert read(found, arranged) == want == content(store)
    assert read(found, store.snapshot(found, 2, (2,))) == content(store, epoch=2)
    assert store.build_arrangement(found, (2,), merger) == []
    assert read(found, store.delta(found, 1, 2) or []) == content(store, epoch=2)
    assert store.maintain(merger) == []
    assert_tidy(store)


def test_everything_cancels_out(store: Store, merger: ArrowMerger) -> None:
    orders = make(store)
    for n in range(4):
        append(store, orders, (n, 0, "x"))
        append(store, orders, (n, 0, "x"), weight=-1)
    store.maintain(merger)
    assert store.snapshot(orders) == []
    assert_tidy(store)


def test_an_unsorted_file_is_sorted(store: Store, merger: ArrowMerger) -> None:
    import os

    import pyarrow.parquet as pq

    from belvedere.store.parquet import write_table

    orders = make(store)
    with store.begin() as tx:
        path = os.path.join(tx.directory(), "x.parquet")
        write_table(path, orders.physical, numbers(orders, 0, 9_000).take(list(range(8_999, -1, -1))))
        tx.adopt(orders, [path])
        tx.publish()
    assert [r["action"] for r in store.maintain(merger)] == ["full"]
    [found] = store.snapshot(orders)
    assert found.arrangement == (1,)
    assert pq.read_table(found.path).column("c1").to_pylist() == list(range(9_000))
    assert store.maintain(merger) == []


def test_the_number_of_runs_stays_small(brief: Store, merger: ArrowMerger) -> None:
    orders = make(brief, key=())
    total: Counter[tuple[object, ...]] = Counter()
    for n in range(120):
        start = n * 300
        append_table(brief, orders, numbers(orders, start, start + 300))
        total += Counter({(i, i % 97, f"n{i}"): 1 for i in range(start, start + 300)})
        if n % 3 == 2:
            brief.maintain(merger)
        assert len(brief.snapshot(orders)) <= 21
    assert content(brief) == total
    assert len(files(brief)) < 80
    assert_tidy(brief)


class Intruder(ArrowMerger):
    """A merger during which something else happens."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self.act: Callable[[], object] | None = act

    def rows(self, collection: Collection, runs: list[Run], sort: tuple[int, ...]) -> pa.Table:
        found = super().rows(collection, runs, sort)
        act, self.act = self.act, None
        if act:
            act()
        return found


def eight(store: Store) -> Collection:
    orders = make(store)
    for n in range(8):
        append(store, orders, (n, 0, "x"))
    return orders


def test_an_append_does_not_disturb_a_merge(store: Store) -> None:
    orders = eight(store)
    store.maintain(Intruder(lambda: append(store, orders, (100, 0, "y"))))
    assert content(store) == Counter({**{(n, 0, "x"): 1 for n in range(8)}, (100, 0, "y"): 1})
    assert len(store.snapshot(orders)) == 2
    assert content(store, epoch=9) == Counter({(n, 0, "x"): 1 for n in range(8)})
    assert read(orders, store.delta(orders, 9, 10) or []) == Counter({(100, 0, "y"): 1})
    assert_tidy(store)


@pytest.mark.parametrize("what", ["replace", "drop", "alter", "merge"])
def test_a_merge_gives_up_when_another_writer_was_faster(store: Store, merger: ArrowMerger, what: str) -> None:
    from dataclasses import replace

    orders = eight(store)

    def act() -> None:
        if what == "merge":
            store.maintain(merger)
            return
        with store.begin() as tx:
            if what == "replace":
                tx.replace(orders)
                tx.append(orders, rows(orders, (5, 5, "new")))
            elif what == "drop":
                tx.drop_collection("orders")
            else:
                tx.alter_collection(replace(orders, name="renamed"))
            tx.publish()

    done = store.maintain(Intruder(act))
    assert done == []
    if what == "replace":
        assert content(store) == Counter({(5, 5, "new"): 1})
    elif what == "drop":
        assert store.collection("orders") is None
    else:
        assert content(store, "renamed" if what == "alter" else "orders") == Counter({(n, 0, "x"): 1 for n in range(8)})
    with store.begin() as tx:
        tx.put_doc("a", "b", {})
        tx.publish()
    assert_tidy(store)


def test_a_failing_merger_leaves_nothing(store: Store, merger: ArrowMerger) -> None:
    orders = eight(store)

    def fail() -> None:
        raise MemoryError("no room")

    with pytest.raises(MemoryError):
        store.maintain(Intruder(fail))
    assert len(store.snapshot(orders)) == 8
    assert_tidy(store)
    assert store.maintain(merger)[0]["action"] == "full"


def test_only_named_collections(store: Store, merger: ArrowMerger) -> None:
    eight(store)
    assert store.maintain(merger, collections=["other"]) == []
    assert merger.calls == []


def test_what_was_merged_need_not_be_kept_in_memory(store: Store, merger: ArrowMerger) -> None:
    orders = eight(store)
    before = {r.path for r in store.reader.runs(orders.id, None)}
    store.maintain(merger)
    now = {r.path for r in store.reader.runs(orders.id, None)}
    assert merger.forgotten == set(), "views may still be at the state before"
    for _ in range(SOON):
        with store.begin() as commit:
            commit.put_doc("note", "x", {"at": store.epoch})
            commit.publish()
    store.maintain(merger)
    assert merger.forgotten == before - now
    assert len(merger.forgotten) == 8
