"""Runs of a few rows, kept in the catalog itself.

To make a Parquet file takes a millisecond, whatever is in it, and a refresh of twenty views makes twenty. A row in the catalog
takes ten microseconds, and is published, or is not, with the very transaction that tells of it. So the rows of a small run are
the value of a row of `bv_rows`, and its path is no more than a name: no file is ever made for it. Who reads runs asks
`SmallRuns`, which asks here; engines that read files are given such rows in memory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from uuid import uuid4

import pyarrow as pa

from belvedere.store.catalog import Catalog, Writer

SUFFIX = ".rows"
#: of a stream in Arrow's format
END = b"\xff\xff\xff\xff\0\0\0\0"


def is_inlined(path: str) -> bool:
    """Whether the rows of that path are in the catalog."""
    return path.endswith(SUFFIX)


def encode(table: pa.Table) -> bytes:
    """Rows as bytes that say their own layout: a stream in Arrow's format."""
    return b"".join((table.schema.serialize(), *(batch.serialize() for batch in table.to_batches()), END))


def encode_part(layout: bytes, batch: pa.RecordBatch, most: int) -> tuple[bytes | None, pa.Table]:
    """The same of rows of a layout that is known as bytes, unless they take more than these; and a copy of them in memory of its
    own, so that what they are a part of is not held on to."""
    message = batch.serialize()
    alone = pa.Table.from_batches([pa.ipc.read_record_batch(message, batch.schema)])
    return b"".join((layout, message, END)) if message.size <= most else None, alone


def decode(body: bytes) -> pa.Table:
    with pa.ipc.open_stream(body) as reader:
        return reader.read_all()


class Inlined:
    """Those of one warehouse; safe to use from several threads."""

    def __init__(self, root: str, catalog: Catalog) -> None:
        self._root, self._catalog = root, catalog
        #: of transactions that have not ended yet
        self._held: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def hold(self, body: bytes) -> str:
        """Keep rows until they are published, or given up; gives their path."""
        path = os.path.join(self._root, "rows", uuid4().hex + SUFFIX)
        with self._lock:
            self._held[path] = body
        return path

    def settle(self, paths: Iterable[str]) -> None:
        """The transaction of these has ended: the catalog has them, or nobody wants them."""
        with self._lock:
            for path in paths:
                self._held.pop(path, None)

    def read(self, path: str) -> pa.Table:
        with self._lock:
            body = self._held.get(path)
        if body is None:
            rows = self._catalog.rows("SELECT body FROM bv_rows WHERE path = :path", path=os.path.relpath(path, self._root))
            if not rows:
                raise FileNotFoundError(f"the catalog has no rows of {path} any more")
            body = bytes(rows[0][0])
        return decode(body)


def insert(tx: Writer, bodies: Iterable[tuple[str, bytes]]) -> None:
    """Rows by their paths, relative to the warehouse."""
    tx.many("INSERT INTO bv_rows (path, body) VALUES (:path, :body)", [{"path": p, "body": b} for p, b in bodies])


def delete(tx: Writer, paths: Iterable[str]) -> None:
    """Nothing consists of these any more."""
    tx.many("DELETE FROM bv_rows WHERE path = :path", [{"path": p} for p in paths])
