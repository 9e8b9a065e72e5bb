"""Columns of large files in memory, for lookups of many keys.

A thousand keys lie in as many places of a file, and a file is read by row groups: to find their rows most of it has to be read,
each time. From a column in memory they are found by bisection, and only the rows found are copied; where one column is not
enough, by several at once (`store/packed.py`). A file is worth that once
lookups have read as many rows of it as it has: from then on it would have been cheaper to have kept it. Columns of large files
are read in the background, since that takes a while; until they are there, lookups read the file as before. Files never change,
so what is in memory stays true; the columns used last are kept, up to a limit.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from belvedere.store.ascending import FOUND, Ascending, Places, ascending, is_whole, numbers_of
from belvedere.store.packed import Packed, can_pack, packed

#: the part of the machine's memory that columns may take, where no limit is set
PART = 8
#: how often lookups have to read a file through before it is kept
READ = 1
#: rows of a column that is read at once; one with more is read in the background
AT_ONCE = 262_144
#: row groups of a column that are read at a time
PIECE = 64
#: files of which is known how much lookups have read of them
FILES = 512
#: rows that one column finds for each that is wanted in several, up to which it is enough
ENOUGH = 4


@dataclass(frozen=True)
class Between:
    """Values of a column from one to another, both of them included."""

    low: pa.Scalar
    high: pa.Scalar

    def among(self, column: pa.Array | pa.ChunkedArray) -> Any:
        """For each row, whether it has one of the values."""
        return pc.and_(pc.greater_equal(column, self.low), pc.less_equal(column, self.high))


@dataclass(frozen=True)
class Together:
    """Values of several columns, called as in the file: a row is wanted if it has those of one row here."""

    rows: pa.Table


#: what is looked up in a column, or in several
Wanted: TypeAlias = pa.Array | Between | Together


class HotColumns:
    """Safe to use from several threads."""

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = hot_capacity() if capacity is None else capacity
        self._bytes = 0
        #: columns, and what was made of several, under the names of all of them
        self._columns: OrderedDict[tuple[str, str], pa.Array | Packed] = OrderedDict()
        self._sorted: dict[tuple[str, str], Ascending] = {}
        #: what was searched for last, and where it is
        self._last: dict[tuple[str, str], tuple[pa.Array | pa.Table, Places]] = {}
        #: columns that cannot be searched, and columns that cannot be kept
        self._unsorted: set[tuple[str, str]] = set()
        self._unfit: set[tuple[str, str]] = set()
        self._read: OrderedDict[str, int] = OrderedDict()
        self._once: dict[str, bool] = {}
        self._lock = threading.RLock()
        #: columns that the loader has yet to read, with the rows that each has, and the one that it reads now
        self._asked: dict[tuple[str, str], int] = {}
        self._reading: tuple[str, str] | None = None
        self._loader: threading.Thread | None = None

    def has(self, path: str) -> bool:
        """Whether columns of a file are in memory."""
        with self._lock:
            return any(p == path for p, _ in self._columns)

    def note(self, path: str, rows: int) -> None:
        """A lookup has read so many rows of a file."""
        with self._lock:
            self._read[path] = self._read.pop(path, 0) + rows
            if len(self._read) > FILES:
                self.drop(next(iter(self._read)))

    def expect(self, path: str, meta: pq.FileMetaData, columns: Sequence[str]) -> None:
        """Lookups will ask for these columns. Once they have read enough of a large file, it is read meanwhile."""
        with self._lock:
            if meta.num_rows <= AT_ONCE or self._read.get(path, 0) < READ * meta.num_rows:
                return
            for name in columns:
                if name != "_w" or not self._counts_once(path, meta):
                    self._column(path, name, meta.num_rows)

    def find(
        self, path: str, meta: pq.FileMetaData, keys: Sequence[tuple[str, Wanted]], columns: Sequence[str]
    ) -> pa.Table | None:
        """The rows that have one of the values in one of the columns, each once; None where they are better read from the file:
        it has not been read enough, it is not sorted by the column, or they are too many. Of what is wanted in several columns
        at once there may be rows too many."""
        with self._lock:
            if self._read.get(path, 0) < READ * meta.num_rows:
                return None
            if not all(_searchable(values) for _, values in keys):
                return None
            if any((path, c) in self._unfit for c in columns):
                return None
            if path in self._read:
                self._read.move_to_end(path)
            found: list[Places] = []
            for name, values in keys:
                places = self._places(path, name, meta.num_rows, values)
                if places is None:
                    return None
                found.append(places)
            rows = found[0] if len(found) == 1 else np.unique(np.concatenate(found))
            return None if len(rows) > FOUND else self._taken(path, meta, pa.array(rows), columns)

    def drop(self, *paths: str) -> None:
        """Files are not looked up any more."""
        gone = set(paths)
        with self._lock:
            for path in gone:
                self._read.pop(path, None)
                self._once.pop(path, None)
            self._unfit = {k for k in self._unfit if k[0] not in gone}
            self._unsorted = {k for k in self._unsorted if k[0] not in gone}
            self._asked = {k: rows for k, rows in self._asked.items() if k[0] not in gone}
            for key in [k for k in self._columns if k[0] in gone]:
                self._forget(key)

    def settle(self) -> None:
        """Wait until all columns that were asked for are there."""
        while (loader := self._loader) is not None and loader.is_alive():
            loader.join()

    def close(self) -> None:
        """Nothing more is read, and nothing kept."""
        with self._lock:
            self._asked.clear()
        self.settle()
        with self._lock:
            self._read.clear()
            self._unfit.clear()
            self._unsorted.clear()
            for key in list(self._columns):
                self._forget(key)

    def _taken(self, path: str, meta: pq.FileMetaData, rows: pa.Array, columns: Sequence[str]) -> pa.Table | None:
        constant = "_w" if self._counts_once(path, meta) else None
        found = {n: c for n in columns if n != constant and (c := self._column(path, n, meta.num_rows)) is not None}
        if len(found) < len(columns) - (constant in columns):
            return None
        once = pa.repeat(pa.scalar(1, pa.int64()), len(rows))
        return pa.Table.from_arrays([once if n == constant else found[n].take(rows) for n in columns], names=list(columns))

    def _places(self, path: str, name: str, rows: int, values: Wanted) -> Places | None:
        """Where the values are. The last ones are remembered: the old and the new state of a table share its large file."""
        if isinstance(values, Together):
            return self._together(path, rows, values.rows)
        if not isinstance(values, Between) and not is_whole(values.type):
            return self._together(path, rows, pa.table({name: values}))
        if isinstance(values, Between):
            column = self._column(path, name, rows)
            hit = None if column is None else values.among(column).fill_null(False)
            return None if hit is None else np.flatnonzero(hit.to_numpy(zero_copy_only=False))
        known = self._last.get((path, name))
        if known is not None and known[0].equals(values):
            return known[1]
        ordered = self._ordered(path, name, rows)
        places = None if ordered is None else ordered.places(numbers_of(values.drop_null()), values.null_count > 0)
        if places is not None:
            self._last[path, name] = (values, places)
        return places

    def _together(self, path: str, rows: int, wanted: pa.Table) -> Places | None:
        """Where rows are that have the wanted values in all columns. Where the rows that a single column finds are not many more,
        it is enough."""
        for field in wanted.schema if wanted.num_columns > 1 else ():
            if is_whole(field.type) and (path, field.name) not in self._unsorted:
                places = self._places(path, field.name, rows, wanted.column(field.name).unique())
                if places is not None and len(places) <= ENOUGH * wanted.num_rows:
                    return places
        key = (path, "\0".join(("", *wanted.column_names)))  # no column is called so
        known = self._last.get(key)
        if known is not None and known[0].equals(wanted):
            return known[1]
        made = self._made(key, wanted.column_names, rows)
        places = None if made is None else Ascending(0, made.numbers).places(made.wanted(wanted), False)
        if places is not None:
            self._last[key] = (wanted, places)
        return places

    def _made(self, key: tuple[str, str], names: Sequence[str], rows: int) -> Packed | None:
        """Several columns as one; None if the file is not sorted by any of them, or they are yet to be read."""
        known = self._columns.get(key)
        if isinstance(known, Packed):
            self._columns.move_to_end(key)
            return known
        if key in self._unsorted or key in self._unfit:
            return None
        columns = {n: c for n in names if (c := self._column(key[0], n, rows)) is not None}
        if len(columns) < len(names):
            return None
        made = packed(columns)
        if made is None:
            self._unsorted.add(key)
            return None
        kept = self._keep(key, made)
        return kept if isinstance(kept, Packed) else None

    def _counts_once(self, path: str, meta: pq.FileMetaData) -> bool:
        if path not in self._once:
            self._once[path] = _all_once(meta)
        return self._once[path]

    def _ordered(self, path: str, name: str, rows: int) -> Ascending | None:
        key = (path, name)
        column = None if key in self._unsorted else self._column(path, name, rows)
        if column is None:
            return None
        if key not in self._sorted:
            made = ascending(column)
            if made is None:
                self._unsorted.add(key)
                return None
            self._sorted[key] = made
        return self._sorted[key]

    def _column(self, path: str, name: str, rows: int) -> pa.Array | None:
        """A column of a file; None if it is yet to be read, or there is no room for it."""
        key = (path, name)
        known = self._columns.get(key)
        if known is not None:
            self._columns.move_to_end(key)
            return known
        if key in self._unfit:
            return None
        if rows <= AT_ONCE:
            column = _whole_column(path, name, self._capacity)
            return column if self._keep(key, column) is not None else None
        if key != self._reading:
            self._asked[key] = rows
        if self._loader is None or not self._loader.is_alive():
            self._loader = threading.Thread(target=self._load, name="belvedere-columns", daemon=True)
            self._loader.start()
        return None

    def _load(self) -> None:
        """The loader's work: one column after the other, as long as there are some. Those of few rows come first, so that nobody
        waits for the largest file who asks for others."""
        while True:
            with self._lock:
                if not self._asked:
                    self._loader = None
                    return
                key = self._reading = min(self._asked, key=self._asked.__getitem__)
                del self._asked[key]
            column = None
            with suppress(OSError, pa.ArrowException, MemoryError):  # the file went meanwhile; who reads it next is told
                column = _whole_column(*key, self._capacity)
            with self._lock:
                self._keep(key, column)
                self._reading = None

    def _keep(self, key: tuple[str, str], column: pa.Array | Packed | None) -> pa.Array | Packed | None:
        """Make room for a column. Others of its file stay, since they are looked up together: if there is no room then, it is not
        tried again."""
        others = [k for k in self._columns if k[0] != key[0]]
        beside = self._bytes - sum(self._columns[k].nbytes for k in others)
        if column is None or beside + column.nbytes > self._capacity:
            self._unfit.add(key)
            return None
        for other in others:
            if self._bytes + column.nbytes <= self._capacity:
                break
            self._forget(other)
        self._columns[key] = column
        self._bytes += column.nbytes
        return column

    def _forget(self, key: tuple[str, str]) -> None:
        self._bytes -= self._columns.pop(key).nbytes
        self._sorted.pop(key, None)
        self._last.pop(key, None)


def hot_capacity(limit: str | None = None) -> int:
    """A part of a limit such as "4GB", or of the memory that the machine has.

    >>> hot_capacity("4 GiB"), hot_capacity("800MB")
    (536870912, 100000000)
    """
    if limit is None:
        return _memory() // PART
    found = re.fullmatch(r"\s*([\d.]+)\s*([KMGT])(i?)B\s*", limit, re.IGNORECASE)
    if found is None:
        raise ValueError(f"{limit!r} is no size, such as 500MB or 4GB")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** (" KMGT".index(unit.upper()))) // PART


def _memory() -> int:
    """What the machine has, or what a container may take of it."""
    least = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(place) as file:  # there is none, or it says "max"
            least = min(least, int(file.read()))
    return least


def _whole_column(path: str, name: str, most: int) -> pa.Array | None:
    """A column of a file, read piece by piece; None if it takes more memory than it may."""
    parts: list[pa.Array] = []
    with pq.ParquetFile(path) as file:
        for first in range(0, file.num_row_groups, PIECE):
            groups = list(range(first, min(first + PIECE, file.num_row_groups)))
            parts += file.read_row_groups(groups, [name], use_threads=False).column(0).chunks
            if sum(p.nbytes for p in parts) > most:
                return None
        kind = file.schema_arrow.field(name).type
    return parts[0] if len(parts) == 1 else pa.concat_arrays(parts or [pa.array([], kind)])


def _searchable(values: Wanted) -> bool:
    match values:
        case Between():
            return True
        case Together(rows=rows):
            return all(can_pack(f.type) for f in rows.schema)
        case _:
            return can_pack(values.type)


def _all_once(meta: pq.FileMetaData) -> bool:
    """Whether every row counts once, as the footer tells."""
    place = next((i for i in range(meta.num_columns) if meta.schema.column(i).path == "_w"), None)
    if place is None:
        return False
    chunks = [meta.row_group(g).column(place) for g in range(meta.num_row_groups)]
    return all(c.is_stats_set and c.statistics.has_min_max and c.statistics.min == c.statistics.max == 1 for c in chunks)
