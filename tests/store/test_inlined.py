"""Runs of a few rows are in the catalog: no file is made for them, and they come and go with what the catalog knows."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from tests.store.crash import in_process
from tests.store.helpers import ArrowMerger, append, append_table, assert_tidy, content, files, make, numbers, open_store, rows
from tests.store.test_crash import check_and_go_on

from belvedere.errors import Conflict, StoreError
from belvedere.store import Store
from belvedere.store.faults import STORE
from belvedere.store.inlined import decode, encode, is_inlined
from belvedere.store.small_runs import SmallRuns
from belvedere.store.store import FEW

TYPES = "id bigint, name string, price decimal(12,2), at_ts timestamp, parts array<struct<a: int, b: string>>, m map<string, int>"


@pytest.fixture
def few(tmp_path: Path) -> Store:
    with open_store(tmp_path / "wh", few=FEW, retention=5) as store:
        yield store


def test_no_file_and_no_marker_is_made(few: Store) -> None:
    orders = make(few)
    append(few, orders, (1, 1, "a"), (2, 2, "b"))
    [run] = few.snapshot(orders)
    assert is_inlined(run.path)
    assert (run.rows, run.deletes, run.arrangement, run.body) == (2, 0, None, None)
    assert run.bytes > 0
    assert run.stats["1"] == {"nulls": 0, "min": 1, "max": 2, "values": [1, 2]}
    assert files(few) == set()
    assert os.listdir(Path(few.path, "staging")) == []
    assert content(few) == Counter({(1, 1, "a"): 1, (2, 2, "b"): 1})
    assert_tidy(few)


def test_they_are_in_order_and_as_they_were_given(few: Store) -> None:
    made = make(few, "odd", TYPES)
    given = pa.table(
        [
            pa.array([3, None, 1], pa.int64()), pa.array(["", None, "ß'\0\""]),
            pa.array([None, "1.50", "-2.00"]).cast(pa.decimal128(12, 2)),
            pa.array([0, None, -1], pa.timestamp("us", "UTC")),
            pa.array([[{"a": 1, "b": None}], None, []], made.physical.field("c5").type),
            pa.array([[("x", 1)], None, []], made.physical.field("c6").type), pa.array([1, -2, 3], pa.int64()),
        ],
        schema=made.physical,
    )  # fmt: skip
    append_table(few, made, given)
    [run] = few.snapshot(made)
    found = few.inlined.read(run.path)
    assert found.schema.equals(made.physical)
    assert found.to_pylist() == given.take([1, 2, 0]).to_pylist()
    assert SmallRuns(few.inlined.read).read(run.path).equals(found)


@pytest.mark.parametrize("table", [pa.table({"c1": pa.array([], pa.int64())}), pa.table({"c1": [1, None], "_w": [1, 2]})])
def test_bytes_say_their_layout(table: pa.Table) -> None:
    assert decode(encode(table)).equals(table)
    assert decode(encode(table.slice(1))).equals(table.slice(1))


def test_more_rows_go_to_a_file(few: Store) -> None:
    orders = make(few)
    append_table(few, orders, numbers(orders, 0, 5000))
    append_table(few, orders, numbers(orders, 5000, 5010))
    assert [is_inlined(r.path) for r in few.snapshot(orders)] == [False, True]
    assert sum(content(few).values()) == 5010
    assert_tidy(few)


def test_a_merge_reads_both_and_makes_either(few: Store) -> None:
    orders, merger = make(few), ArrowMerger()
    for n in range(8):
        append(few, orders, (n, 0, "x"))
    few.maintain(merger)  # the first is done by an engine, since it has an Iceberg snapshot
    [run] = few.snapshot(orders)
    assert not is_inlined(run.path)
    for n in range(8, 15):
        append(few, orders, (n, 0, "x"))
    [report] = [r for r in few.maintain(merger) if r["action"] != "expire"]
    assert (report["runs"], report["rows"], report["iceberg"]) == (8, 15, False)
    [run] = few.snapshot(orders)
    assert is_inlined(run.path)
    assert merger.kept[run.path].equals(few.inlined.read(run.path))
    assert content(few) == Counter({(n, 0, "x"): 1 for n in range(15)})
    assert_tidy(few)


def test_earlier_epochs_and_deltas_can_be_read_and_go_in_the_end(few: Store) -> None:
    orders, merger = make(few), ArrowMerger()
    want = {1: Counter()}
    for n in range(2, 40):
        append(few, orders, (n, n, "x"))
        want[n] = want[n - 1] + Counter({(n, n, "x"): 1})
        few.maintain(merger)
        for epoch in range(max(1, n - 4), n + 1):
            assert content(few, epoch=epoch) == want[epoch]
        assert_tidy(few)
    assert len(few.delta(orders, 35, 39) or []) == 4
    with closing(sqlite3.connect(Path(few.path, "catalog.db"))) as db:
        assert db.execute("SELECT COUNT(*) FROM bv_rows").fetchone()[0] < 25


def test_a_dropped_collection_goes_with_its_rows(few: Store) -> None:
    orders, other = make(few), make(few, "other")
    append(few, orders, (1, 1, "a"))
    with few.begin() as tx:
        tx.drop_collection("orders")
        tx.publish()
    for n in range(8):
        append(few, other, (n, n, "x"))
        few.maintain(ArrowMerger())
    assert few.catalog.rows("SELECT COUNT(*) FROM bv_runs WHERE collection = :c", c=orders.id) == [(0,)]
    assert_tidy(few)


def test_what_comes_to_nothing_leaves_nothing(few: Store) -> None:
    orders = make(few)
    with few.begin() as tx:
        run = tx.append(orders, rows(orders, (1, 1, "a")))
        assert few.inlined.read(run.path).num_rows == 1, "the transaction itself reads it before it is published"
        mark = tx.mark()
        tx.append(orders, rows(orders, (2, 2, "b")))
        tx.back_to(mark)
        tx.publish()
    with few.begin() as tx:
        lost = tx.append(orders, rows(orders, (3, 3, "c")))
    assert content(few) == Counter({(1, 1, "a"): 1})
    assert few.inlined._held == {}
    with pytest.raises(FileNotFoundError):
        few.inlined.read(lost.path)
    assert_tidy(few)


def test_a_conflict_leaves_nothing(few: Store) -> None:
    orders = make(few)
    with few.begin() as late:
        late.append(orders, rows(orders, (1, 1, "late")))
        append(few, orders, (2, 2, "b"))
        with pytest.raises(Conflict):
            late.publish()
    assert content(few) == Counter({(2, 2, "b"): 1})
    assert few.inlined._held == {}
    assert_tidy(few)


def test_nothing_is_held_where_the_catalog_does_not_answer(few: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = make(few)

    def gone() -> None:
        raise StoreError("the catalog cannot be used")

    with pytest.raises(StoreError, match="cannot be used"), few.begin() as tx:  # noqa: PT012
        tx.append(orders, rows(orders, (1, 1, "a")))
        tx.append(orders, numbers(orders, 0, 5_000))
        monkeypatch.setattr(few.catalog, "write", gone)
        tx.publish()
    assert few.inlined._held == {}
    monkeypatch.undo()
    append(few, orders, (2, 2, "b"))
    assert content(few) == Counter({(2, 2, "b"): 1})


def test_others_read_what_one_has_written(few: Store) -> None:
    orders = make(few)
    append(few, orders, (1, 1, "a"))
    code = """
import sys
from belvedere.store import Store
from tests.store.helpers import append, content
store = Store.open(sys.argv[1])
append(store, store.collection("orders"), (2, 2, "b"))
print(sorted(content(store)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, few.path], cwd=Path(__file__).parents[2], env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[(1, 1, 'a'), (2, 2, 'b')]", done.stderr
    assert sum(content(few).values()) == 2


def test_several_threads(few: Store) -> None:
    tables = [make(few, f"t{n}") for n in range(4)]
    failed: list[BaseException] = []

    def write(n: int) -> None:
        try:
            for i in range(25):
                append(few, tables[n], (i, n, "x"))
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert [sum(content(few, f"t{n}").values()) for n in range(4)] == [25] * 4
    assert few.inlined._held == {}


def test_a_warehouse_can_be_moved(tmp_path: Path) -> None:
    with open_store(tmp_path / "a", few=FEW) as store:
        append(store, make(store), (1, 1, "a"))
    shutil.move(tmp_path / "a", tmp_path / "rows ß")
    with open_store(tmp_path / "rows ß", few=FEW) as store:
        assert content(store) == Counter({(1, 1, "a"): 1})


def test_a_warehouse_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    with open_store(tmp_path / "wh") as store:
        orders = make(store)
        append(store, orders, (1, 1, "a"))
    with closing(sqlite3.connect(tmp_path / "wh" / "catalog.db")) as db, db:
        db.execute("DROP TABLE bv_rows")
        db.execute("UPDATE bv_meta SET value = '1' WHERE name = 'format_version'")
    for n in (2, 3):
        with open_store(tmp_path / "wh", few=FEW) as store:
            append(store, orders, (n, n, "b"))
            assert sum(content(store).values()) == n
            assert_tidy(store)
    with closing(sqlite3.connect(tmp_path / "wh" / "catalog.db")) as db:
        assert db.execute("SELECT value FROM bv_meta WHERE name = 'format_version'").fetchone() == ("2",)


def test_a_weight_of_nothing_is_refused(few: Store) -> None:
    orders = make(few)
    with few.begin() as tx, pytest.raises(StoreError, match="a weight that is 0 or NULL"):
        tx.append(orders, rows(orders, (1, 1, "a"), weight=0))
    assert few.inlined._held == {}


@pytest.mark.parametrize("kill", [p for p in STORE if not p.startswith(("create.", "recover."))])
def test_kill_and_reopen(tmp_path: Path, kill: str) -> None:
    died = in_process(tmp_path / "wh", "scenario", f"{kill}:{1 if kill.startswith('gc.') else 2}", few=FEW)
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    check_and_go_on(tmp_path / "wh", died.stdout)


@pytest.mark.parametrize("kill", ["compact.written:4", "compact.sql:4", "compact.committed:4"])
def test_kill_in_a_merge(tmp_path: Path, kill: str) -> None:
    died = in_process(tmp_path / "wh", "longer", kill, few=FEW)
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    check_and_go_on(tmp_path / "wh", died.stdout)


def test_in_postgres(tmp_path: Path, postgres_url: str) -> None:
    with Store.open(tmp_path / "wh", postgres_url, retention=3) as store:
        orders = make(store)
        for n in range(12):
            append(store, orders, (n, n, "x"))
            store.maintain(Reading(store))
        every = [dict(zip(("id", "c", "name"), (n, n, "x"), strict=True)) for n in range(12)]
        found = [r for run in store.snapshot(orders) for r in Reading(store).stored(run).to_pylist()]
        assert sorted(r["c1"] for r in found) == [r["id"] for r in every]
        paths = {r[0] for r in store.catalog.rows("SELECT path FROM bv_runs") if is_inlined(r[0])}
        assert {r[0] for r in store.catalog.rows("SELECT path FROM bv_rows")} == paths
        assert paths


class Reading(ArrowMerger):
    """Reads runs by way of the store."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.runs = SmallRuns(store.inlined.read)

    def stored(self, run: object) -> pa.Table:
        return self.runs.read(run.path)  # type: ignore[attr-defined]
