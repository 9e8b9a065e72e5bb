"""Columns that ascend, for bisection: some values are found in them without looking at all rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

#: a value that is there more often is searched for from its other end, too
STEPS = 16
#: in so many values all ends are found at once
NEAR = 65_536
#: a lookup that finds more rows is left to who reads by row groups
FOUND = 131_072
#: values that are tried first, and how much too many rows all of them would have to find by those
SAMPLE, FAR = 64, 1.25
#: bytes of columns of which is known that they ascend
CAPACITY = 32 << 20

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ascending:
    """A column that ascends, NULLs first, as numbers."""

    nulls: int
    values: npt.NDArray[Any]

    def places(self, wanted: npt.NDArray[np.int64], null: bool) -> Places | None:
        """Where the wanted values are, in order; None if they are too many."""
        if self.values.dtype != wanted.dtype:
            # of another type, the whole column would be converted
            bounds = np.iinfo(self.values.dtype)
            wanted = wanted[(wanted >= bounds.min) & (wanted <= bounds.max)].astype(self.values.dtype)
        wanted = np.sort(wanted)  # neighbours are found in the same lines of memory
        if self._seem_many(wanted):
            return None
        low = np.searchsorted(self.values, wanted, "left")
        count = self._counts(low, wanted)
        low = low + self.nulls
        if null and self.nulls:
            low, count = np.append(low, 0), np.append(count, self.nulls)
        total = int(count.sum())
        if total > FOUND:
            return None
        before = np.cumsum(count) - count
        return np.asarray(np.repeat(low - before, count) + np.arange(total), dtype=np.int64)

    def _seem_many(self, wanted: npt.NDArray[Any]) -> bool:
        """Whether a few of the values are there so often that all of them must be found too often, by far."""
        if len(self.values) <= FOUND:
            return False
        some = wanted[:: max(1, len(wanted) // SAMPLE)]
        found = np.searchsorted(self.values, some, "right") - np.searchsorted(self.values, some, "left")
        return len(some) > 0 and float(found.mean()) * len(wanted) > FAR * FOUND

    def _counts(self, low: Places, wanted: npt.NDArray[Any]) -> Places:
        """How often each value is there: most are a few times, and those lie side by side."""
        if len(self.values) <= NEAR:
            return np.asarray(np.searchsorted(self.values, wanted, "right") - low)
        count = np.zeros(len(wanted), np.int64)
        left = np.arange(len(wanted))
        for step in range(STEPS):
            at = low[left] + step
            inside = at < len(self.values)
            left, at = left[inside], at[inside]
            left = left[self.values[at] == wanted[left]]
            if not len(left):
                return count
            count[left] += 1
        count[left] = np.searchsorted(self.values, wanted[left], "right") - low[left]
        return count


class InOrder:
    """Which columns of rows that lie in memory ascend. The rows at a place never change, so that is found out once. Safe to use
    from several threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._bytes = 0
        self._known: OrderedDict[tuple[str, int, str], Ascending | None] = OrderedDict()
        self._lock = threading.Lock()

    def find(
        self, path: str, part: int, table: pa.Table, columns: Sequence[str], name: str, values: pa.Array
    ) -> pa.Table | None:
        """These columns, as far as they are there, of the rows of a part of a file that have one of the values in a column; None
        if it does not ascend, is not of whole numbers, or they are too many."""
        there = table.column_names
        if name not in there or not is_whole(values.type):
            return None
        ordered = self._ordered((path, part, name), table)
        places = None if ordered is None else ordered.places(numbers_of(values.drop_null()), values.null_count > 0)
        return None if places is None else table.select([c for c in columns if c in there]).take(pa.array(places))

    def ascends(self, path: str, part: int, table: pa.Table, name: str) -> bool:
        """Whether rows are found by bisection in a column of a part of a file."""
        return name in table.column_names and self._ordered((path, part, name), table) is not None

    def drop(self, paths: Container[str]) -> None:
        """These files are not read any more."""
        with self._lock:
            for key in [k for k in self._known if k[0] in paths]:
                self._forget(key)

    def _ordered(self, key: tuple[str, int, str], table: pa.Table) -> Ascending | None:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        column = table.column(key[2])
        made = ascending(column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks))
        with self._lock:
            if key not in self._known:
                self._known[key] = made
                self._bytes += _size(made)
            while self._bytes > self._capacity and len(self._known) > 1:
                self._forget(next(iter(self._known)))
        return made

    def _forget(self, key: tuple[str, int, str]) -> None:
        self._bytes -= _size(self._known.pop(key))


def _size(column: Ascending | None) -> int:
    return 64 if column is None else 64 + column.values.nbytes


def is_whole(t: pa.DataType) -> bool:
    return bool(pa.types.is_integer(t) or pa.types.is_date32(t))


def numbers_of(values: pa.Array) -> npt.NDArray[np.int64]:
    whole = values.view(pa.int32()) if pa.types.is_date32(values.type) else values
    return np.asarray(whole.to_numpy(zero_copy_only=False)).astype(np.int64)


def ascending(column: pa.Array) -> Ascending | None:
    """The column for bisection; None if it is not of whole numbers or days, or does not ascend."""
    if not is_whole(column.type):
        return None
    nulls = column.null_count
    if nulls and pc.any(column.slice(0, nulls).is_valid()).as_py():
        return None
    rest = column.slice(nulls)
    values = (rest.view(pa.int32()) if pa.types.is_date32(rest.type) else rest).to_numpy(zero_copy_only=False)
    return Ascending(nulls, values) if bool(np.all(values[:-1] <= values[1:])) else None
