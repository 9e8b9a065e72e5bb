"""Opening: what is a warehouse, what is not, and that looking changes nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.store.helpers import append, content, make

from belvedere.errors import StoreError
from belvedere.store import Store


def contents(path: Path) -> dict[str, bytes]:
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def test_open_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a" / "wh") as store:
        append(store, make(store), (1, 1, "a"))
    with Store.open(tmp_path / "a" / "wh", create=False) as store:
        assert (store.epoch, sum(content(store).values())) == (2, 1)


def test_a_warehouse_can_be_moved(tmp_path: Path) -> None:
    with Store.open(tmp_path / "wh") as store:
        append(store, make(store), (1, 1, "a"))
    (tmp_path / "wh").rename(tmp_path / "ß moved")
    with Store.open(tmp_path / "ß moved") as store:
        assert sum(content(store).values()) == 1


def test_an_empty_directory_is_fine(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        assert store.epoch == 0


def _file(path: Path) -> Path:
    path.mkdir()
    (path / "wh").write_text("no")
    return path / "wh"


def _not_empty(path: Path) -> Path:
    path.mkdir()
    (path / "thesis.doc").write_text("mine")
    return path


def _not_sqlite(path: Path) -> Path:
    path.mkdir()
    (path / "catalog.db").write_bytes(b"not a database at all, but long enough to have a header" * 20)
    return path


def _foreign(path: Path) -> Path:
    path.mkdir()
    with sqlite3.connect(path / "catalog.db") as db:
        db.execute("CREATE TABLE songs (title TEXT)")
    db.close()
    return path


def _newer(path: Path) -> Path:
    Store.open(path).close()
    with sqlite3.connect(path / "catalog.db") as db:
        db.execute("UPDATE bv_meta SET value = '99' WHERE name = 'format_version'")
    db.close()
    return path


def _newer_file(path: Path) -> Path:
    Store.open(path).close()
    identity = json.loads((path / "belvedere.json").read_text())
    (path / "belvedere.json").write_text(json.dumps({**identity, "format_version": 99}))
    return path


def _broken_identity(path: Path) -> Path:
    Store.open(path).close()
    (path / "belvedere.json").write_text("{")
    return path


def _exchanged(path: Path) -> Path:
    Store.open(path).close()
    Store.open(path.parent / "other").close()
    (path / "catalog.db").write_bytes((path.parent / "other" / "catalog.db").read_bytes())
    return path


def _lost(path: Path) -> Path:
    Store.open(path).close()
    (path / "catalog.db").unlink()
    return path


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (_file, "is a file; a warehouse is a directory"),
        (_not_empty, "not empty and no warehouse .it holds thesis.doc"),
        (_not_sqlite, "no catalog of a warehouse"),
        (_foreign, "made by something else .it has the table 'songs'"),
        (_newer, "format 99, made by a newer Belvedere; this one knows format 2"),
        (_newer_file, "format 99, made by a newer Belvedere"),
        (_broken_identity, "cannot be read"),
        (_exchanged, "catalog of another warehouse"),
        (_lost, "has lost its catalog.db"),
    ],
)
def test_places_that_are_refused_and_stay_as_they_were(tmp_path: Path, prepare: Any, says: str) -> None:
    path = prepare(tmp_path / "place")
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=says):
        Store.open(path)
    assert contents(tmp_path) == before


def test_without_create(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(StoreError, match="there is no warehouse at"):
            Store.open(path, create=False)
    assert list(tmp_path.iterdir()) == []


def test_catalogs_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'mysql' is not supported"):
        Store.open(tmp_path / "a", "mysql://localhost/x")
    with pytest.raises(StoreError, match="is no URL"):
        Store.open(tmp_path / "a", "what is this")
    assert not (tmp_path / "a").exists()
    Store.open(tmp_path / "wh").close()
    with pytest.raises(StoreError, match="has its own catalog; open it without"):
        Store.open(tmp_path / "wh", "postgresql://localhost/x")


def test_a_database_that_does_not_answer_says_so_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be used") as caught:
        Store.open(tmp_path / "wh", "postgresql://me:secret@127.0.0.1:9/x")
    assert "secret" not in str(caught.value)


def test_opening_is_quick(tmp_path: Path) -> None:
    Store.open(tmp_path / "wh").close()
    best = 1.0
    for _ in range(5):
        started = time.perf_counter()
        Store.open(tmp_path / "wh").close()
        best = min(best, time.perf_counter() - started)
    assert best < 0.06


def test_commits_do_not_load_pyiceberg(tmp_path: Path) -> None:
    code = """
import sys
from belvedere.store import Store
from tests.store.helpers import append, make
store = Store.open(sys.argv[1])
append(store, make(store), (1, 1, "a"))
print([m for m in sys.modules if m.startswith("pyiceberg")])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "wh")],
        cwd=root,
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_connections_of_threads_that_ended_are_closed(tmp_path: Path) -> None:
    """A process that runs for long has many threads one after the other, those of upkeep among them."""
    with Store.open(tmp_path / "wh") as store:
        orders = make(store)
        for n in range(20):
            thread = threading.Thread(target=append, args=(store, orders, (n, 0, "x")))
            thread.start()
            thread.join()
        links = Path("/proc/self/fd")
        if links.is_dir():
            opened = [p for p in links.iterdir() if p.exists() and tmp_path in p.resolve().parents]
            assert 0 < len(opened) < 10, opened
        assert store.epoch == 21
