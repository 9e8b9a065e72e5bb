"""The one SQL transaction that is an epoch.

Two writers are compared by what they touched. When the head has moved since the transaction began, it is published on top
of the newer epochs as long as none of them wrote anything that it read or wrote; otherwise it is a Conflict.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from belvedere.errors import Conflict
from belvedere.store import inlined
from belvedere.store.catalog import Head, Writer
from belvedere.store.changeset import ChangeSet
from belvedere.store.encoding import dumps, encode_collection
from belvedere.store.faults import point
from belvedere.store.iceberg_log import drop_table, rename_tables, write_table_row
from belvedere.store.model import Run

if TYPE_CHECKING:
    from belvedere.store.iceberg_log import StagedTable
    from belvedere.store.store import Store

THIS_EPOCH = "@"
"""As the "epoch" of a document: the epoch that publishes it, which is known only then.

A transaction may be published on top of epochs that it has not seen. Whoever says "up to this epoch" about something must
therefore `touch()` everything it depends on, so that an unseen change to it is a Conflict and not passed over."""

RUN_INSERT = """INSERT INTO bv_runs
    (id, collection, grp, path, rows, deletes, bytes, epoch_from, epoch_to, delta, arrangement, stats)
    VALUES (:id, :collection, :grp, :path, :rows, :deletes, :bytes, :epoch_from, :epoch_to, :delta, :arrangement, :stats)"""


def publish(store: Store, changes: ChangeSet, token: str, clear: Callable[[set[str]], None]) -> int:
    """Write the change set as the next epoch. `clear` removes files of the transaction that are not to be kept."""
    staged = _stage_tables(store, changes, os.path.join(store.path, "data", token))
    kept = {r.path for runs in changes.runs.values() for r in runs} | {f for s in staged for f in s.new_files}
    clear(kept)
    point("commit.staged")
    with store.catalog.write() as tx:
        head = tx.head()
        _check_conflict(tx, head, changes)
        epoch = head.epoch + 1
        _write_collections(tx, epoch, changes)
        runs = _write_runs(tx, epoch, head.next_run, changes, store.path)
        _write_docs(tx, epoch, changes)
        for table in staged:
            write_table_row(tx, epoch, table, store.path)
        for name, plain in changes.tables.items():
            if plain is None:
                drop_table(tx, epoch, f"published.{name}")
        tx.many(
            "INSERT INTO bv_touched (epoch, item) VALUES (:epoch, :item)",
            [{"epoch": epoch, "item": i} for i in sorted(changes.writes)],
        )
        tx.run(
            "INSERT INTO bv_epochs (epoch, token, published_at) VALUES (:epoch, :token, :at)",
            epoch=epoch,
            token=token,
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        next_run = head.next_run + len(runs)
        tx.run("UPDATE bv_head SET epoch = :epoch, next_run = :next_run WHERE id = 1", epoch=epoch, next_run=next_run)
        point("commit.sql")
    for run, row in runs:
        store.reader.wrote(run, row)
    return epoch


def _stage_tables(store: Store, changes: ChangeSet, directory: str) -> list[StagedTable]:
    plain = [p for p in changes.tables.values() if p is not None]
    if not plain:
        return []
    from belvedere.store.iceberg import stage_plain  # pyiceberg takes half a second to import: only when it is needed

    return [stage_plain(store, p, directory) for p in plain]


def _check_conflict(tx: Writer, head: Head, changes: ChangeSet) -> None:
    if head.epoch == changes.base:
        return
    if changes.base < head.horizon:
        raise Conflict(f"this transaction began at epoch {changes.base}, which is beyond the retention by now; run it again")
    mine = changes.reads | changes.writes
    theirs = {row[0]: row[1] for row in tx.rows("SELECT item, epoch FROM bv_touched WHERE epoch > :base", base=changes.base)}
    both = sorted(mine & theirs.keys())
    if both:
        item = both[0]
        raise Conflict(
            f"epoch {theirs[item]}, published by another writer, changed {_item(tx, item)}; "
            "nothing of this transaction was applied, run it again"
        )


def _item(tx: Writer, item: str) -> str:
    """An item of the conflict test for people."""
    kind, _, rest = item.partition(":")
    if kind == "c":
        rows = tx.rows("SELECT name FROM bv_collections WHERE id = :id ORDER BY epoch_from DESC LIMIT 1", id=int(rest))
        return repr(rows[0][0]) if rows else f"collection {rest}"
    if kind == "d":
        return "the {} {!r}".format(*rest.split(":", 1))
    return repr(rest)


def _write_collections(tx: Writer, epoch: int, changes: ChangeSet) -> None:
    for number in [*changes.dropped, *changes.collections]:
        if number not in changes.created:
            tx.run("UPDATE bv_collections SET epoch_to = :epoch WHERE id = :id AND epoch_to IS NULL", epoch=epoch, id=number)
    tx.many(
        "INSERT INTO bv_collections (id, name, kind, body, epoch_from, epoch_to) VALUES (:id, :name, :kind, :body, :epoch, NULL)",
        [
            {"id": c.id, "name": c.name, "kind": c.kind, "body": encode_collection(c), "epoch": epoch}
            for c in changes.collections.values()
        ],
    )
    for number in changes.dropped:
        drop_table(tx, epoch, f"belvedere.{number}")
    if changes.names:
        rename_tables(tx, [c for c in changes.collections.values() if c.id not in changes.created and c.name in changes.names])


def _write_runs(tx: Writer, epoch: int, number: int, changes: ChangeSet, root: str) -> list[tuple[Run, dict[str, Any]]]:
    for collection in sorted({*changes.replaced, *changes.dropped}):
        tx.run("UPDATE bv_runs SET epoch_to = :epoch WHERE collection = :c AND epoch_to IS NULL", epoch=epoch, c=collection)
    every = enumerate((run for runs in changes.runs.values() for run in runs), number)
    runs = [(run, run_row(run, at, at, epoch, root)) for at, run in every]
    write_runs(tx, [run for run, _ in runs], [row for _, row in runs])
    tx.many(
        "INSERT INTO bv_resets (collection, epoch) VALUES (:c, :epoch)",
        [{"c": c, "epoch": epoch} for c in sorted(changes.resets)],
    )
    return runs


def write_runs(tx: Writer, runs: Sequence[Run], rows: Sequence[dict[str, Any]]) -> None:
    """Runs as rows of the run log, and what is in them as far as the catalog is to keep it."""
    tx.many(RUN_INSERT, rows)
    bodies = [(row["path"], run.body) for run, row in zip(runs, rows, strict=True)]
    inlined.insert(tx, [(path, body) for path, body in bodies if body is not None])


def run_row(run: Run, number: int, group: int, epoch_from: int, root: str) -> dict[str, Any]:
    """A run as a row of the run log, its path relative to the warehouse."""
    return {
        "id": number, "collection": run.collection, "grp": group, "path": _within(run.path, root), "rows": run.rows,
        "deletes": run.deletes, "bytes": run.bytes, "epoch_from": epoch_from, "epoch_to": None, "delta": int(run.delta),
        "arrangement": None if run.arrangement is None else dumps(run.arrangement), "stats": dumps(run.stats),
    }  # fmt: skip


def _within(path: str, root: str) -> str:
    inside = path.removeprefix(root + os.sep)
    return inside if inside != path else os.path.relpath(path, root)


def _write_docs(tx: Writer, epoch: int, changes: ChangeSet) -> None:
    keys = [{"kind": kind, "name": name, "epoch": epoch} for kind, name in changes.docs]
    tx.many("UPDATE bv_docs SET epoch_to = :epoch WHERE kind = :kind AND name = :name AND epoch_to IS NULL", keys)
    tx.many(
        "INSERT INTO bv_docs (kind, name, body, epoch_from, epoch_to) VALUES (:kind, :name, :body, :epoch, NULL)",
        [
            {"kind": k, "name": n, "body": dumps(_dated(v, epoch)), "epoch": epoch}
            for (k, n), v in changes.docs.items()
            if v is not None
        ],
    )
    tx.many(
        "INSERT INTO bv_history (epoch, place, name, body) VALUES (:epoch, :place, :name, :body)",
        [{"epoch": epoch, "place": p, "name": n, "body": dumps(d)} for p, (n, d) in enumerate(changes.records)],
    )


def _dated(value: dict[str, Any], epoch: int) -> dict[str, Any]:
    """A document with `"epoch": THIS_EPOCH` gets the number of the epoch that publishes it."""
    return {**value, "epoch": epoch} if value.get("epoch") == THIS_EPOCH else value
