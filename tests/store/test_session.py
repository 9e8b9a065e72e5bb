"""One directory and one marker for the runs of an open store, and what is left of them when it ends in one way or another."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from tests.store.helpers import append, assert_tidy, content, files, known, make, open_store, rows


def markers(path: Path) -> list[str]:
    return os.listdir(path / "staging")


def test_transactions_share_a_directory(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        orders = make(store)
        for n in range(3):
            append(store, orders, (n, n, "x"))
        assert len({os.path.dirname(f) for f in known(store)}) == 1
        assert len(markers(tmp_path)) == 1
        assert_tidy(store)
    assert markers(tmp_path) == []


def test_a_rollback_removes_its_own_files_only(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        orders = make(store)
        append(store, orders, (1, 1, "stays"))
        other = store.begin()
        other.append(orders, rows(orders, (2, 2, "later")))
        with store.begin() as tx:
            tx.append(orders, rows(orders, (3, 3, "never")))
        other.publish()
        assert content(store) == Counter({(1, 1, "stays"): 1, (2, 2, "later"): 1})
        assert_tidy(store)


def test_a_directory_that_went_is_made_again(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        orders = make(store)
        with store.begin() as tx:
            tx.append(orders, rows(orders, (1, 1, "never")))
        assert files(store) == set()
        append(store, orders, (2, 2, "x"))
        assert content(store) == Counter({(2, 2, "x"): 1})


def test_files_of_a_transaction_that_is_left_open_are_swept_by_the_next(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    orders = make(store)
    append(store, orders, (1, 1, "x"))
    tx = store.begin()
    tx.append(orders, rows(orders, (2, 2, "nobody's")))
    store.close()
    assert len(markers(tmp_path)) == 1, "it says that something may be left"
    with open_store(tmp_path) as again:
        assert content(again) == Counter({(1, 1, "x"): 1})
        assert_tidy(again)


def test_a_forked_process_has_a_directory_of_its_own(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        append(store, make(store), (1, 1, "x"))
        mine = store.placing.session.write(lambda path: path, lambda path: None)
        child = os.fork()
        if child == 0:
            theirs = store.placing.session.write(lambda path: path, lambda path: None)
            os._exit(0 if os.path.dirname(theirs) != os.path.dirname(mine) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert len([m for m in markers(tmp_path) if m in mine]) == 1, "the parent's marker is still there"
        store.placing.session.settle([mine])
