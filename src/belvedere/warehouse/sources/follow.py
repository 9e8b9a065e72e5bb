"""Bringing the changes of sources into a transaction, and forgetting them at the source once they are published."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from belvedere.errors import BelvedereError, Conflict, StoreError
from belvedere.sources.opening import open_source
from belvedere.store.faults import point
from belvedere.warehouse.sources.attached import ATTACHED, KIND, POSITION, Attached
from belvedere.warehouse.sources.pull import Pulled, pull
from belvedere.warehouse.sources.report import Synced
from belvedere.warehouse.transaction import Transaction


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
        done = [Synced(n, epoch, p.rows, p.compared, tuple(p.reshaped), p.left_out) for n, p in self.pulled.items()]
        return done + [Synced(n, epoch, error=str(e)) for n, e in self.failed.items()]

