"""The store: collections, their runs and documents at any epoch that is still kept, and the way to add one."""

from __future__ import annotations

import copy
import os
import weakref
from collections.abc import Iterable, Mapping, Set
from types import TracebackType
from typing import Any

from belvedere.errors import StoreError
from belvedere.store import garbage, identity, snapshots, staging
from belvedere.store.catalog import Catalog
from belvedere.store.commit import Commit
from belvedere.store.gone import Gone
from belvedere.store.iceberg_log import current_files
from belvedere.store.inlined import Inlined
from belvedere.store.maintain import Beside, Later, Merger, build_arrangement, maintain
from belvedere.store.model import Collection, Run
from belvedere.store.placing import Placing
from belvedere.store.reading import Reader, Remembering
from belvedere.store.session import Session
from belvedere.store.tables import ICEBERG_CATALOG

FEW = 64 << 10
"""Bytes of a run, in memory, up to which the catalog keeps it. Larger ones would make its database's own log long."""


class Store:
    """An open warehouse directory with its catalog. Safe to use from several threads and several processes."""

    def __init__(self, path: str, catalog: Catalog, retention: int, few: int) -> None:
        self.path = path
        self.catalog = catalog
        self.retention = retention
        self.reader = Reader(path, catalog)
        self.inlined = Inlined(path, catalog)
        self.placing = Placing(Session(path, catalog), self.inlined, few)
        self.gone = Gone()
        #: collections that somebody here has looked at for a snapshot that others left
        self.looked_back: set[int] = set()
        # a store that nobody closes ends with its last reference, or with the process
        weakref.finalize(self, self.placing.close)

    @staticmethod
    def open(
        path: str | os.PathLike[str], catalog: str | None = None, *, create: bool = True, retention: int = 100,
        few: int | None = None,
    ) -> Store:
        """Open the warehouse, or make it. `retention`: how many epochs back can be read; at least 1. `few`: up to so many bytes,
        the catalog keeps a run itself."""
        if retention < 1:
            raise StoreError(f"a retention of {retention} epochs keeps nothing; use 1 or more")
        root = os.path.realpath(path)
        store = Store(root, identity.open_catalog(root, catalog, create=create), retention, FEW if few is None else few)
        try:
            for name in ("data", "staging"):
                os.makedirs(os.path.join(root, name), exist_ok=True)
            store.tidy()
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        self.placing.close()
        self.catalog.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def remembering(self) -> Store:
        """The same store, for one piece of work: what is asked of an epoch is asked of the catalog once."""
        made = copy.copy(self)
        made.reader = Remembering(self.reader)
        return made

    def expect(self, collections: Mapping[int, Set[int]]) -> None:
        """By epoch, collections whose runs will be asked for: one that remembers fetches them together."""
        if isinstance(self.reader, Remembering):
            self.reader.expect(collections)

    # reading

    @property
    def epoch(self) -> int:
        """The last published epoch, whoever published it; 0 when nothing was."""
        return self.reader.head()[0]

    def has_epoch(self, epoch: int) -> bool:
        """Whether the state of that epoch can still be read."""
        head, horizon = self.reader.head()
        return horizon <= epoch <= head

    def collection(self, name: str, epoch: int | None = None) -> Collection | None:
        """The collection of exactly that name."""
        return self.reader.one(epoch, name)

    def collection_by_id(self, number: int, epoch: int | None = None) -> Collection | None:
        return self.reader.one(epoch, number)

    def collections(self, epoch: int | None = None) -> list[Collection]:
        """All collections, by name."""
        return list(self.reader.every(epoch))

    def snapshot(self, collection: Collection, epoch: int | None = None, arrangement: tuple[int, ...] | None = None) -> list[Run]:
        """Runs whose sum is the content at that epoch, in the wanted order where it is built, else in the primary one."""
        return self.reader.snapshot(collection, epoch, arrangement)

    def runs(self, collection: Collection, epoch: int | None = None) -> list[Run]:
        """All runs visible at that epoch, in every order they are kept in; `model.choose` picks one of each group."""
        return self.reader.runs(collection.id, epoch)

    def delta(self, collection: Collection, since: int, until: int) -> list[Run] | None:
        """The delta runs with `since < epoch <= until`. None when the content was replaced in between, or when the deltas
        are beyond the retention: then compare the two snapshots, if `has_epoch(since)`."""
        return self.reader.delta(collection.id, since, until)

    def doc(self, kind: str, name: str, epoch: int | None = None) -> dict[str, Any] | None:
        return self.reader.docs(kind, epoch, name).get(name)

    def docs(self, kind: str, epoch: int | None = None) -> dict[str, dict[str, Any]]:
        """All documents of a kind, by name."""
        return self.reader.docs(kind, epoch)

    def shared_docs(self, kind: str, epoch: int) -> dict[str, dict[str, Any]]:
        """The same for who only looks at them."""
        return self.reader.shared_docs(kind, epoch)

    def oldest_mark(self) -> int:
        """The oldest epoch that a view is of; the present one if there are no views."""
        epoch = self.epoch
        return min((int(mark["epoch"]) for mark in self.shared_docs("pin", epoch).values()), default=epoch)

    def history(self, name: str | None = None, limit: int | None = None) -> list[dict[str, Any]]:
        """Records of a name (of all names if None), oldest first; with a limit the latest ones."""
        return self.reader.history(name, limit)

    # writing

    def begin(self) -> Commit:
        """A transaction that reads the current epoch."""
        return Commit(self)

    def reserve_collection(self) -> int:
        """A number for a new collection. A transaction that does not publish leaves a gap, nothing else."""
        with self.catalog.write() as tx:
            number = tx.head().next_collection
            tx.run("UPDATE bv_head SET next_collection = :next WHERE id = 1", next=number + 1)
        return number

    # upkeep

    def tidy(self) -> None:
        """Remove what dead writers left, and finish an interrupted removal of expired files."""
        staging.recover(self.path, self.catalog)
        garbage.sweep(self.path, self.catalog)

    def maintain(
        self, merger: Merger, *, collections: Iterable[str] | None = None, beside: Beside | None = None,
        later: Later | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Compact, expire and remove; content and epoch stay as they are. Returns what was done. With `beside`, what is large is
        not done but told to it; with `later`, snapshots of what is small are told to that."""
        return maintain(self, merger, None if collections is None else list(collections), beside, later)

    def take_snapshot(self, name: str, merger: Merger) -> bool:
        """The Iceberg snapshot of a small collection, if it is due. Whether there is one now."""
        return snapshots.take(self, merger, name)

    def build_arrangement(self, collection: Collection, columns: tuple[int, ...], merger: Merger) -> list[dict[str, Any]]:
        """Write the existing large runs in one more order. The order must be one of the collection's arrangements."""
        return build_arrangement(self, collection, columns, merger)

    # Iceberg

    def iceberg_files(self, name: str) -> list[tuple[str, int]]:
        """The current data files of the plain table `published.<name>`, with their row counts."""
        return current_files(self.catalog, f"published.{name}", self.path)

    def catalog_properties(self) -> dict[str, str]:
        """What to give to pyiceberg: `load_catalog(**store.catalog_properties())`."""
        return {
            "name": ICEBERG_CATALOG,
            "type": "sql",
            "uri": self.catalog.url.render_as_string(hide_password=False),
            "warehouse": self.path,
        }
