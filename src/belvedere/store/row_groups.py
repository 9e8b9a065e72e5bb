"""Row groups of large runs: which of them can hold some values, and their rows, the last ones read kept in memory.

Files never change, so bounds are taken from a footer once, and rows that were read stay true.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from belvedere.store.stats import MAX_TEXT

#: all rows that are kept, in bytes
CAPACITY = 64 << 20
#: rows of a row group, where the file was not opened yet
GROUP = 8192
#: files whose footers are kept
FILES = 512


Key = int | str
"""What row groups are looked up by. Parquet orders text by its bytes, which in UTF-8 is the order of Python."""


@dataclass(frozen=True)
class Bounds:
    """Of one column of integers or of text, by row group: least and greatest value, in the order of the greatest; and the row
    groups without bounds, which may hold anything, and with NULLs."""

    lows: Sequence[Key]
    highs: Sequence[Key]
    groups: Sequence[int]
    unknown: frozenset[int]
    nulls: frozenset[int]
    #: whether the lows ascend too, as they do in a file that is sorted by the column
    sorted: bool

    @property
    def all(self) -> set[int]:
        """Every row group with rows that could be asked for."""
        return {*self.groups, *self.unknown, *self.nulls}

    def holding(self, values: Iterable[Key], null: bool) -> set[int]:
        """The row groups that may hold one of the values, or NULL if that is asked for."""
        found = set(self.unknown) | (self.nulls if null else frozenset())
        wanted: list[Any] = list(values)
        if self.highs and any(type(v) is not type(self.highs[0]) for v in wanted):
            return found.union(self.groups)  # the column was of another type when the file was written
        if self.sorted and len(wanted) < len(self.groups):
            for v in wanted:
                for at in range(bisect_left(self.highs, v), len(self.highs)):
                    if self.lows[at] > v:
                        break
                    found.add(self.groups[at])
            return found
        # where the groups overlap, each of them asks for the first value that is not too small for it
        wanted.sort()
        for low, high, group in zip(self.lows, self.highs, self.groups, strict=True):
            at = bisect_left(wanted, low)
            if at < len(wanted) and wanted[at] <= high:
                found.add(group)
        return found


@dataclass
class _File:
    meta: pq.FileMetaData
    #: positions of a column and, where it is nested, of all that is in it
    places: dict[str, list[int]]
    bounds: dict[str, Bounds]


class RowGroups:
    """Safe to use from several threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._bytes = 0
        self._files: OrderedDict[str, _File] = OrderedDict()
        self._rows: OrderedDict[tuple[str, int, tuple[str, ...]], pa.Table] = OrderedDict()
        self._lock = threading.Lock()

    def bounds(self, path: str, column: str) -> Bounds | None:
        """Of a column that is not nested; None if the file does not have it."""
        file = self._file(path)
        if column not in file.places:
            return None
        known = file.bounds.get(column)
        if known is None:
            known = file.bounds[column] = _bounds(file.meta, file.places[column][0])
        return known

    def has(self, path: str, column: str) -> bool:
        """Whether the file has a column; one that was added to the collection later it lacks."""
        return column in self._file(path).places

    def meta(self, path: str) -> pq.FileMetaData:
        return self._file(path).meta

    def rows(self, path: str) -> int:
        """How many rows the file has."""
        return int(self._file(path).meta.num_rows)

    def size(self, path: str, group: int) -> int:
        """How many rows a row group has."""
        return int(self._file(path).meta.row_group(group).num_rows)

    def unread(self, path: str) -> float:
        """Rows that a lookup can expect to read for the first time: those of a row group, where it is not one that was read."""
        with self._lock:
            file, seen = self._files.get(path), {group for p, group, _ in self._rows if p == path}
        if file is None:
            return GROUP
        rows, groups = file.meta.num_rows, max(1, file.meta.num_row_groups)
        return float(rows / groups * max(0, groups - len(seen)) / groups)

    def read(self, path: str, group: int, columns: Iterable[str]) -> tuple[pa.Table, int]:
        """The columns that the file has of those asked for, and the bytes that were read for it now."""
        file = self._file(path)
        names = tuple(c for c in columns if c in file.places)
        key = (path, group, names)
        with self._lock:
            known = self._rows.get(key)
            if known is not None:
                self._rows.move_to_end(key)
                return known, 0
        with pq.ParquetFile(path, metadata=file.meta) as opened:
            table = opened.read_row_group(group, columns=list(names), use_threads=False)
        with self._lock:
            if key not in self._rows:
                self._rows[key] = table
                self._bytes += table.nbytes
            while self._bytes > self._capacity and len(self._rows) > 1:
                self._bytes -= self._rows.popitem(last=False)[1].nbytes
        described = file.meta.row_group(group)
        return table, sum(described.column(i).total_compressed_size for n in names for i in file.places[n])

    def drop(self, paths: Container[str]) -> None:
        """These files are not read any more, or not often."""
        with self._lock:
            for path in [p for p in self._files if p in paths]:
                del self._files[path]
            for key in [k for k in self._rows if k[0] in paths]:
                self._bytes -= self._rows.pop(key).nbytes

    def _file(self, path: str) -> _File:
        with self._lock:
            known = self._files.get(path)
            if known is not None:
                self._files.move_to_end(path)
                return known
        meta = pq.read_metadata(path)
        places: dict[str, list[int]] = {}
        for i in range(meta.num_columns):
            places.setdefault(meta.schema.column(i).path.split(".")[0], []).append(i)
        made = _File(meta, places, {})
        with self._lock:
            self._files[path] = made
            if len(self._files) > FILES:
                self._files.popitem(last=False)
        return made


def _bounds(meta: pq.FileMetaData, place: int) -> Bounds:
    known: list[tuple[Any, Any, int]] = []
    unknown, nulls = set(), set()
    for g in range(meta.num_row_groups):
        chunk: Any = meta.row_group(g).column(place)
        s = chunk.statistics if chunk.is_stats_set else None
        if s is None or not s.has_null_count or s.null_count:
            nulls.add(g)
        if s is not None and s.has_min_max and _exact(s.min) and _exact(s.max):
            known.append((s.max, s.min, g))
        elif s is None or not s.has_null_count or s.null_count < meta.row_group(g).num_rows:
            unknown.add(g)
    known.sort()
    lows = [low for _, low, _ in known]
    in_order = all(a <= b for a, b in pairwise(lows))
    return Bounds(lows, [h for h, _, _ in known], [g for _, _, g in known], frozenset(unknown), frozenset(nulls), in_order)


def _exact(bound: Any) -> bool:
    """Whether a bound is one as it stands: that of a long text may be cut off."""
    return type(bound) is int or (type(bound) is str and len(bound) <= MAX_TEXT)
