"""The same store with its catalog in PostgreSQL."""

from __future__ import annotations

import signal
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pyiceberg.catalog import load_catalog
from tests.store.crash import in_process
from tests.store.helpers import ArrowMerger, append, append_table, assert_tidy, content, make, numbers, open_store, rows
from tests.store.test_conflicts import two_writers
from tests.store.test_crash import check_and_go_on

from belvedere.errors import Conflict, StoreError
from belvedere.store import Store


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    """A database of its own."""
    name = f"wh_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
    yield postgres_url.rsplit("/", 1)[0] + f"/{name}"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "wh", url, retention=5) as opened:
        yield opened


def test_life_of_a_collection(store: Store, merger: ArrowMerger, url: str) -> None:
    orders = make(store, arrangements=(("customer",),))
    append_table(store, orders, numbers(orders, 0, 9_000))
    for n in range(12):
        append(store, orders, (n, n % 97, f"n{n}"), weight=-1)
        with store.begin() as tx:
            tx.put_doc("watermark", "ü", {"n": n})
            tx.record("v", {"n": n})
            tx.publish()
        store.maintain(merger)
    append_table(store, orders, numbers(orders, 20_000, 24_000))
    store.maintain(merger)
    want = Counter({(n, n % 97, f"n{n}"): 1 for n in (*range(12, 9_000), *range(20_000, 24_000))})
    assert content(store) == want
    assert [r.arrangement for r in store.snapshot(orders, arrangement=(2,))] == [(2,)]
    assert (store.doc("watermark", "ü"), [h["n"] for h in store.history("v", 2)]) == ({"n": 11}, [10, 11])
    assert not store.has_epoch(3)
    assert_tidy(store)
    catalog = load_catalog(**store.catalog_properties())
    assert catalog.load_table("belvedere.orders").scan().count() == len(want)
    catalog.engine.dispose()  # type: ignore[attr-defined]
    with open_store(store.path, url) as again:
        assert content(again) == want


def test_rollback_conflict_and_rebase(store: Store) -> None:
    orders, other = make(store), make(store, "other")
    with store.begin() as tx:
        tx.append(orders, rows(orders, (1, 1, "a")))
    with store.begin() as one, store.begin() as two, store.begin() as three:
        one.append(orders, rows(orders, (1, 1, "a")))
        two.append(orders, rows(orders, (2, 2, "b")))
        three.append(other, rows(other, (3, 3, "c")))
        one.publish()
        assert three.publish() == 4
        with pytest.raises(Conflict):
            two.publish()
    assert (content(store), content(store, "other")) == (Counter({(1, 1, "a"): 1}), Counter({(3, 3, "c"): 1}))
    assert_tidy(store)


def test_two_processes_with_25_commits_each(store: Store, url: str) -> None:
    make(store)
    with store.begin() as tx:
        tx.put_doc("total", "t", {"n": 0})
        tx.publish()
    two_writers(store.path, url)
    assert (store.epoch, store.doc("total", "t")) == (52, {"n": 50})
    assert_tidy(store)


def test_directory_and_database_belong_together(store: Store, url: str, tmp_path: Path, postgres_url: str) -> None:
    make(store)
    with pytest.raises(StoreError, match="has its catalog in PostgreSQL; open it with catalog="):
        open_store(store.path)
    with pytest.raises(StoreError, match="catalog of another warehouse"):
        open_store(tmp_path / "second", url)
    with pytest.raises(StoreError, match="holds no catalog of this warehouse"):
        open_store(store.path, postgres_url)
    assert store.epoch == 1


def test_tables_of_something_else(url: str, tmp_path: Path) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("CREATE TABLE songs (title TEXT)")
        admin.execute("CREATE TABLE bv_runs (title TEXT)")
    with pytest.raises(StoreError, match="tables of something else that are called bv_"):
        open_store(tmp_path / "wh", url)
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("DROP TABLE bv_runs")
    with open_store(tmp_path / "wh", url) as store:
        assert store.epoch == 0


def test_a_catalog_of_a_newer_version(store: Store, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("UPDATE bv_meta SET value = '99' WHERE name = 'format_version'")
    with pytest.raises(StoreError, match="format 99, made by a newer Belvedere"):
        open_store(store.path, url)


@pytest.mark.parametrize(
    "kill", ["create.catalog", "commit.staged:5", "commit.sql:5", "commit.published:5", "compact.sql:2", "gc.moved"]
)
def test_kill_and_reopen(url: str, tmp_path: Path, kill: str) -> None:
    died = in_process(tmp_path / "wh", "scenario", kill, url)
    assert died.returncode == -signal.SIGKILL, (died.stdout, died.stderr)
    check_and_go_on(tmp_path / "wh", died.stdout, url)
