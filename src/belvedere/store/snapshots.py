"""Iceberg snapshots: with a full merge, of a small collection now and then.

A snapshot takes several milliseconds whatever is in it, longer than many a refresh, and is for readers that know nothing of
epochs. So that of a small collection follows every few epochs only, and whoever merges may leave it to somebody who takes it when
it is quiet. That of a few rows has a file of its own then, beside the runs, which stay as they are.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from belvedere.algebra.types import Void
from belvedere.errors import Conflict
from belvedere.store.faults import point
from belvedere.store.iceberg_log import StagedTable, current_files, table_state, write_table_row
from belvedere.store.model import SMALL, Collection, Run, choose
from belvedere.store.parquet import inspect_file, write_table
from belvedere.store.staging import workspace
from belvedere.store.unchanged import GaveUp, check_version

if TYPE_CHECKING:
    from belvedere.store.maintain import Merger
    from belvedere.store.store import Store

EVERY = 64
"""A small collection is merged whole every few epochs; its snapshot follows when it is this many epochs old."""

WHOLE = "whole"
"""What a full merge notes with the run that it made: that this was all there was."""


def owner(collection: Collection) -> str:
    """What the Iceberg table of a collection is told by."""
    return f"belvedere.{collection.id}"


def is_due(store: Store, collection: Collection) -> bool:
    """Whether a full merge of few rows should have a snapshot. With a column of type void, which Iceberg lacks, there is none."""
    if any(c.type.contains(Void) for c in collection.schema):
        return False
    state = table_state(store.catalog, owner(collection))
    return state is None or store.epoch - state.epoch >= EVERY


def stage(store: Store, collection: Collection, made: list[Run], directory: str) -> StagedTable | None:
    """The snapshot that goes with a full merge, if there is to be one."""
    if any(c.type.contains(Void) for c in collection.schema):
        return None
    small = not made or made[0].rows < SMALL
    if small and not is_due(store, collection):
        return None
    state = table_state(store.catalog, owner(collection))
    from belvedere.store.iceberg import stage_collection  # pyiceberg takes half a second to import: only when it is needed

    try:
        return stage_collection(store, collection, made[:1], state, directory)
    except ValueError:  # Iceberg has no such columns, or takes two of them for one: its readers go without, and nobody else
        return None


def take(store: Store, merger: Merger, name: str) -> bool:
    """The snapshot of a collection that was left for later, if it is still due. Whether there is one now."""
    collection = store.collection(name, store.epoch)
    wanted = None if collection is None else _wanted(store, collection)
    if collection is None or wanted is None:
        return False
    try:
        with workspace(store.path, store.catalog) as space:
            runs = _written(merger, collection, wanted, space.directory) if isinstance(wanted, list) else [wanted]
            staged = stage(store, collection, runs, space.directory)
            if staged is None:
                raise GaveUp
            space.keep(staged.new_files)
            point("compact.written")
            with store.catalog.write() as tx:
                check_version(tx, collection)
                if any(r.id and not tx.rows("SELECT 1 FROM bv_runs WHERE id = :id", id=r.id) for r in runs):
                    raise GaveUp
                write_table_row(tx, tx.head().epoch, staged, store.path)
                point("compact.sql")
            point("compact.committed")
    except (GaveUp, Conflict):  # a Conflict is another snapshot of it, taken meanwhile
        return False
    return True


def _wanted(store: Store, collection: Collection) -> list[Run] | Run | None:
    """What the snapshot is of: a few rows as they are now, of all these runs, or the run that the last full merge made of many;
    None if it is not due. Other runs that merges made hold a part of the rows only."""
    runs = choose(store.reader.runs(collection.id, None), collection.sort, None)
    if sum(r.rows for r in runs) < SMALL:
        return runs if is_due(store, collection) else None
    return _unshown(store, collection, runs)


def is_missing(store: Store, collection: Collection, runs: list[Run]) -> bool:
    """Whether the last full merge of many rows has no snapshot: who was to take it did not come to that."""
    return sum(r.rows for r in runs) >= SMALL and _unshown(store, collection, runs) is not None


def _unshown(store: Store, collection: Collection, runs: list[Run]) -> Run | None:
    many = (r for r in runs if r.stats.get(WHOLE) and r.rows >= SMALL)
    merged = max(many, key=lambda r: r.rows, default=None)
    if merged is None or any(c.type.contains(Void) for c in collection.schema):
        return None
    known = {path for path, _ in current_files(store.catalog, owner(collection), store.path)}
    return None if merged.path in known else merged


def _written(merger: Merger, collection: Collection, runs: list[Run], directory: str) -> list[Run]:
    """The net rows of runs in a file of their own; none if there is no row."""
    if not runs:
        return []
    path = os.path.join(directory, "snapshot.parquet")
    rows = merger.net(collection, runs)
    if rows is None:
        merger.merge(collection, runs, collection.sort, path)
        contents = inspect_file(path, collection)
        count, size = contents.rows, contents.bytes
    else:
        write_table(path, collection.physical, rows)
        count, size = rows.num_rows, os.path.getsize(path)
    made = Run(
        id=0, collection=collection.id, path=path, rows=count, deletes=0, bytes=size, epoch_from=0,
        epoch_to=None, delta=False, arrangement=None,
    )  # fmt: skip
    return [made] if made.rows else []
