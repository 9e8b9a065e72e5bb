"""Bringing the changes of sources into a transaction, and forgetting them at the source once they are published."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError, Conflict, StoreError
from belvedere.sources.opening import open_source
from belvedere.store.faults import point
from belvedere.warehouse.sources.attached import ATTACHED, KIND, POSITION, Attached, all_attached, find
from belvedere.warehouse.sources.pull import Pulled, pull
from belvedere.warehouse.sources.report import Synced
from belvedere.warehouse.transaction import Transaction

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

#: a sync that another writer overtakes is run again this often
TRIES = 5


class Following:
    """The sources of one transaction: what came of each, and which did not answer."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.pulled: dict[str, Pulled] = {}
        self.failed: dict[str, BelvedereError] = {}

    def pull(self, sources: Iterable[Attached]) -> None:
        """All of them; one that cannot be read is noted and left as it was."""
        for attached in sources:
            if not attached.mirror or attached.state != ATTACHED:
                continue
            self.tx.commit.touch([attached.name], kind=KIND)
            self.tx.commit.touch([attached.name], kind=POSITION)
            try:
                self.pulled[attached.name] = pull(self.tx, attached)
            except (Conflict, StoreError):
                raise
            except BelvedereError as e:
                self.failed[attached.name] = e

    @property
    def changed(self) -> bool:
        return any(p.changed for p in self.pulled.values())

    def forget(self) -> None:
        """After publication: the sources need not keep what was read. One that is gone meanwhile keeps it, without harm."""
        point("sync.published")
        for name, p in self.pulled.items():
            if p.changed:
                with suppress(BelvedereError):
                    source = open_source(name, p.attached.address)
                    try:
                        source.prune(p.attached.watch, {t: [p.attached.position] for t in p.attached.tables})
                    finally:
                        source.close()
        point("sync.pruned")

    def report(self, epoch: int) -> list[Synced]:
        done = [Synced(n, epoch, p.rows, p.compared, tuple(p.reshaped)) for n, p in self.pulled.items()]
        return done + [Synced(n, epoch, error=str(e)) for n, e in self.failed.items()]


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
        known = all_attached(wh.core.store, tx.commit.base)
        wanted = [find(known, n) for n in names] or list(known.values())
        following = Following(tx)
        following.pull(wanted)
        if names and following.failed:
            raise next(iter(following.failed.values()))
        if not following.changed:
            tx.rollback()
            return following.report(wh.epoch)
        epoch = tx.publish()
    except BaseException:
        tx.rollback()
        raise
    following.forget()
    return following.report(epoch)
