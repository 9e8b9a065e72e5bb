"""Two writers: whoever comes second is rebased when they did not meet, and told so when they did."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.helpers import ArrowMerger, append, assert_tidy, content, files, make, rows, schema

from belvedere.errors import Conflict
from belvedere.store import Collection, Commit, Store


def race(store: Store, first: Callable[[Commit], object], second: Callable[[Commit], object]) -> int:
    """Begin both, publish the first, then the second; returns the second's epoch."""
    with store.begin() as one, store.begin() as two:
        first(one)
        second(two)
        one.publish()
        return two.publish()


def add(c: Collection, *values: tuple[object, ...]) -> Callable[[Commit], object]:
    return lambda tx: tx.append(c, rows(c, *values))


def test_different_collections_are_rebased(store: Store) -> None:
    left, right = make(store, "left"), make(store, "right")
    assert race(store, add(left, (1, 1, "l")), add(right, (1, 1, "r"))) == 4
    assert (content(store, "left"), content(store, "right")) == (Counter({(1, 1, "l"): 1}), Counter({(1, 1, "r"): 1}))
    assert content(store, "right", 3) == Counter()
    run = store.snapshot(right)[0]
    assert (run.epoch_from, run.id > 0, run.group) == (4, True, run.id)


def test_same_collection_is_a_conflict_that_leaves_nothing(store: Store) -> None:
    orders = make(store)
    with pytest.raises(Conflict, match="epoch 2, published by another writer, changed 'orders'"):
        race(store, add(orders, (1, 1, "a")), add(orders, (2, 2, "b")))
    assert content(store) == Counter({(1, 1, "a"): 1})
    assert_tidy(store)
    append(store, orders, (2, 2, "b"))
    assert store.epoch == 3


def test_what_was_read_counts(store: Store) -> None:
    left, right = make(store, "left"), make(store, "right")

    def reads_left(tx: Commit) -> None:
        tx.touch(["left"])
        tx.append(right, rows(right, (1, 1, "r")))

    with pytest.raises(Conflict, match="'left'"):
        race(store, add(left, (1, 1, "l")), reads_left)
    # the other way round the reader is first, and the writer of what it read comes after it: that is an order
    assert race(store, reads_left, add(left, (2, 2, "l"))) == store.epoch


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (lambda tx: tx.put_doc("view", "v", {}), lambda tx: tx.put_doc("view", "v", {"n": 1}), "the view 'v'"),
        (
            lambda tx: tx.put_doc("view", "v", {}),
            lambda tx: (tx.touch(["v"], kind="view"), tx.put_doc("view", "w", {})),
            "the view 'v'",
        ),
        (lambda tx: tx.create_collection("t", "table", schema()), lambda tx: tx.create_collection("t", "view", schema()), "'t'"),
        (lambda tx: tx.create_collection("t", "table", schema()), lambda tx: (tx.touch(["t"]), tx.put_doc("a", "b", {})), "'t'"),
        (lambda tx: tx.drop_collection("orders"), lambda tx: tx.replace(tx.collection("orders")), "'orders'"),
    ],
)
def test_docs_and_names_meet_too(
    store: Store, first: Callable[[Commit], object], second: Callable[[Commit], object], named: str
) -> None:
    make(store)
    with pytest.raises(Conflict, match=named):
        race(store, first, second)
    assert_tidy(store)


def test_new_collections_at_once_get_different_ids(store: Store) -> None:
    make_one = lambda name: lambda tx: tx.create_collection(name, "table", schema())  # noqa: E731
    race(store, make_one("a"), make_one("b"))
    assert len({c.id for c in store.collections()}) == 2


def test_a_base_beyond_the_retention_is_a_conflict(brief: Store) -> None:
    orders, other = make(brief), make(brief, "other")
    with brief.begin() as late:
        late.append(other, rows(other, (1, 1, "late")))
        for n in range(9):
            append(brief, orders, (n, n, "x"))
        brief.maintain(ArrowMerger(), collections=[])
        with pytest.raises(Conflict, match="beyond the retention"):
            late.publish()
    assert_tidy(brief)


WRITER = """
import json, sys
from belvedere.errors import Conflict
from belvedere.store import Store
from tests.store.helpers import open_store, rows
path, name, catalog = sys.argv[1], sys.argv[2], sys.argv[3] or None
store = open_store(path, catalog)
orders = store.collection("orders")
print("ready", flush=True)
sys.stdin.readline()
done = conflicts = 0
while done < 25:
    try:
        with store.begin() as tx:
            total = tx.doc("total", "t")["n"]
            tx.append(orders, rows(orders, (done, 0, name)))
            tx.put_doc("total", "t", {"n": total + 1})
            tx.publish()
        done += 1
    except Conflict:
        conflicts += 1
print(json.dumps({"done": done, "conflicts": conflicts}))
"""


def two_writers(path: str, catalog: str | None) -> None:
    """Two processes of 25 commits each on the same collection and counter: nothing is lost and nothing applied twice."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WRITER, path]
    running = [
        subprocess.Popen(
            [*command, name, catalog or ""],
            cwd=root,
            env={"PYTHONPATH": ":".join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    assert [r["done"] for r in results] == [25, 25]


def test_two_processes_with_25_commits_each(store: Store) -> None:
    make(store)
    with store.begin() as tx:
        tx.put_doc("total", "t", {"n": 0})
        tx.publish()
    start = store.epoch
    two_writers(store.path, None)
    assert (store.epoch, store.doc("total", "t")) == (start + 50, {"n": 50})
    assert content(store) == Counter({(n, 0, name): 1 for n in range(25) for name in ("one", "two")})
    assert len(files(store)) == 50
    assert_tidy(store)
