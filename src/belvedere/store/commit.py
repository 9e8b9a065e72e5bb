"""One transaction: data files first, if there are any, then one SQL transaction that makes all of it visible, or nothing of it.

Until `publish()` nothing of a commit can be seen by anybody else. Leaving the `with` block without it removes every file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.types import Schema
from belvedere.errors import StoreError
from belvedere.store import describe
from belvedere.store.changeset import ChangeSet, PlainTable
from belvedere.store.faults import point
from belvedere.store.model import SMALL, Collection, Run, choose
from belvedere.store.parquet import Contents, inspect_file
from belvedere.store.publish import publish
from belvedere.store.ready import Numbers, Ready
from belvedere.store.staging import Marker, discard, prune

if TYPE_CHECKING:
    from belvedere.store.store import Store


class Commit:
    """A transaction on the store. `base` is the epoch it reads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.base = store.epoch
        self._marker: Marker | None = None
        #: the files of its own in the store's session
        self._written: set[str] = set()
        self._changes = ChangeSet(self.base)
        self._state = "open"
        self._cache: dict[int, Collection | None] = {}

    def __enter__(self) -> Commit:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._state != "published":
            self.rollback()

    # what the transaction sees: its base, and its own work on top

    def collection(self, name: str) -> Collection | None:
        """The collection of that name as this transaction has made it."""
        own = next((c for c in self._changes.collections.values() if c.name == name), None)
        if own is not None:
            return own
        base = self._store.collection(name, self.base)
        hidden = base is None or base.id in self._changes.dropped or base.id in self._changes.collections
        return None if hidden else base

    def collections(self) -> list[Collection]:
        changed = self._changes.collections
        kept = [c for c in self._store.collections(self.base) if c.id not in changed and c.id not in self._changes.dropped]
        return sorted([*kept, *changed.values()], key=lambda c: c.name)

    def snapshot(self, collection: Collection, arrangement: tuple[int, ...] | None = None) -> list[Run]:
        """The runs of the collection's content, with what this transaction has written so far."""
        collection = self._current(collection.id)
        own = self.pending(collection)
        if collection.id in self._changes.created or collection.id in self._changes.replaced:
            return own
        return choose(self._store.reader.runs(collection.id, self.base), collection.sort, arrangement) + own

    def pending(self, collection: Collection) -> list[Run]:
        """The runs that this transaction has written for a collection."""
        return list(self._changes.runs.get(collection.id, ()))

    def doc(self, kind: str, name: str) -> dict[str, Any] | None:
        if (kind, name) in self._changes.docs:
            return self._changes.docs[kind, name]
        return self._store.doc(kind, name, self.base)

    def docs(self, kind: str) -> dict[str, dict[str, Any]]:
        found = self._store.docs(kind, self.base)
        for (k, name), value in self._changes.docs.items():
            if k == kind:
                found.pop(name, None)
                if value is not None:
                    found[name] = value
        return dict(sorted(found.items()))

    # collections

    def create_collection(
        self,
        name: str,
        kind: str,
        schema: Schema,
        *,
        key: Iterable[str] = (),
        sort: Iterable[str] = (),
        arrangements: Iterable[Iterable[str]] = (),
        properties: Mapping[str, Any] | None = None,
    ) -> Collection:
        """A new, empty collection; gives its columns their permanent ids."""
        self._check_open()
        self._check_free(name)
        made = describe.new_collection(
            self._store.reserve_collection(),
            name,
            kind,
            schema,
            key=key,
            sort=sort,
            arrangements=arrangements,
            properties=properties,
        )
        self._changes.create(made)
        return made

    def alter_collection(self, new: Collection) -> Collection:
        """Rename it, add, drop or rename columns, change orders or properties: metadata only. New columns have id 0."""
        self._check_open()
        old = self._current(new.id)
        if new.name != old.name:
            self._check_free(new.name)
        made = describe.altered(old, new)
        self._changes.alter(old, made)
        return made

    def drop_collection(self, name: str) -> None:
        self._check_open()
        found = self.collection(name)
        if found is None:
            raise StoreError(f"there is no {name!r} to drop")
        self._changes.drop(found)

    # rows

    def ready(self, wanted: Iterable[tuple[Collection, pa.Table]]) -> list[Ready]:
        """Weighted rows of several collections, ready to be appended."""
        return self._store.placing.ready([(self._current(c.id), table) for c, table in wanted])

    def ready_parts(self, collections: Sequence[Collection], rows: pa.Table, numbers: Numbers) -> list[Ready] | None:
        """The same of rows in the layout that all the collections have, as they have their order. None where it is better to look
        at each."""
        return self._store.placing.ready_parts([self._current(c.id) for c in collections], rows, numbers)

    def append(self, collection: Collection, rows: pa.Table | Ready, *, stats: Mapping[str, Any] | None = None) -> Run:
        """Weighted rows as one run; they are a delta of the collection. A run without rows is not kept."""
        collection = self._current(collection.id)
        if not isinstance(rows, Ready) or rows.collection != collection:
            [rows] = self._store.placing.ready([(collection, rows.rows if isinstance(rows, Ready) else rows)])
        placed = self._store.placing.put(rows, self._written.add)
        point("commit.file")
        order = None if placed.contents.rows < SMALL else collection.sort
        return self._add(collection, placed.path, placed.contents, True, order, stats, placed.body)

    def adopt(
        self,
        collection: Collection,
        paths: Sequence[str],
        *,
        delta: bool = True,
        arrangement: tuple[int, ...] | None = None,
        stats: Mapping[str, Any] | None = None,
    ) -> list[Run]:
        """Take over Parquet files that an engine wrote into `directory()`. Files without rows are left behind.

        `arrangement` says what they are sorted for; a large file without one counts as unsorted and is sorted by compaction.
        With `delta=False` the rows are content but no change that could be told later; `delta()` across this epoch is None.
        """
        collection = self._current(collection.id)
        directory = self.directory() + os.sep
        runs = []
        for path in paths:
            path = os.path.abspath(path)
            if not path.startswith(directory):
                raise StoreError(f"{path} is not in the directory of this transaction; write it under directory() first")
            contents = inspect_file(path, collection)
            point("commit.file")
            order = () if arrangement is None and contents.rows >= SMALL else arrangement
            if contents.rows:
                runs.append(self._add(collection, path, contents, delta, order, stats))
        return runs

    def directory(self) -> str:
        """Where data files go that others write for this transaction; made on first use, after the marker that guards it."""
        self._check_open()
        if self._marker is None:
            self._marker = Marker(self._store.path)
            os.makedirs(self._data(self._marker))
        return self._data(self._marker)

    def replace(self, collection: Collection) -> None:
        """Empty the collection: its content is what is written from here on, in this transaction and after it."""
        self._check_open()
        self._changes.replace(self._current(collection.id))

    # documents, records, reads

    def put_doc(self, kind: str, name: str, value: dict[str, Any] | None) -> None:
        """Set a versioned JSON document; None removes it."""
        self._check_open()
        self._changes.docs[kind, name] = value

    def record(self, name: str, entry: dict[str, Any]) -> None:
        """Add a record to the history of a name."""
        self._check_open()
        self._changes.records.append((name, entry))

    def touch(self, names: Iterable[str], *, kind: str | None = None) -> None:
        """Names that were read: collections, or documents of a kind. Another writer that changed one is a conflict."""
        self._check_open()
        for name in names:
            if kind is not None:
                self._changes.reads.add(f"d:{kind}:{name}")
                continue
            self._changes.reads.add(f"n:{name}")
            found = self._store.collection(name, self.base)
            if found is not None:
                self._changes.reads.add(f"c:{found.id}")

    # going back

    def mark(self) -> ChangeSet:
        """What it would change if it were published now."""
        return self._changes.copy()

    def back_to(self, mark: ChangeSet) -> None:
        """Forget what was done after the mark; the files of that go with those that were written for nothing."""
        self._check_open()
        self._changes = mark.copy()

    # plain Iceberg tables

    def publish_iceberg(self, name: str, schema: Schema, files: Sequence[str], remove: Sequence[str] = ()) -> None:
        """Advance the plain Iceberg table `published.<name>` with this epoch: add files, remove others, set the schema."""
        directory = self.directory() + os.sep
        added = [os.path.abspath(f) for f in files]
        strange = [f for f in added if not f.startswith(directory)]
        if strange:
            raise StoreError(f"{strange[0]} is not in the directory of this transaction; write it under directory() first")
        self._changes.tables[name] = PlainTable(name, schema, tuple(added), tuple(os.path.abspath(f) for f in remove))

    def drop_iceberg(self, name: str) -> None:
        """Stop publishing: the Iceberg table goes with this epoch."""
        self._check_open()
        self._changes.tables[name] = None

    # the end

    def publish(self) -> int:
        """Make everything visible as one epoch and return its number; the base if there is nothing to publish."""
        self._check_open()
        self._store.tidy()
        if self._changes.empty:
            self.rollback()
            self._state = "published"
            return self.base
        self._state = "failed"
        epoch = publish(self._store, self._changes, self._marker.token if self._marker else "", self._leftovers)
        self._state = "published"
        self._store.placing.settle(self._written)
        point("commit.published")
        if self._marker is not None:
            self._marker.release()
        point("commit.finished")
        return epoch

    def rollback(self) -> None:
        """Forget everything and remove every file. After a failed publish the catalog is asked first what it knows."""
        written, self._written = self._written, set()
        marker, self._marker = self._marker, None
        failed = self._state == "failed"
        try:
            self._store.placing.remove(written, ask=failed)
            if marker is not None and failed:
                discard(self._store.path, self._store.catalog, marker.token)
            elif marker is not None:
                prune(self._data(marker), set())
        except BaseException:
            if marker is not None:
                marker.abandon()
            raise
        if written or marker is not None:
            point("rollback.files")
        if marker is not None:
            marker.release()
        self._state = "rolled back"

    def _leftovers(self, keep: set[str]) -> None:
        """Remove what engines left beside their data files, and runs that were written for nothing."""
        self._store.placing.remove(self._written - keep, ask=False)
        if self._marker is not None:
            prune(self._data(self._marker), keep)

    def _data(self, marker: Marker) -> str:
        return os.path.join(self._store.path, "data", marker.token)

    def _check_open(self) -> None:
        if self._state != "open":
            raise StoreError(f"this transaction is {self._state}; begin a new one")

    def _check_free(self, name: str) -> None:
        if self.collection(name) is not None:
            raise StoreError(f"there is a {name!r} already; drop it first or choose another name")

    def _current(self, number: int) -> Collection:
        """The collection of an id as this transaction sees it now."""
        self._check_open()
        found = self._changes.collections.get(number)
        if found is None and number not in self._changes.dropped:
            if number not in self._cache:
                self._cache[number] = self._store.collection_by_id(number, self.base)
            found = self._cache[number]
        if found is None:
            raise StoreError(f"collection {number} does not exist in this transaction; it was dropped or never made")
        return found

    def _add(
        self,
        c: Collection,
        path: str,
        found: Contents,
        delta: bool,
        order: tuple[int, ...] | None,
        extra: Mapping[str, Any] | None,
        body: bytes | None = None,
    ) -> Run:
        number = -self._changes.next_run()
        run = Run(
            id=number, collection=c.id, path=path, rows=found.rows, deletes=found.deletes, bytes=found.bytes,
            epoch_from=self.base + 1, epoch_to=None, delta=delta, arrangement=order, group=number,
            stats={**found.stats, **(extra or {})}, body=body,
        )  # fmt: skip
        if run.rows:
            self._changes.add(run)
        return run
