"""Expiry and the removal of files, in three steps that can each be interrupted: list, unlink, forget.

What is listed in `bv_garbage` is read by nobody, so unlinking it twice or by two processes at once does no harm. The
horizon is the oldest epoch that can be read. It follows the head at the distance of the retention, and waits for views that
have not consumed older changes: documents of kind "pin", `{"epoch": n}`. A forgotten pin cannot hold it for ever; it
waits at most ten times the retention, after which such a view has to be recomputed.
"""

from __future__ import annotations

import json
import os
from typing import Any

from belvedere.store.catalog import Catalog, Writer
from belvedere.store.faults import point
from belvedere.store.inlined import delete, is_inlined

PIN_FACTOR = 10
_BATCH = 500


def horizon_of(epoch: int, before: int, retention: int, pins: list[int]) -> int:
    """The new horizon; it never goes back.

    >>> horizon_of(500, 0, 100, []), horizon_of(500, 0, 100, [320]), horizon_of(5000, 0, 100, [320])
    (400, 320, 4000)
    """
    wanted = min([epoch - retention, *pins])
    return max(before, wanted, epoch - PIN_FACTOR * retention)


def expire(catalog: Catalog, retention: int, *, at_once: bool = False) -> int | None:
    """Move the horizon and list what lies behind it as garbage. Done in steps, so that most commits pay nothing for it."""
    [(epoch, before)] = catalog.rows("SELECT epoch, horizon FROM bv_head WHERE id = 1")
    if epoch - retention - before < (1 if at_once else max(1, retention // 16)):
        return None
    with catalog.write() as tx:
        head = tx.head()
        pins = [
            json.loads(row[0])["epoch"] for row in tx.rows("SELECT body FROM bv_docs WHERE kind = 'pin' AND epoch_to IS NULL")
        ]
        horizon = horizon_of(head.epoch, head.horizon, retention, pins)
        if horizon == head.horizon:
            return None
        _list_garbage(tx, horizon)
        for table in ("bv_collections", "bv_docs"):
            tx.run(f"DELETE FROM {table} WHERE epoch_to <= :horizon", horizon=horizon)
        for table in ("bv_touched", "bv_resets", "bv_epochs"):
            tx.run(f"DELETE FROM {table} WHERE epoch <= :horizon", horizon=horizon)
        tx.run("UPDATE bv_head SET horizon = :horizon WHERE id = 1", horizon=horizon)
    point("gc.moved")
    return horizon


def _list_garbage(tx: Writer, horizon: int) -> None:
    """Runs and files that no epoch from the horizon on can see; a file that something else still needs stays. Rows in the catalog
    go at once.

    No run ends before it begins, so a delta run that ended by the horizon also began by it: no delta that can be told needs it.
    """
    ended = "epoch_to <= :horizon"
    paths = {row[0] for row in tx.rows(f"SELECT path FROM bv_runs WHERE {ended}", horizon=horizon)}
    paths |= {row[0] for row in tx.rows("SELECT path FROM bv_files WHERE epoch_to <= :horizon", horizon=horizon)}
    tx.run(f"DELETE FROM bv_runs WHERE {ended}", horizon=horizon)
    tx.run("DELETE FROM bv_files WHERE epoch_to <= :horizon", horizon=horizon)
    delete(tx, filter(is_inlined, paths))
    gone: list[dict[str, Any]] = [{"path": p} for p in sorted(paths) if not is_inlined(p)]
    tx.many(
        """INSERT INTO bv_garbage (path) SELECT CAST(:path AS TEXT) WHERE NOT EXISTS (SELECT 1 FROM bv_files WHERE path = :path)
           AND NOT EXISTS (SELECT 1 FROM bv_runs WHERE path = :path) ON CONFLICT DO NOTHING""",
        gone,
    )


def sweep(root: str, catalog: Catalog) -> int:
    """Unlink what is listed, remove directories that are then empty, and clear the list. Returns the number of files."""
    removed = 0
    while rows := catalog.rows(f"SELECT path FROM bv_garbage ORDER BY path LIMIT {_BATCH}"):
        paths = [row[0] for row in rows]
        for path in paths:
            removed += _remove(root, path)
        point("gc.unlinked")
        with catalog.write() as tx:
            tx.many("DELETE FROM bv_garbage WHERE path = :path", [{"path": p} for p in paths])
        point("gc.cleared")
    return removed


def _remove(root: str, path: str) -> int:
    full = os.path.join(root, path)
    try:
        os.unlink(full)
        found = 1
    except FileNotFoundError:
        found = 0
    parent = os.path.dirname(full)
    while parent != os.path.join(root, "data"):
        try:
            os.rmdir(parent)
        except FileNotFoundError:
            pass  # another process was faster
        except OSError:
            break  # it holds files that are still needed
        parent = os.path.dirname(parent)
    return found
