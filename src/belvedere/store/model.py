"""What the store holds: collections, and the runs that their content is made of. Values only; nothing here touches a disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from belvedere.algebra.types import Schema
from belvedere.store.physical import physical_schema

Bytes = bytes  # a run has a field of that name

SMALL = 8192
"""Runs with fewer rows are read whole, so one file of them serves every sort order."""


@dataclass(frozen=True)
class Run:
    """Weighted rows that never change: a Parquet file or, if they are few, a value in the catalog (`store/inlined.py`).

    Visible at an epoch e when `epoch_from <= e` and (`epoch_to` is None or `e < epoch_to`). `arrangement` holds the ids of
    the columns it is sorted for; None means small, good for every order. Runs of one `group` hold the same rows in
    different orders; a reader takes one of each group. Before its transaction is published a run has a negative id.

    `stats` is JSON. Per column id, as a string: `{"min", "max", "nulls", "values"}`, where `values` (all distinct
    values, without NULL) is there when there are at most 32 of them and the run has at most 10,000 rows; larger runs have
    the bounds of the Parquet footer only. Integers and booleans stand for themselves, decimals and dates are strings
    (`"12.50"`, `"2026-11-15"`), strings appear when no value is longer than 64 characters. Other keys come from the writer.
    """

    id: int
    collection: int
    path: str
    rows: int
    deletes: int
    bytes: int
    epoch_from: int
    epoch_to: int | None
    delta: bool
    arrangement: tuple[int, ...] | None
    stats: dict[str, Any] = field(default_factory=dict, hash=False)
    group: int = 0
    #: of a run that is yet to be published: its rows, if the catalog is to keep them
    body: Bytes | None = field(default=None, compare=False, repr=False)

    def serves(self, order: tuple[int, ...]) -> bool:
        """Whether a lookup by these leading columns finds its rows together in this run."""
        return self.arrangement is None or self.arrangement[: len(order)] == order


@dataclass(frozen=True)
class Collection:
    """A table, a view's result or a hidden stage: columns with permanent ids, and how its runs are sorted."""

    id: int
    name: str
    kind: str
    schema: Schema
    key: tuple[int, ...] = ()
    sort: tuple[int, ...] = ()
    arrangements: tuple[tuple[int, ...], ...] = ()
    next_id: int = 1
    properties: dict[str, Any] = field(default_factory=dict, hash=False)
    version: int = field(default=0, compare=False)

    @cached_property
    def physical(self) -> pa.Schema:
        """The Arrow schema of its files: `c<id>` fields with field ids, then `_w`."""
        return physical_schema(self.schema)

    @cached_property
    def layout(self) -> bytes:
        """The same as a message in Arrow's format."""
        return bytes(self.physical.serialize())

    def column_ids(self) -> frozenset[int]:
        return frozenset(c.id for c in self.schema)

    def with_version(self, epoch: int) -> Collection:
        return replace(self, version=epoch)


def choose(runs: list[Run], primary: tuple[int, ...], order: tuple[int, ...] | None) -> list[Run]:
    """One run of each group: sorted for `order` where that is built, else for the primary order, else any."""

    def rank(run: Run) -> tuple[bool, bool, int]:
        return (order is not None and not run.serves(order), not run.serves(primary), run.id)

    best: dict[int, Run] = {}
    for run in runs:
        kept = best.get(run.group)
        if kept is None or rank(run) < rank(kept):
            best[run.group] = run
    return list(best.values())
