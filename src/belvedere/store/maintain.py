"""Compaction: many runs become few, with the same content.

A merge replaces its input runs at the epoch that is current when it finishes; earlier epochs keep seeing the old runs, and
deltas are told from the old delta runs until they expire. The change of the run log is one SQL transaction that
succeeds only if the inputs are still what the collection consists of and its description is unchanged. Otherwise another
writer was there first; the merge gives up without a word and leaves no file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from belvedere.errors import StoreError
from belvedere.store import garbage
from belvedere.store.catalog import Writer
from belvedere.store.faults import point
from belvedere.store.iceberg_log import StagedTable, write_table_row
from belvedere.store.model import SMALL, Collection, Run, choose
from belvedere.store.parquet import Contents, inspect_file
from belvedere.store.policy import next_merge
from belvedere.store.publish import run_row, write_runs
from belvedere.store.snapshots import WHOLE, is_due, is_missing, stage, take
from belvedere.store.staging import workspace
from belvedere.store.unchanged import GaveUp, check_version

if TYPE_CHECKING:
    from belvedere.store.store import Store

BESIDE = 65_536
"""Rows of a merge, or of a copy in another order, from which on it is left to somebody who does it beside."""


class Merger(Protocol):
    """Sums the weights of equal rows over runs, drops rows that sum to zero, and writes one sorted file."""

    def merge(self, collection: Collection, runs: list[Run], sort: tuple[int, ...], out_path: str) -> None: ...

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        """The same rows, in the primary order, not written anywhere; None where `merge` is the better way."""

    def keep(self, path: str, table: pa.Table) -> None:
        """What was written to a file: it need not be read from there."""

    def forget(self, paths: Iterable[str]) -> None:
        """Files that are no part of their collection any more: what is kept of them in memory can go."""


Beside = Callable[[str], None]
"""Takes the name of a collection for which there is something large to do."""
Later = Callable[[str], None]
"""Takes the name of a collection whose Iceberg snapshot is due, to be taken when it is quiet (`store/snapshots.py`)."""


def maintain(
    store: Store, merger: Merger, names: list[str] | None, beside: Beside | None = None, later: Later | None = None
) -> list[dict[str, Any]]:
    """Bring collections into shape, then expire and remove what is behind the horizon."""
    done: list[dict[str, Any]] = []
    epoch = store.epoch
    every = store.collections(epoch)
    store.gone.only((c.id for c in every), epoch)
    looked_at = [c for c in every if names is None or c.name in names]
    runs = store.reader.runs_of((c.id for c in looked_at), None)
    for collection in looked_at:
        # a merge takes its time, in which others write
        found = store.reader.runs(collection.id, None) if done else runs[collection.id]
        compacted, live = _compact(store, merger, collection, found, beside, later)
        done += compacted
        _look_back(store, merger, collection, live, later)
        for order in collection.arrangements:
            unserved = _unserved(live, order)
            if beside is not None and sum(r.rows for r in unserved) >= BESIDE:
                beside(collection.name)
            elif unserved:
                done += build_arrangement(store, collection, order, merger)
    gone = store.gone.tell(store.reader.newest, store.oldest_mark)
    if gone:
        merger.forget(gone)
        store.reader.forget(gone)
    started = time.perf_counter()
    if names is None:  # each commit does so before it is published
        store.tidy()
    horizon = garbage.expire(store.catalog, store.retention)
    if horizon is not None:
        removed = garbage.sweep(store.path, store.catalog)
        done.append({"action": "expire", "horizon": horizon, "files": removed, "seconds": time.perf_counter() - started})
    return done


def _look_back(store: Store, merger: Merger, collection: Collection, runs: list[Run], later: Later | None) -> None:
    """A snapshot that was left for later goes with the process that was to take it. So whoever comes to the collection first
    looks whether there is one."""
    if collection.id in store.looked_back:
        return
    store.looked_back.add(collection.id)
    if is_missing(store, collection, choose(runs, collection.sort, None)):
        if later is not None:
            later(collection.name)
        else:
            take(store, merger, collection.name)


def _compact(
    store: Store, merger: Merger, collection: Collection, runs: list[Run], beside: Beside | None, later: Later | None
) -> tuple[list[dict[str, Any]], list[Run]]:
    """What was done, and the runs as they are then; first they are these."""
    done: list[dict[str, Any]] = []
    while True:
        store.gone.note(collection.id, (r.path for r in runs), store.reader.newest)
        live = choose(runs, collection.sort, None)
        chosen = next_merge(live, collection.sort)
        if beside is not None and sum(r.rows for r in chosen) >= BESIDE:
            beside(collection.name)
            return done, runs
        report = _merge(store, merger, collection, chosen, later, full=len(chosen) == len(live)) if chosen else None
        if report is None:
            return done, runs
        done.append(report)
        runs = store.reader.runs(collection.id, None)


def _merge(
    store: Store, merger: Merger, collection: Collection, runs: list[Run], later: Later | None, *, full: bool
) -> dict[str, Any] | None:
    """Merge runs, one of each group, into one group. None when another writer was faster."""
    started = time.perf_counter()
    small, staged = sum(r.rows for r in runs) < SMALL, None
    due = small and full and is_due(store, collection)
    few = merger.net(collection, runs) if small and (later is not None or not due) else None
    try:
        if few is not None:
            made = _merge_few(store, merger, collection, runs, few)
        else:
            with workspace(store.path, store.catalog) as space:
                made = _write_group(merger, collection, runs, space.directory, {WHOLE: True} if full else {})
                staged = stage(store, collection, made, space.directory) if full and later is None else None
                space.keep({r.path for r in made} | (staged.new_files if staged else set()))
                _publish(store, collection, runs, made, staged)
    except GaveUp:
        return None
    if full:
        store.looked_back.add(collection.id)
    if later is not None and (due or (full and not small)):
        later(collection.name)
    return {
        "collection": collection.name, "action": "full" if full else "merge", "runs": len(runs),
        "rows_in": sum(r.rows for r in runs), "rows": made[0].rows if made else 0, "bytes": sum(r.bytes for r in made),
        "iceberg": staged is not None, "seconds": time.perf_counter() - started,
    }  # fmt: skip


def _merge_few(store: Store, merger: Merger, collection: Collection, runs: list[Run], rows: pa.Table) -> list[Run]:
    """A merge of few rows goes where transactions write theirs: a marker and a directory of its own would cost more than it."""
    written: set[str] = set()
    made: list[Run] = []
    try:
        if rows.num_rows:
            placed = store.placing.put(store.placing.in_order(collection, rows), written.add)
            made = [replace(_run(collection, placed.path, placed.contents, None), body=placed.body)]
        _publish(store, collection, runs, made, None)
    except BaseException:
        store.placing.remove(written, ask=True)
        raise
    store.placing.settle(written)
    for path in written:
        merger.keep(path, rows)
    return made


def _publish(store: Store, collection: Collection, runs: list[Run], made: list[Run], staged: StagedTable | None) -> None:
    point("compact.written")
    with store.catalog.write() as tx:
        _swap(tx, collection, runs, made, staged, store.path)
        point("compact.sql")
    point("compact.committed")


def _write_group(
    merger: Merger, collection: Collection, runs: list[Run], directory: str, noted: dict[str, Any]
) -> list[Run]:
    """The merged rows in the primary order and, when there are many, in each further one; what is noted with all of these."""
    first = _write(merger, collection, runs, collection.sort, os.path.join(directory, "merged-0.parquet"))
    if first.rows == 0:
        return []
    if first.rows < SMALL:
        return [replace(first, arrangement=None)]
    made = [first]
    for n, order in enumerate(collection.arrangements, 1):
        made.append(_write(merger, collection, [first], order, os.path.join(directory, f"merged-{n}.parquet")))
    return [replace(r, stats=r.stats | noted) for r in made]


def _write(merger: Merger, collection: Collection, runs: list[Run], order: tuple[int, ...], path: str) -> Run:
    merger.merge(collection, runs, order, path)
    return _run(collection, path, inspect_file(path, collection), order)


def _run(collection: Collection, path: str, found: Contents, order: tuple[int, ...] | None) -> Run:
    return Run(
        id=0, collection=collection.id, path=path, rows=found.rows, deletes=found.deletes, bytes=found.bytes, epoch_from=0,
        epoch_to=None, delta=False, arrangement=order, stats=found.stats,
    )  # fmt: skip


def _swap(tx: Writer, collection: Collection, runs: list[Run], made: list[Run], staged: StagedTable | None, root: str) -> None:
    """Replace the groups of the inputs by the new one at the current epoch, or give up."""
    head = tx.head()
    check_version(tx, collection)
    for run in runs:
        ended = tx.run(
            "UPDATE bv_runs SET epoch_to = :epoch WHERE collection = :c AND grp = :group AND epoch_to IS NULL",
            epoch=head.epoch,
            c=collection.id,
            group=run.group,
        )
        if ended == 0:
            raise GaveUp
    write_runs(tx, made, [run_row(run, head.next_run + n, head.next_run, head.epoch, root) for n, run in enumerate(made)])
    tx.run("UPDATE bv_head SET next_run = :next WHERE id = 1", next=head.next_run + len(made))
    if staged is not None:
        write_table_row(tx, head.epoch, staged, root)


def build_arrangement(store: Store, collection: Collection, columns: tuple[int, ...], merger: Merger) -> list[dict[str, Any]]:
    """Write every large run that is not there in this order yet once more, sorted for it."""
    if columns != collection.sort and columns not in collection.arrangements:
        raise StoreError(f"{columns} is no arrangement of {collection.name!r}; add it with alter_collection first")
    done = []
    for run in choose(_unserved(store.reader.runs(collection.id, None), columns), collection.sort, None):
        report = _arrange(store, collection, run, columns, merger)
        if report is not None:
            done.append(report)
    return done


def _unserved(live: list[Run], columns: tuple[int, ...]) -> list[Run]:
    """The runs of groups of which none is in this order."""
    served = {r.group for r in live if r.serves(columns)}
    return [r for r in live if r.group not in served]


def _arrange(store: Store, collection: Collection, run: Run, order: tuple[int, ...], merger: Merger) -> dict[str, Any] | None:
    started = time.perf_counter()
    try:
        with workspace(store.path, store.catalog) as space:
            made = _write(merger, collection, [run], order, os.path.join(space.directory, "arranged.parquet"))
            space.keep({made.path})
            point("compact.written")
            with store.catalog.write() as tx:
                _add_order(tx, collection, run, made, store.path)
                point("compact.sql")
            point("compact.committed")
    except GaveUp:
        return None
    return {
        "collection": collection.name, "action": "arrange", "runs": 1, "rows_in": run.rows, "rows": made.rows,
        "bytes": made.bytes, "order": list(order), "seconds": time.perf_counter() - started,
    }  # fmt: skip


def _add_order(tx: Writer, collection: Collection, run: Run, made: Run, root: str) -> None:
    """One more run in the group of `run`, visible for as long as the group is."""
    head = tx.head()
    check_version(tx, collection)
    live = tx.rows(
        "SELECT arrangement FROM bv_runs WHERE collection = :c AND grp = :g AND epoch_to IS NULL", c=collection.id, g=run.group
    )
    row = run_row(made, head.next_run, run.group, run.epoch_from, root)
    if not live or any(a == row["arrangement"] for [a] in live):
        raise GaveUp
    write_runs(tx, [made], [row])
    tx.run("UPDATE bv_head SET next_run = :next WHERE id = 1", next=head.next_run + 1)
