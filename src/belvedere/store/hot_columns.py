"""Columns of large files in memory, for lookups of many keys.

A thousand keys lie in as many places of a file, and a file is read by row groups: to find their rows most of it has to be read,
each time. From a column in memory they are found by bisection, and only the rows found are copied. A file is worth that once
lookups have read as many rows of it as it has: from then on it would have been cheaper to have kept it. Files never change, so
what is in memory stays true; those used last are kept, up to a limit.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

#: the part of the machine's memory that columns may take, where no limit is set
PART = 8
#: how often lookups have to read a file through before it is kept
READ = 1
#: files of which is known how much lookups have read of them
FILES = 512
#: a lookup that finds more rows is left to who reads by row groups
FOUND = 131_072

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Sorted:
    """A column that ascends, NULLs first, as numbers."""

    nulls: int
    values: npt.NDArray[np.int64] | npt.NDArray[np.int32] | npt.NDArray[np.int16] | npt.NDArray[np.int8]

    def places(self, wanted: npt.NDArray[np.int64], null: bool) -> Places | None:
        """Where the wanted values are, in order; None if they are too many."""
        wanted = np.sort(wanted)  # neighbours are found in the same lines of memory
        low = np.searchsorted(self.values, wanted, "left") + self.nulls
        count = np.searchsorted(self.values, wanted, "right") + self.nulls - low
        if null and self.nulls:
            low, count = np.append(low, 0), np.append(count, self.nulls)
        total = int(count.sum())
        if total > FOUND:
            return None
        before = np.cumsum(count) - count
        return np.asarray(np.repeat(low - before, count) + np.arange(total), dtype=np.int64)


class HotColumns:
    """Safe to use from several threads."""

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = default_capacity() if capacity is None else capacity
        self._bytes = 0
        self._columns: OrderedDict[tuple[str, str], pa.Array] = OrderedDict()
        self._sorted: dict[tuple[str, str], _Sorted | None] = {}
        self._read: OrderedDict[str, int] = OrderedDict()
        self._once: dict[str, bool] = {}
        self._lock = threading.RLock()

    def note(self, path: str, rows: int) -> None:
        """A lookup has read so many rows of a file."""
        with self._lock:
            self._read[path] = self._read.pop(path, 0) + rows
            if len(self._read) > FILES:
                self.drop(next(iter(self._read)))

    def find(
        self, path: str, meta: pq.FileMetaData, keys: Sequence[tuple[str, pa.Array]], columns: Sequence[str]
    ) -> pa.Table | None:
        """The rows that have one of the values in one of the columns, each once; None where they are better read from the file:
        it has not been read enough, it is not sorted by the column, or they are too many."""
        with self._lock:
            if self._read.get(path, 0) < READ * meta.num_rows or not all(_whole(values.type) for _, values in keys):
                return None
            found: list[Places] = []
            for name, values in keys:
                ordered = self._ordered(path, name)
                places = None if ordered is None else ordered.places(_numbers(values.drop_null()), values.null_count > 0)
                if places is None:
                    return None
                found.append(places)
            rows = found[0] if len(found) == 1 else np.unique(np.concatenate(found))
            return None if len(rows) > FOUND else self._taken(path, meta, pa.array(rows), columns)

    def drop(self, path: str) -> None:
        """A file is not looked up any more."""
        with self._lock:
            self._read.pop(path, None)
            self._once.pop(path, None)
            for key in [k for k in self._columns if k[0] == path]:
                self._forget(key)

    def _taken(self, path: str, meta: pq.FileMetaData, rows: pa.Array, columns: Sequence[str]) -> pa.Table | None:
        arrays = []
        for name in columns:
            if name == "_w" and self._counts_once(path, meta):
                arrays.append(pa.repeat(pa.scalar(1, pa.int64()), len(rows)))
                continue
            column = self._column(path, name)
            if column is None:
                return None
            arrays.append(column.take(rows))
        return pa.Table.from_arrays(arrays, names=list(columns))

    def _counts_once(self, path: str, meta: pq.FileMetaData) -> bool:
        if path not in self._once:
            self._once[path] = _all_once(meta)
        return self._once[path]

    def _ordered(self, path: str, name: str) -> _Sorted | None:
        column = self._column(path, name)
        if column is None:
            return None
        key = (path, name)
        if key not in self._sorted:
            self._sorted[key] = _sorted(column)
        return self._sorted[key]

    def _column(self, path: str, name: str) -> pa.Array | None:
        """A column of a file; None if there is no room for it."""
        key = (path, name)
        known = self._columns.get(key)
        if known is not None:
            self._columns.move_to_end(key)
            return known
        with pq.ParquetFile(path) as file:
            read = file.read([name]).column(0)
        if read.nbytes > self._capacity:
            return None
        made = read.chunk(0) if read.num_chunks == 1 else pa.concat_arrays(read.chunks)
        while self._columns and self._bytes + made.nbytes > self._capacity:
            self._forget(next(iter(self._columns)))
        self._columns[key] = made
        self._bytes += made.nbytes
        return made

    def _forget(self, key: tuple[str, str]) -> None:
        self._bytes -= self._columns.pop(key).nbytes
        self._sorted.pop(key, None)


def default_capacity() -> int:
    """A part of the memory that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // PART


def _whole(t: pa.DataType) -> bool:
    return bool(pa.types.is_integer(t) or pa.types.is_date32(t))


def _numbers(values: pa.Array) -> npt.NDArray[np.int64]:
    whole = values.view(pa.int32()) if pa.types.is_date32(values.type) else values
    return np.asarray(whole.to_numpy(zero_copy_only=False)).astype(np.int64)


def _sorted(column: pa.Array) -> _Sorted | None:
    """The column for bisection; None if it is not of whole numbers or days, or does not ascend."""
    if not _whole(column.type):
        return None
    nulls = column.null_count
    if nulls and pc.any(column.slice(0, nulls).is_valid()).as_py():
        return None
    rest = column.slice(nulls)
    values = (rest.view(pa.int32()) if pa.types.is_date32(rest.type) else rest).to_numpy(zero_copy_only=False)
    return _Sorted(nulls, values) if bool(np.all(values[:-1] <= values[1:])) else None


def _all_once(meta: pq.FileMetaData) -> bool:
    """Whether every row counts once, as the footer tells."""
    place = next((i for i in range(meta.num_columns) if meta.schema.column(i).path == "_w"), None)
    if place is None:
        return False
    chunks = [meta.row_group(g).column(place) for g in range(meta.num_row_groups)]
    return all(c.is_stats_set and c.statistics.has_min_max and c.statistics.min == c.statistics.max == 1 for c in chunks)
