"""Kill -9 at every named point. Whoever comes next finds exactly the last published epoch, and one commit later no trace.

A scenario runs in a process of its own that passes every point, kills itself at one of them, and reports every epoch
right after it was published. Between the SQL commit and that report an epoch may be one ahead of the reports.
"""

from __future__ import annotations

import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.store.crash import in_process
from tests.store.helpers import ArrowMerger, append, assert_tidy, content, make, open_store, read

from belvedere.store import Store
from belvedere.store.faults import STORE, point


def check(store: Store, reported: int) -> None:
    """The state is that of one published epoch, in all collections and documents alike."""
    assert store.epoch in (reported, reported + 1)
    orders, stage, total = (store.collection("orders"), store.collection("stage"), store.doc("total", "t"))
    if total is None:
        assert all(c is None or store.snapshot(c) == [] for c in (orders, stage))
        return
    base = total["n"]
    assert base + 1 == store.epoch
    assert content(store, "orders") == Counter({(n, n, "x"): 1 for n in range(store.epoch - 2)})
    assert content(store, "stage") == Counter({(n, n, "y"): 1 for n in range(store.epoch - 2)})
    assert orders is not None
    last = store.delta(orders, store.epoch - 1, store.epoch)
    assert last is not None
    assert read(orders, last) == Counter({(store.epoch - 3, store.epoch - 3, "x"): 1})


def check_and_go_on(path: Path, stdout: str, catalog: str | None = None) -> None:
    """Reopen: the last published epoch. One more commit: no trace of the dead. And the warehouse works."""
    reported = [int(line) for line in stdout.split()]
    with open_store(path, catalog, retention=3) as store:
        if reported:
            check(store, reported[-1])
        append(store, make(store, "more"), (1, 1, "after"))
        assert_tidy(store)
        before = {c.name: content(store, c.name) for c in store.collections()}
        assert before["more"] == Counter({(1, 1, "after"): 1})
        store.maintain(ArrowMerger())
        assert {c.name: content(store, c.name) for c in store.collections()} == before
        assert_tidy(store)


ONCE = ("create.", "recover.")  # points that a process passes once


@pytest.mark.parametrize("kill", [f"{p}:{n}" for p in STORE for n in (1, 2) if n == 1 or not p.startswith(ONCE)])
def test_kill_and_reopen(tmp_path: Path, kill: str) -> None:
    path = tmp_path / "wh"
    if kill.startswith("recover."):
        assert in_process(path, "orphan").returncode == -signal.SIGKILL
    died = in_process(path, "scenario", kill)
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    check_and_go_on(path, died.stdout)


@pytest.mark.parametrize("kill", [f"{p}:{n}" for p in STORE if p.startswith("compact.") for n in (3, 4)])
def test_kill_in_a_merge_of_few_rows(tmp_path: Path, kill: str) -> None:
    path = tmp_path / "wh"
    died = in_process(path, "longer", kill)
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    assert len(died.stdout.split()) > 14, "the first merges have a snapshot, and are done by an engine"
    check_and_go_on(path, died.stdout)


@pytest.mark.parametrize("name", [p for p in STORE if p.startswith("recover.")])
def test_kill_during_the_recovery_from_a_kill_during_recovery(tmp_path: Path, name: str) -> None:
    path = tmp_path / "wh"
    assert in_process(path, "orphan").returncode == -signal.SIGKILL
    assert in_process(path, "scenario", "recover.found").returncode == -signal.SIGKILL
    died = in_process(path, "scenario", name)
    assert died.returncode == -signal.SIGKILL
    check_and_go_on(path, died.stdout)


def test_kill_twice_while_making_a_warehouse(tmp_path: Path) -> None:
    path = tmp_path / "wh"
    for name in ("create.directory", "create.catalog", "create.catalog"):
        assert in_process(path, "scenario", name).returncode == -signal.SIGKILL
    check_and_go_on(path, "")


def test_the_scenario_passes_when_nobody_dies(tmp_path: Path) -> None:
    done = in_process(tmp_path / "wh", "scenario")
    assert done.stdout.split()[-1] == "done", done.stderr
    with open_store(tmp_path / "wh", retention=3) as store:
        check(store, store.epoch)
        assert_tidy(store)


def test_an_unknown_point_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_KILL", "commit.nowhere")
    with pytest.raises(ValueError, match=r"unknown point 'commit.nowhere'; known: create.directory"):
        point("commit.sql")


def test_every_point_is_passed_somewhere() -> None:
    source = Path(sys.modules["belvedere.store.faults"].__file__ or "").parent
    text = "".join(p.read_text() for p in source.glob("*.py") if p.name != "faults.py")
    assert [p for p in STORE if f'point("{p}")' not in text] == []
