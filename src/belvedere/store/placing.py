"""Where the rows that the store writes itself go: a few into the catalog, more into a file of the store's session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa

from belvedere.store.inlined import Inlined, encode, is_inlined
from belvedere.store.model import Collection
from belvedere.store.parquet import Contents, contents_of, write_sorted
from belvedere.store.session import Session


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

    def put(self, collection: Collection, rows: pa.Table, claim: Callable[[str], None]) -> Placed:
        """Rows that are in order, as a run of a transaction. `claim` is told the path before there is anything at it."""
        if rows.nbytes <= self.few:
            body = encode(rows)
            path = self.inlined.hold(body)
            claim(path)
            return Placed(path, contents_of(rows, len(body)), body)
        path, contents = self.session.write(lambda p: (p, write_sorted(p, collection, rows)), claim)
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
