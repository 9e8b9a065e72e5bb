"""Iceberg snapshots: with a large merge at once, of a small collection now and then.

A snapshot takes several milliseconds whatever is in it, longer than many a refresh, and is for readers that know nothing of
epochs. So that of a small collection follows every few epochs only, and whoever merges may leave it to somebody who takes it when
it is quiet. It has a file of its own then, beside the runs, which stay as they are.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.types import Void
from belvedere.store.faults import point
from belvedere.store.iceberg_log import StagedTable, table_state, write_table_row
from belvedere.store.model import SMALL, Collection, Run, choose
from belvedere.store.parquet import write_sorted
from belvedere.store.staging import workspace
from belvedere.store.unchanged import GaveUp, check_version

if TYPE_CHECKING:
    from belvedere.store.maintain import Merger
    from belvedere.store.store import Store

EVERY = 64
"""A small collection is merged whole every few epochs; its snapshot follows when it is this many epochs old."""


def is_due(store: Store, collection: Collection) -> bool:
    """Whether a full merge of few rows should have a snapshot. With a column of type void, which Iceberg lacks, there is none."""
    if any(c.type.contains(Void) for c in collection.schema):
        return False
    state = table_state(store.catalog, f"belvedere.{collection.id}")
    return state is None or store.epoch - state.epoch >= EVERY


def stage(store: Store, collection: Collection, made: list[Run], directory: str) -> StagedTable | None:
    """The snapshot that goes with a full merge, if there is to be one."""
    if any(c.type.contains(Void) for c in collection.schema):
        return None
    small = not made or made[0].rows < SMALL
    if small and not is_due(store, collection):
        return None
    state = table_state(store.catalog, f"belvedere.{collection.id}")
    from belvedere.store.iceberg import stage_collection  # pyiceberg takes half a second to import: only when it is needed

    return stage_collection(store, collection, made[:1], state, directory)


def take(store: Store, merger: Merger, name: str) -> bool:
    """The snapshot of a small collection that was left for later, if it is still due. Whether there is one now."""
    collection = store.collection(name, store.epoch)
    if collection is None or not is_due(store, collection):
        return False
    runs = choose(store.reader.runs(collection.id, None), collection.sort, None)
    rows = merger.net(collection, runs) if runs and sum(r.rows for r in runs) < SMALL else None
    if rows is None:  # it has grown, and the next merge will tell of it
        return False
    try:
        with workspace(store.path, store.catalog) as space:
            staged = stage(store, collection, [_written(collection, rows, space.directory)], space.directory)
            if staged is None:
                return False
            space.keep(staged.new_files)
            point("compact.written")
            with store.catalog.write() as tx:
                check_version(tx, collection)
                write_table_row(tx, tx.head().epoch, staged, store.path)
                point("compact.sql")
            point("compact.committed")
    except GaveUp:
        return False
    return True


def _written(collection: Collection, rows: pa.Table, directory: str) -> Run:
    path = os.path.join(directory, "snapshot.parquet")
    contents = write_sorted(path, collection, rows)
    return Run(
        id=0, collection=collection.id, path=path, rows=contents.rows, deletes=0, bytes=contents.bytes, epoch_from=0,
        epoch_to=None, delta=False, arrangement=None,
    )  # fmt: skip
