"""sync: one epoch with whatever sources have changed. Mirrors follow, and so do the joins over sources that are not mirrored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from belvedere.errors import Conflict
from belvedere.warehouse.sources.attached import ATTACHED, all_attached, find
from belvedere.warehouse.sources.follow import Following
from belvedere.warehouse.sources.remotes import Remotes
from belvedere.warehouse.sources.report import Synced
from belvedere.warehouse.transaction import Transaction

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

#: a sync that another writer overtakes is run again this often
TRIES = 5


def sync(wh: Warehouse, names: tuple[str, ...]) -> list[Synced]:
    """One epoch with the changes of all named sources; all if none is named."""
    for attempt in range(TRIES):
        try:
            return _sync(wh, names)
        except Conflict:
            if attempt == TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _sync(wh: Warehouse, names: tuple[str, ...]) -> list[Synced]:
    tx = wh.transaction()
    try:
        following, remotes = _read(wh, tx, names)
        if not following.changed and not remotes.changed:
            tx.rollback()
            return [*following.report(wh.epoch), *remotes.report(wh.epoch)]
        epoch = tx.publish()
    except BaseException:
        tx.rollback()
        raise
    if following.changed:
        following.forget()
    if remotes.changed:
        remotes.forget()
    return [*following.report(epoch), *remotes.report(epoch)]


def _read(wh: Warehouse, tx: Transaction, names: tuple[str, ...]) -> tuple[Following, Remotes]:
    known = all_attached(wh.core.store, tx.commit.base)
    wanted = [find(known, n) for n in names] or list(known.values())
    following, remotes = Following(tx), Remotes(tx)
    following.pull(wanted)
    remotes.sync(known, [a.name for a in wanted if not a.mirror and a.state == ATTACHED])
    errors = [*following.failed.values(), *remotes.errors.values()]
    if names and errors:
        raise errors[0]
    return following, remotes
