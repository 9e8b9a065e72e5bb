"""Rows, a merger made of pyarrow alone, and ways to look at a warehouse directory."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from belvedere.algebra.types import Schema, parse_schema
from belvedere.store import Collection, Commit, Run, Store
from belvedere.store.inlined import decode, is_inlined
from belvedere.store.parquet import sort_rows, write_table
from belvedere.store.physical import WEIGHT

COLUMNS = "id bigint, customer bigint, name string"


def open_store(path: str | os.PathLike[str], catalog: str | None = None, *, few: int = 0, **options: Any) -> Store:
    """A store whose runs are files, however few rows they have; with `few` those of so many bytes are in the catalog."""
    return Store.open(path, catalog, few=few, **options)


def schema(text: str = COLUMNS) -> Schema:
    return parse_schema(text)


def make(store: Store, name: str = "orders", columns: str | Schema = COLUMNS, **options: Any) -> Collection:
    """A table of its own epoch."""
    options = {"key": ("id",), **options}
    with store.begin() as tx:
        made = tx.create_collection(name, "table", schema(columns) if isinstance(columns, str) else columns, **options)
        tx.publish()
    found = store.collection(name)
    assert found == made
    return found


def rows(collection: Collection, *values: tuple[Any, ...], weight: int = 1) -> pa.Table:
    """Rows in the physical schema; a tuple one longer than the columns ends with its weight."""
    width = len(collection.schema)
    full = [v if len(v) > width else (*v, weight) for v in values]
    arrays = [pa.array([v[i] for v in full], f.type) for i, f in enumerate(collection.physical)]
    return pa.table(arrays, names=collection.physical.names)


def numbers(collection: Collection, start: int, stop: int, weight: int = 1) -> pa.Table:
    """Rows (i, i % 97, "n<i>") for i in a range; for the default columns."""
    ids = pa.array(range(start, stop), pa.int64())
    customers = pa.array([i % 97 for i in range(start, stop)], pa.int64())
    names = pa.array([f"n{i}" for i in range(start, stop)], pa.string())
    return pa.table([ids, customers, names, pa.array([weight] * (stop - start), pa.int64())], names=collection.physical.names)


def append(store: Store, collection: Collection, *values: tuple[Any, ...], weight: int = 1) -> int:
    with store.begin() as tx:
        tx.append(collection, rows(collection, *values, weight=weight))
        return tx.publish()


def append_table(store: Store, collection: Collection, table: pa.Table) -> int:
    with store.begin() as tx:
        tx.append(collection, table)
        return tx.publish()


def stored(run: Run) -> pa.Table:
    """The rows of a run, wherever they are (of a catalog in SQLite)."""
    if not is_inlined(run.path):
        return pq.read_table(run.path)
    root = Path(run.path).parents[1]
    with closing(sqlite3.connect(root / "catalog.db")) as db:
        [[body]] = db.execute("SELECT body FROM bv_rows WHERE path = ?", [os.path.relpath(run.path, root)])
    return decode(body)


def read(collection: Collection, runs: list[Run]) -> Counter[tuple[Any, ...]]:
    """The sum of the runs as a bag; weights may be negative."""
    bag: Counter[tuple[Any, ...]] = Counter()
    names = [n for n in collection.physical.names if n != WEIGHT]
    for run in runs:
        found = stored(run)
        columns = [found.column(n).to_pylist() if n in found.column_names else [None] * found.num_rows for n in names]
        for *values, weight in zip(*columns, found.column(WEIGHT).to_pylist(), strict=True):
            bag[tuple(values)] += weight
    return Counter({k: v for k, v in bag.items() if v})


def content(store: Store, name: str = "orders", epoch: int | None = None) -> Counter[tuple[Any, ...]]:
    collection = store.collection(name, epoch)
    assert collection is not None
    return read(collection, store.snapshot(collection, epoch))


class ArrowMerger:
    """Consolidates flat rows with a group by; counts what it was asked to do."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, tuple[int, ...]]] = []
        self.forgotten: set[str] = set()
        self.kept: dict[str, pa.Table] = {}

    def forget(self, paths: Iterable[str]) -> None:
        self.forgotten.update(paths)

    def merge(self, collection: Collection, runs: list[Run], sort: tuple[int, ...], out_path: str) -> None:
        write_table(out_path, collection.physical, self.rows(collection, runs, sort))

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        return self.rows(collection, runs, collection.sort)

    def keep(self, path: str, table: pa.Table) -> None:
        self.kept[path] = table

    def stored(self, run: Run) -> pa.Table:
        return stored(run)

    def rows(self, collection: Collection, runs: list[Run], sort: tuple[int, ...]) -> pa.Table:
        self.calls.append((collection.name, len(runs), sort))
        physical = collection.physical
        parts = []
        for run in runs:
            found = self.stored(run)
            columns = [
                found.column(f.name) if f.name in found.column_names else pa.nulls(found.num_rows, f.type) for f in physical
            ]
            parts.append(pa.table(columns, schema=physical))
        names = [n for n in physical.names if n != WEIGHT]
        summed = pa.concat_tables(parts).group_by(names).aggregate([(WEIGHT, "sum")]).rename_columns([*names, WEIGHT])
        return sort_rows(summed.filter(pc.not_equal(summed[WEIGHT], 0)).cast(physical), sort)


def files(store: Store) -> set[str]:
    """Every file under data/ and staging/, relative to the warehouse, without the markers of those who live."""
    root = Path(store.path)
    found = {p for d in ("data", "staging") for p in (root / d).rglob("*") if p.is_file()}
    return {str(p.relative_to(root)) for p in found if p.parent.name != "staging" or not owned(p)}


def owned(marker: Path) -> bool:
    """Whether somebody alive holds a marker."""
    with open(marker) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def known(store: Store) -> set[str]:
    """Every path that the catalog knows."""
    return {r[0] for t in ("bv_runs", "bv_files", "bv_garbage") for r in store.catalog.rows(f"SELECT path FROM {t}")}


def assert_tidy(store: Store) -> None:
    """No file on disk that the catalog does not know, none missing, and no empty directory; the same of rows in the catalog."""
    paths = known(store)
    assert files(store) == {p for p in paths if not is_inlined(p)}
    assert {r[0] for r in store.catalog.rows("SELECT path FROM bv_rows")} == {p for p in paths if is_inlined(p)}
    for d in ("data", "staging"):
        assert [p for p in (Path(store.path) / d).rglob("*") if p.is_dir() and not os.listdir(p)] == []


def raw(store: Store) -> sqlite3.Connection:
    return sqlite3.connect(os.path.join(store.path, "catalog.db"))


def commit_rows(tx: Commit, collection: Collection, n: int) -> None:
    tx.append(collection, rows(collection, *[(i, i, f"r{i}") for i in range(n)]))
