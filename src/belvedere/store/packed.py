"""Several columns of a file as one column of numbers, for lookups by all of them at once.

A file is sorted by some columns in turn, and rows that agree in the first of them may be many, while those that agree in all
are few. Each value of a column gets a number by its order among those that the column has, NULL before all others; the numbers
of a row, put together, ascend where its columns do. So one bisection finds the rows that have some values in all of them. That
the numbers ascend is looked at, not assumed: what is not sorted this way is left to others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]

#: numbers must fit into 64 bits, with their sign
MOST = 1 << 62


@dataclass(frozen=True)
class _Days:
    """Whole numbers and days: their distance from the least."""

    low: int
    size: int

    def of(self, values: pa.Array) -> Numbers:
        """The numbers of some values; less than 0 where the column has no such value."""
        found = _whole(values)
        outside = (found < self.low) | (found > self.low + self.size - 2)
        return np.where(_nulls(values), 0, np.where(outside, -1, found - self.low + 1))


@dataclass(frozen=True)
class _Texts:
    """Text: the place among all texts of the column, in their order."""

    texts: pa.Array

    @property
    def size(self) -> int:
        return len(self.texts) + 1

    def of(self, values: pa.Array) -> Numbers:
        found = pc.index_in(values, value_set=self.texts).fill_null(-2).to_numpy(zero_copy_only=False).astype(np.int64) + 1
        return np.where(_nulls(values), 0, found)


@dataclass(frozen=True)
class Packed:
    """The numbers of a file's rows, ascending, and how those of its columns are made and put together."""

    numbers: Numbers
    columns: Mapping[str, _Days | _Texts]

    @property
    def nbytes(self) -> int:
        return int(self.numbers.nbytes + sum(c.texts.nbytes for c in self.columns.values() if isinstance(c, _Texts)))

    def wanted(self, rows: pa.Table) -> Numbers:
        """The numbers of rows that are looked up, as far as the columns have their values."""
        total, there = np.zeros(rows.num_rows, np.int64), np.ones(rows.num_rows, bool)
        for name, column in self.columns.items():
            numbers = column.of(_one(rows.column(name)))
            there &= numbers >= 0
            total = total * column.size + numbers
        return np.unique(total[there])


def packed(columns: Mapping[str, pa.Array]) -> Packed | None:
    """As many of the columns as the rows are sorted by, one after the other; None if they are sorted by none of them."""
    left = {name: made for name, column in columns.items() if (made := _coded(column)) is not None}
    total: Numbers | None = None
    taken: dict[str, _Days | _Texts] = {}
    size = 1
    while left:
        for name, (column, numbers) in left.items():
            if size * column.size < MOST:
                tried = numbers if total is None else total * column.size + numbers
                if bool(np.all(tried[:-1] <= tried[1:])):
                    total, taken[name], size = tried, column, size * column.size
                    del left[name]
                    break
        else:
            break
    return None if total is None else Packed(total, taken)


def can_pack(t: pa.DataType) -> bool:
    return bool(pa.types.is_integer(t) or pa.types.is_date32(t) or pa.types.is_string(t))


def _coded(column: pa.Array) -> tuple[_Days | _Texts, Numbers] | None:
    """How the numbers of a column are made, and those of its rows."""
    if not can_pack(column.type):
        return None
    if pa.types.is_string(column.type):
        encoded = column.dictionary_encode()
        order = pc.sort_indices(encoded.dictionary).to_numpy()
        ranks = np.empty(len(order) + 1, np.int64)
        ranks[order] = np.arange(1, len(order) + 1)
        ranks[-1] = 0  # of NULL
        places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
        return _Texts(encoded.dictionary.take(pa.array(order))), ranks[places]
    ends = pc.min_max(column.view(pa.int32()) if pa.types.is_date32(column.type) else column)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    made = _Days(low or 0, (high or 0) - (low or 0) + 2)
    if made.size >= MOST or not -MOST < made.low < MOST:
        return None
    return made, made.of(column)


def _nulls(values: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(values.is_null().to_numpy(zero_copy_only=False))


def _whole(values: pa.Array) -> Numbers:
    """Numbers of 64 bits, 0 for NULL."""
    plain: Any = values.view(pa.int32()) if pa.types.is_date32(values.type) else values
    return np.asarray(plain.fill_null(0).to_numpy(zero_copy_only=False)).astype(np.int64)


def _one(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    return values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(values.chunks or [pa.array([], values.type)])
