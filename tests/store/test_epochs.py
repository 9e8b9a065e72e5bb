"""What is visible when: one epoch per commit, all collections together, earlier epochs as they were."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.store.helpers import append, assert_tidy, content, files, make, open_store, rows, schema

from belvedere.errors import StoreError
from belvedere.store import Store
from belvedere.store.publish import THIS_EPOCH


def test_a_new_store_is_at_epoch_zero(store: Store) -> None:
    assert (store.epoch, store.collections(), store.has_epoch(0), store.has_epoch(1)) == (0, [], True, False)


def test_content_by_epoch(store: Store) -> None:
    orders = make(store)
    assert append(store, orders, (1, 7, "a"), (2, 7, "b")) == 2
    assert append(store, orders, (1, 7, "a"), weight=-1) == 3
    assert content(store) == Counter({(2, 7, "b"): 1})
    assert content(store, epoch=2) == Counter({(1, 7, "a"): 1, (2, 7, "b"): 1})
    assert content(store, epoch=1) == Counter()


def test_one_epoch_holds_all_its_collections(store: Store) -> None:
    left, right = make(store, "left"), make(store, "right")
    before = store.epoch
    with store.begin() as tx:
        tx.append(left, rows(left, (1, 1, "l")))
        tx.append(right, rows(right, (1, 1, "r")))
        assert (content(store, "left"), content(store, "right")) == (Counter(), Counter())
        assert tx.publish() == before + 1
    assert content(store, "left") == Counter({(1, 1, "l"): 1})
    assert content(store, "right") == Counter({(1, 1, "r"): 1})


def test_a_transaction_sees_its_own_work(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 1, "a"))
    with store.begin() as tx:
        run = tx.append(orders, rows(orders, (2, 2, "b")))
        assert [r.path for r in tx.snapshot(orders)][-1] == run.path
        assert tx.pending(orders) == [run]
        tx.replace(orders)
        assert tx.snapshot(orders) == []
        tx.put_doc("view", "v", {"n": 1})
        assert (tx.doc("view", "v"), tx.docs("view"), store.doc("view", "v")) == ({"n": 1}, {"v": {"n": 1}}, None)
        other = tx.create_collection("other", "view", schema("a int"))
        assert [c.name for c in tx.collections()] == ["orders", "other"]
        tx.drop_collection("orders")
        assert (tx.collection("orders"), tx.collection("other")) == (None, other)


@pytest.mark.parametrize("fails", [False, True])
def test_leaving_without_publish_leaves_no_trace(store: Store, fails: bool) -> None:
    orders = make(store)
    before = files(store)
    try:
        with store.begin() as tx:
            tx.append(orders, rows(orders, (1, 1, "a")))
            tx.create_collection("more", "table", schema())
            tx.put_doc("view", "v", {})
            if fails:
                raise KeyError("stop")
    except KeyError:
        assert fails
    assert (store.epoch, files(store), content(store), store.collection("more"), store.docs("view")) == (
        1,
        before,
        Counter(),
        None,
        {},
    )
    assert_tidy(store)


def test_nothing_to_publish_is_no_epoch(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx:
        tx.append(orders, rows(orders))
        tx.touch(["orders"])
        assert tx.publish() == 1
    assert store.epoch == 1
    assert_tidy(store)


def test_a_finished_transaction_takes_no_more(store: Store) -> None:
    orders = make(store)
    with store.begin() as tx:
        tx.append(orders, rows(orders, (1, 1, "a")))
        tx.publish()
        for act in (
            tx.publish,
            tx.directory,
            lambda: tx.put_doc("a", "b", {}),
            lambda: tx.append(orders, rows(orders, (2, 2, "b"))),
        ):
            with pytest.raises(StoreError, match="published"):
                act()
    assert content(store) == Counter({(1, 1, "a"): 1})


def test_documents_have_versions(store: Store) -> None:
    for n in (1, 2):
        with store.begin() as tx:
            tx.put_doc("view", "v", {"n": n, "text": "ü'\";--"})
            tx.publish()
    with store.begin() as tx:
        tx.put_doc("view", "v", None)
        tx.put_doc("view", "w", {"n": 3})
        tx.publish()
    assert store.doc("view", "v") is None
    assert store.doc("view", "v", 1) == {"n": 1, "text": "ü'\";--"}
    assert store.docs("view", 2) == {"v": {"n": 2, "text": "ü'\";--"}}
    assert store.docs("view") == {"w": {"n": 3}}
    assert store.docs("watermark") == {}


def test_a_document_can_name_the_epoch_that_publishes_it(store: Store) -> None:
    other = make(store, "other")
    with store.begin() as tx:
        tx.put_doc("pin", "v", {"epoch": THIS_EPOCH, "by": "me"})
        append(store, other, (1, 1, "a"))
        assert tx.publish() == 3
    assert store.doc("pin", "v") == {"epoch": 3, "by": "me"}


def test_history_is_kept_in_order(store: Store) -> None:
    for n in range(3):
        with store.begin() as tx:
            tx.record("v", {"rows": n})
            tx.record("w", {"rows": -n})
            tx.publish()
    assert [(h["epoch"], h["rows"]) for h in store.history("v")] == [(1, 0), (2, 1), (3, 2)]
    assert [h["rows"] for h in store.history("v", limit=2)] == [1, 2]
    assert [h["name"] for h in store.history(limit=2)] == ["v", "w"]
    assert store.history("nobody") == []


def test_epochs_that_are_not_there(store: Store) -> None:
    orders = make(store)
    with pytest.raises(StoreError, match="not published yet; the last one is 1"):
        store.snapshot(orders, 2)
    with pytest.raises(StoreError, match="not published yet"):
        store.collections(9)
    with pytest.raises(StoreError, match="not published yet"):
        store.docs("view", 9)


def test_two_stores_on_one_directory_see_each_other(store: Store) -> None:
    with open_store(store.path) as other:
        orders = make(other)
        append(other, orders, (1, 1, "a"))
        assert (store.epoch, content(store)) == (2, Counter({(1, 1, "a"): 1}))


def test_names_are_exact_and_may_be_anything(store: Store) -> None:
    names = ["orders", "Orders", "a.b", "x" * 300, '"; drop table bv_runs; --', "naïve 🐎", " "]
    for name in names:
        make(store, name)
    assert sorted(c.name for c in store.collections()) == sorted(names)
    assert store.collection("ORDERS") is None
    for name in names:
        found = store.collection(name)
        assert found is not None
        append(store, found, (1, 1, name))
        assert content(store, name) == Counter({(1, 1, name): 1})


def test_documents_that_stay_are_decoded_once(store: Store) -> None:
    """Every epoch has all documents; those that nobody wrote are the same values as in the one before."""
    with store.begin() as tx:
        tx.put_doc("view", "v", {"n": 1})
        tx.put_doc("view", "w", {"n": 1})
        first = tx.publish()
    before = store.shared_docs("view", store.epoch)
    with store.begin() as tx:
        tx.put_doc("view", "w", {"n": 2})
        tx.publish()
    now = store.shared_docs("view", store.epoch)
    assert now == {"v": {"n": 1}, "w": {"n": 2}}
    assert now["v"] is before["v"]
    assert now["w"] is not before["w"]
    assert store.shared_docs("view", first) == {"v": {"n": 1}, "w": {"n": 1}}
    with store.begin() as tx:
        tx.put_doc("view", "v", None)
        tx.publish()
    assert store.shared_docs("view", store.epoch) == {"w": {"n": 2}}
