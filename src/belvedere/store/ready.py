"""Rows as a run of their collection has them: its columns and types, its order, and what is known of them.

A refresh of many views adds a few rows to many collections, most of them of a few forms. Those of one form are brought into order
and looked at as one table: each step costs more than the rows do, and is taken once for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from belvedere.errors import StoreError
from belvedere.store.inlined import encode, encode_part
from belvedere.store.model import Collection
from belvedere.store.parquet import conform, sort_rows
from belvedere.store.physical import WEIGHT
from belvedere.store.stats import EXACT_ROWS, exact_stats, stats_of_parts

FEW = 64
"""So few weights are counted faster in Python."""
MEMBER = "member"
Rows = tuple[Collection, pa.Table]
#: by row, which of several collections it is of
Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ready:
    """Rows in their collection's layout and order."""

    collection: Collection
    rows: pa.Table
    deletes: int
    #: None where there are many: the footer of their file tells
    stats: dict[str, Any] | None
    #: the rows as the catalog keeps them, if they are few enough for that
    body: bytes | None


def make_ready(wanted: Sequence[Rows], few: int) -> list[Ready]:
    """The rows of each collection; a StoreError if they do not fit it, or if a weight is none. Rows of up to `few` bytes are kept
    in the catalog."""
    fitted = [(c, conform(c, table)) for c, table in wanted]
    made: dict[int, Ready] = {}
    for places in _forms(fitted):
        rows = [fitted[at] for at in places]
        made.update(zip(places, _as_one(rows, few) or [_by_itself(c, table, few) for c, table in rows], strict=True))
    return [made[at] for at in range(len(fitted))]


def in_order(collection: Collection, rows: pa.Table, few: int) -> Ready:
    """The same of rows that are in their layout and order already."""
    body = encode(rows) if rows.nbytes <= few else None
    stats = exact_stats(rows) if rows.num_rows <= EXACT_ROWS or body is not None else None
    return Ready(collection, rows, _deletes(collection, rows.column(WEIGHT)), stats, body)


def _by_itself(collection: Collection, table: pa.Table, few: int) -> Ready:
    return in_order(collection, _alone(sort_rows(table, collection.sort)), few)


def form_of(collection: Collection) -> Hashable:
    """What collections have in common whose rows can be made ready as one table."""
    return collection.layout, collection.sort


def _forms(fitted: Sequence[Rows]) -> list[list[int]]:
    """The places of collections of one form; what is empty, or too large to be looked at value by value, is alone."""
    forms: dict[Any, list[int]] = {}
    for at, (c, table) in enumerate(fitted):
        forms.setdefault(form_of(c) if 0 < table.num_rows <= EXACT_ROWS else at, []).append(at)
    return list(forms.values())


def _as_one(rows: Sequence[Rows], few: int) -> list[Ready] | None:
    """Of rows of one form; None if they are those of one collection, or if a weight is wrong, which one of them is told."""
    if len(rows) < 2:
        return None
    whole = pa.concat_tables([table for _, table in rows])
    numbers = np.repeat(np.arange(len(rows)), [table.num_rows for _, table in rows])
    return in_parts([c for c, _ in rows], whole, numbers, few)


def in_parts(collections: Sequence[Collection], rows: pa.Table, numbers: Numbers, few: int) -> list[Ready] | None:
    """Rows of collections of one form, each of which has some; by row, which of them it is of. None if a weight is wrong."""
    first = collections[0]
    [batch] = sort_rows(rows.append_column(MEMBER, pa.array(numbers)), first.sort, first=[MEMBER]).combine_chunks().to_batches()
    weights = batch.column(WEIGHT)
    if weights.null_count or not (weights := weights.to_numpy()).all():
        return None
    counts = np.bincount(numbers)
    starts = np.cumsum(counts) - counts
    deletes = np.add.reduceat(weights < 0, starts, dtype=np.int64).tolist()
    batch = pa.RecordBatch.from_arrays(batch.columns[:-1], schema=first.physical)
    stats, nested = stats_of_parts(batch, starts), any(pa.types.is_nested(f.type) for f in first.physical)
    made = []
    for n, c in enumerate(collections):
        part = batch.slice(starts[n], counts[n])
        if nested:  # what is within a list is not cut with it
            part = part.take(pa.array(range(counts[n]), pa.int64()))
        body, alone = encode_part(first.layout, part, few)
        made.append(Ready(c, alone, deletes[n], stats[n], body))
    return made


def _alone(table: pa.Table) -> pa.Table:
    """Not as a part of a larger one, all of which would be held in memory for it."""
    return table if table.get_total_buffer_size() <= 2 * table.nbytes else table.take(pa.array(range(table.num_rows), pa.int64()))


def _deletes(collection: Collection, weights: pa.ChunkedArray) -> int:
    """How many rows go."""
    few = weights.to_pylist() if len(weights) <= FEW else None
    if weights.null_count or (0 in few if few is not None else pc.any(pc.equal(weights, 0)).as_py()):
        raise StoreError(
            f"rows for {collection.name!r} have a weight that is 0 or NULL; a weight says how many times a row comes or goes"
        )
    return sum(w < 0 for w in few) if few is not None else int(pc.sum(pc.less(weights, 0)).as_py() or 0)
