"""The part of the warehouse that users call about other databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from belvedere.warehouse.sources.attach import attach, detach
from belvedere.warehouse.sources.attached import all_attached
from belvedere.warehouse.sources.first_load import Progress
from belvedere.warehouse.sources.report import SourceInfo, Synced
from belvedere.warehouse.sources.syncing import sync

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


class Sources:
    """attach, sync, sources, detach."""

    def attach(
        self,
        name: str,
        url: str,
        *,
        tables: Sequence[str] | None = None,
        mirror: bool = False,
        changes: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """Attach another database: postgresql://, mysql://, sqlite:///file or duckdb:///file. Its tables are called `name.table`.

        `tables` are those to follow, all if None. With `mirror=True` their rows are loaded and kept here; gives how many of
        each. `changes` says how changes come out of it: "triggers" write a log there, "logical" is PostgreSQL's own log, decoded;
        if None what the URL says, and triggers if that says nothing. `progress` is called with a table, the rows loaded so
        far, and an estimate of all.
        """
        return attach(self._warehouse(), name, url, tables, mirror, changes, progress)

    def sync(self, *names: str) -> list[Synced]:
        """Read the change logs of sources, all if none is named, as one epoch. A named one that does not answer is an error."""
        return sync(self._warehouse(), names)

    def sources(self) -> list[SourceInfo]:
        """The attached databases."""
        return [
            SourceInfo(a.name, a.url, a.address.system, a.mirror, a.state, tuple(a.tables))
            for a in all_attached(self._warehouse().core.store).values()
        ]

    def detach(self, name: str, *, force: bool = False) -> None:
        """Let go of a source: its change logs are removed there, its mirrors here. With `force` also if it does not answer."""
        detach(self._warehouse(), name, force)

    def _warehouse(self) -> Warehouse:
        return cast("Warehouse", self)
