"""Runs of small tables kept in memory. A run never changes, so what was read once need not be read again. Those that lie in the
catalog are read by way of this only."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from belvedere.store.inlined import is_inlined

#: all that is kept, in bytes
CAPACITY = 64 << 20


class SmallRuns:
    """Runs as Arrow tables, those used last; safe to use from several threads. `inlined` gives the rows of runs that are no
    files."""

    def __init__(self, inlined: Callable[[str], pa.Table] | None = None, capacity: int = CAPACITY) -> None:
        self._inlined = inlined
        self._capacity = capacity
        self._bytes = 0
        self._kept: OrderedDict[str, pa.Table] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, path: str) -> bool:
        """Whether it is in memory."""
        with self._lock:
            return path in self._kept

    def rows(self, path: str) -> int | None:
        """How many rows it has, if it is in memory."""
        with self._lock:
            known = self._kept.get(path)
            return None if known is None else known.num_rows

    def read(self, path: str) -> pa.Table:
        with self._lock:
            known = self._kept.get(path)
            if known is not None:
                self._kept.move_to_end(path)
                return known
        if self._inlined is not None and is_inlined(path):
            table = self._inlined(path)
        else:
            table = pq.ParquetFile(path).read()
        self.keep(path, table)
        return table

    def columns(self, path: str, names: Sequence[str]) -> pa.Table:
        """Some columns of a run of any size. What is in a file stays there."""
        if self.has(path) or (self._inlined is not None and is_inlined(path)):
            return self.read(path).select(names)
        with pq.ParquetFile(path) as file:
            return file.read(list(names), use_threads=False)

    def keep(self, path: str, table: pa.Table) -> None:
        """What is in a file that was just written need not be read from it."""
        with self._lock:
            if path not in self._kept:
                self._kept[path] = table
                self._bytes += table.get_total_buffer_size()
            while self._bytes > self._capacity and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= gone.get_total_buffer_size()

    def drop(self, path: str) -> None:
        """It will not be read any more, or not often."""
        with self._lock:
            gone = self._kept.pop(path, None)
            if gone is not None:
                self._bytes -= gone.get_total_buffer_size()
