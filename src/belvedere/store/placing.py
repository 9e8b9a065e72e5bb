"""Where the rows that the store writes itself go: a few into the catalog, more into a file of the store's session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from belvedere.store.inlined import Inlined, is_inlined
from belvedere.store.model import Collection
from belvedere.store.parquet import Contents, write_table
from belvedere.store.ready import Numbers, Ready, in_order, in_parts, make_ready
from belvedere.store.session import Session
from belvedere.store.stats import encoded, footer_stats


@dataclass(frozen=True)
class Placed:
    """The path of a run, what is in it, and its rows where the catalog is to keep them."""

    path: str
    contents: Contents
    body: bytes | None = None


@dataclass(frozen=True)
class Placing:
    """Both ways; safe to use from several threads."""

    session: Session
    inlined: Inlined
    #: bytes in memory up to which rows are few
    few: int

    def ready(self, wanted: Sequence[tuple[Collection, pa.Table]]) -> list[Ready]:
        """The rows of each collection, as they are put."""
        return make_ready(wanted, self.few)

    def ready_parts(self, collections: Sequence[Collection], rows: pa.Table, numbers: Numbers) -> list[Ready] | None:
        """The same of rows in one table, in the layout of all the collections."""
        return in_parts(collections, rows, numbers, self.few)

    def in_order(self, collection: Collection, rows: pa.Table) -> Ready:
        """Rows in their layout and order already."""
        return in_order(collection, rows, self.few)

    def put(self, ready: Ready, claim: Callable[[str], None]) -> Placed:
        """Rows as a run of a transaction. `claim` is told the path before there is anything at it."""
        if ready.body is not None:
            path = self.inlined.hold(ready.body)
            claim(path)
            return Placed(path, Contents(ready.rows.num_rows, ready.deletes, len(ready.body), ready.stats or {}), ready.body)
        path, contents = self.session.write(lambda p: (p, _write(p, ready)), claim)
        return Placed(path, contents)

    def remove(self, paths: Iterable[str], *, ask: bool) -> None:
        """A transaction came to nothing, or did without these; with `ask` only what the catalog does not know is removed."""
        gone = set(paths)
        self.inlined.settle(filter(is_inlined, gone))  # the catalog need not be asked for that, and may not answer
        self.session.remove({p for p in gone if not is_inlined(p)}, ask=ask)

    def settle(self, paths: Iterable[str]) -> None:
        """The transaction of these has ended: the catalog knows them, or they are gone."""
        ended = set(paths)
        self.session.settle(ended)
        self.inlined.settle(filter(is_inlined, ended))

    def close(self) -> None:
        self.session.close()


def _write(path: str, ready: Ready) -> Contents:
    """The rows as a file, and what is known of them."""
    write_table(path, ready.collection.physical, ready.rows)
    stats = encoded(footer_stats(pq.read_metadata(path))) if ready.stats is None else ready.stats
    return Contents(ready.rows.num_rows, ready.deletes, os.path.getsize(path), stats)
