"""Large merges beside everything else: nobody waits for them, nothing is lost by them, and they do not pile up."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

import belvedere as bv
from belvedere.store import maintain
from belvedere.warehouse import upkeep
from belvedere.warehouse.upkeep import Upkeep


class Slow:
    """Work that takes until it is let go on."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = threading.Event()

    def __call__(self, name: str) -> None:
        self.begun.append(name)
        assert self.go.wait(30)


def test_who_asks_goes_on_and_the_work_is_done_once() -> None:
    work = Slow()
    beside = Upkeep(work)
    for name in ("a", "b", "b"):
        beside.ask(name)
    work.go.set()
    beside.settle()
    assert work.begun == ["a", "b"]


def test_what_is_asked_for_during_the_work_is_done_again() -> None:
    work = Slow()
    beside = Upkeep(work)
    beside.ask("a")
    while not work.begun:
        time.sleep(0.001)
    beside.ask("a")
    work.go.set()
    beside.settle()
    assert work.begun == ["a", "a"]


def test_who_asks_too_often_waits() -> None:
    work = Slow()
    beside = Upkeep(work)
    for _ in range(upkeep.PATIENCE):
        beside.ask("a")
    while not work.begun:
        time.sleep(0.001)
    asking = threading.Thread(target=beside.ask, args=("a",))
    asking.start()
    asking.join(0.05)
    assert asking.is_alive()
    work.go.set()
    asking.join(30)
    assert not asking.is_alive()
    beside.settle()


def test_closing_finishes_what_was_asked_for() -> None:
    work = Slow()
    beside = Upkeep(work)
    beside.ask("a")
    beside.ask("b")
    work.go.set()
    beside.close()
    beside.ask("c")
    assert work.begun == ["a", "b"]


def test_stopping_finishes_what_was_begun_and_begins_nothing() -> None:
    work = Slow()
    beside = Upkeep(work)
    beside.ask("a")
    beside.ask("b")
    while not work.begun:
        time.sleep(0.001)
    stopping = threading.Thread(target=beside.stop)
    stopping.start()
    while beside._asked:
        time.sleep(0.001)
    work.go.set()
    stopping.join(30)
    beside.ask("c")
    assert work.begun == ["a"]


class Kept:
    """Notes when work is done and when what it took is given back."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.beside = Upkeep(self.events.append, lambda: self.events.append("given back"))

    def do(self, *names: str) -> None:
        for name in names:
            self.beside.ask(name)
            self.beside.settle()


def test_memory_is_given_back_when_it_is_quiet_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    kept = Kept()
    kept.do("a", "b")
    assert kept.events == ["a", "b"]
    monkeypatch.setattr(upkeep, "QUIET", 0.0)
    deadline = time.monotonic() + 30
    while "given back" not in kept.events and time.monotonic() < deadline:
        time.sleep(0.001)
    assert kept.events == ["a", "b", "given back"]
    kept.beside.close()
    assert kept.events == ["a", "b", "given back"], "once"


def test_memory_is_given_back_at_last_if_it_is_never_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    monkeypatch.setattr(upkeep, "LONG", 0.0)
    kept = Kept()
    kept.do("a", "b")
    kept.beside.close()
    assert kept.events == ["a", "given back", "b", "given back"]


def test_who_rests_or_closes_does_not_wait_for_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 1000.0)
    kept = Kept()
    kept.beside.rest()
    assert kept.events == []
    kept.do("a")
    kept.beside.rest()
    assert kept.events == ["a", "given back"]
    kept.do("b")
    kept.beside.close()
    kept.beside.rest()
    assert kept.events == ["a", "given back", "b", "given back"]


def test_what_cannot_be_given_back_ends_nothing() -> None:
    def after() -> None:
        raise OSError("not now")

    done: list[str] = []
    beside = Upkeep(done.append, after)
    for name in ("a", "b"):
        beside.ask(name)
        beside.rest()
    beside.close()
    assert done == ["a", "b"]


def test_work_that_fails_is_told_and_the_rest_is_done() -> None:
    done: list[str] = []
    go = threading.Event()

    def work(name: str) -> None:
        if name == "a":
            assert go.wait(30)
            raise OSError("the disk is full")
        done.append(name)

    beside = Upkeep(work)
    beside.ask("a")
    threading.Timer(0.05, go.set).start()  # not before somebody listens
    with pytest.warns(UserWarning, match="files of 'a' are not merged for now.*the disk is full"):
        beside.settle()
    beside.ask("b")
    beside.settle()
    assert done == ["b"]


def test_a_warning_that_is_an_error_does_not_end_it() -> None:
    def work(name: str) -> None:
        raise OSError(name)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        beside = Upkeep(work)
        beside.ask("a")
        beside.settle()
        beside.ask("b")
        beside.close()


def test_whatever_ends_the_thread_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)

    def work(name: str) -> None:
        raise SystemExit(name)

    beside = Upkeep(work)
    beside.ask("a")
    beside.settle()
    beside.close()


def test_a_system_without_threads_leaves_it_due(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    beside = Upkeep(lambda name: None)
    with monkeypatch.context() as m:
        m.setattr(threading.Thread, "start", start)
        beside.ask("a")
    beside.close()


def test_who_collects_garbage_waits_for_nobody() -> None:
    """A warehouse that nobody closed may be found by the thread that merges for it."""
    done = threading.Event()

    def work(name: str) -> None:
        beside.give_up()
        done.set()

    beside = Upkeep(work)
    beside.ask("a")
    assert done.wait(30)
    beside.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_process_ends() -> None:
    work = Slow()
    beside = Upkeep(work)
    beside.ask("a")
    while not work.begun:
        time.sleep(0.001)
    child = os.fork()
    if child == 0:
        beside.settle()
        beside.stop()
        os._exit(0)
    deadline = time.monotonic() + 30
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
    work.go.set()
    beside.close()
    assert ended == (child, 0)


def test_a_program_that_does_not_close_ends_in_silence(tmp_path: Path) -> None:
    """A merge that was begun is finished before its connection goes."""
    program = """if True:
        import sys, time, pyarrow as pa
        import belvedere as bv
        wh = bv.open(sys.argv[1], engine="duckdb")
        for n in range(2):
            wh.load("t", pa.table({"k": range(n * 400_000, (n + 1) * 400_000)}))
        time.sleep(0.1)
    """
    ran = subprocess.run([sys.executable, "-c", program, str(tmp_path / "wh")], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_warehouse_merges_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers, a view and merges of everything at the same time: the views follow."""
    monkeypatch.setattr(maintain, "BESIDE", 1_000)
    monkeypatch.setattr("belvedere.warehouse.writing.BESIDE", 1_000)
    threads: set[str] = set()
    merge = maintain._merge

    def noted(*a: object, **k: object) -> object:
        threads.add(threading.current_thread().name)
        return merge(*a, **k)  # type: ignore[arg-type]

    monkeypatch.setattr(maintain, "_merge", noted)
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.load("t", [{"k": i, "g": i % 7} for i in range(20_000)], key="k")
        wh.create_view("v", "select g, count(*) as n, sum(k) as s from t group by g")
        wh.create_view("w", "select k + 1 as k1 from t where g < 5")
        for n in range(12):
            with wh.transaction() as tx:
                tx.delete("t", key=[(i,) for i in range(n * 1_000, (n + 1) * 1_000)])
                tx.insert("t", [{"k": 100_000 + n * 1_000 + i, "g": i % 7} for i in range(500)])
            wh.refresh()
            assert [wh.view(n).verify().ok for n in ("v", "w")] == [True, True]
        wh.upkeep.settle()
        assert "belvedere-upkeep" in threads
        assert [wh.view(n).verify().ok for n in ("v", "w")] == [True, True]
        assert wh.query("select count(*) as n from t").rows() == [{"n": 14_000}]
    with bv.open(tmp_path / "wh", engine="duckdb", create=False) as again:
        assert again.view("w").verify().ok


def quietly(work: list[str]) -> Upkeep:
    return Upkeep(work.append, lambda: work.append("given back"), lambda: work.append("quiet"))


def test_what_is_owed_is_done_when_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    done: list[str] = []
    beside = quietly(done)
    beside.owe()
    beside.ask("a")
    beside.settle()
    beside.owe()
    assert done == ["a"]
    beside.rest()
    assert done == ["a", "given back", "quiet"]
    beside.close()
    assert done == ["a", "given back", "quiet"], "once"


def test_what_is_owed_waits_no_longer_than_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    monkeypatch.setattr(upkeep, "LONG", 0.0)
    monkeypatch.setattr(upkeep, "LOOK", 0.001)
    done: list[str] = []
    beside = quietly(done)
    beside.owe()
    deadline = time.monotonic() + 30
    while "quiet" not in done and time.monotonic() < deadline:
        time.sleep(0.001)
    beside.stop()
    assert done == ["given back", "quiet"]


def test_what_is_owed_is_not_begun_by_who_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    done: list[str] = []
    beside = quietly(done)
    beside.owe()
    beside.stop()
    beside.owe()
    assert "quiet" not in done


def test_what_comes_to_be_owed_meanwhile_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 30.0)
    done: list[str] = []

    def quiet() -> None:
        done.append("quiet")
        if len(done) == 1:  # it has looked at all there was, and is not done yet
            other = threading.Thread(target=beside.owe)
            other.start()
            other.join()

    beside = Upkeep(done.append, quiet=quiet)
    beside.owe()
    beside.rest()
    assert done == ["quiet", "quiet"]
    beside.close()


def snapshots(wh: bv.Warehouse) -> list[str]:
    return [name for [name] in wh.core.store.catalog.rows("SELECT table_name FROM bv_iceberg ORDER BY table_name")]


def test_snapshots_of_small_tables_keep_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are taken when it is quiet, or when the warehouse is closed; with a limit of memory nothing is done beside."""
    monkeypatch.setattr(upkeep, "QUIET", 1000.0)
    for n, memory in enumerate((None, None, "1GB")):
        with bv.open(tmp_path / str(n), engine="duckdb", memory=memory) as wh:
            wh.create_table("t", "a int", key="a")
            for i in range(8):
                wh.load("t", [{"a": i}])
            assert snapshots(wh) == (["t"] if memory else [])
            if n == 0:
                wh.upkeep.rest()
                assert snapshots(wh) == ["t"]
        with bv.open(tmp_path / str(n), engine="duckdb", create=False) as wh:
            assert snapshots(wh) == ["t"]


def test_who_says_compact_does_not_wait_for_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "QUIET", 1000.0)
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", "a int", key="a")
        for i in range(8):
            wh.load("t", [{"a": i}])
        assert snapshots(wh) == []
        wh.compact()
        assert snapshots(wh) == ["t"]


def test_snapshots_are_left_by_who_does_not_close(tmp_path: Path) -> None:
    wh = bv.open(tmp_path / "w", engine="duckdb")
    wh.create_table("t", "a int", key="a")
    for i in range(8):
        wh.load("t", [{"a": i}])
    core = wh.core
    assert core._unsaid
    del wh
    gc.collect()
    assert not core._unsaid
    core.close()


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_a_snapshot_that_cannot_be_taken_keeps_nobody_from_compacting(tmp_path: Path, memory: str | None) -> None:
    """Iceberg takes the two columns for one."""
    with bv.open(tmp_path / "w", engine="duckdb", memory=memory) as wh:
        wh.create_table("t", "id int, s struct<`a.b`: int, c: int>, `s.c` int", key="id")
        for i in range(20):
            wh.load("t", [{"id": i}])
        wh.load("t", [{"id": i} for i in range(100, 20_000)])
        wh.compact()
        assert wh.query("select count(*) n from t").rows() == [{"n": 19_920}]


def test_a_snapshot_that_cannot_be_taken_keeps_nobody_from_closing(tmp_path: Path) -> None:
    """Iceberg takes the two columns for one."""
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", "id int, s struct<`a.b`: int, c: int>, `s.c` int", key="id")
        for i in range(8):
            wh.load("t", [{"id": i}])
        assert wh.core._unsaid
    assert not wh.core.store.catalog._opened, "it was closed"
    with bv.open(tmp_path / "w", engine="duckdb", create=False) as wh:
        assert wh.query("select count(*) n from t").rows() == [{"n": 8}]
