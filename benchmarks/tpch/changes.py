"""Changes as data, so that one batch can be applied to a warehouse and to a plain database alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa


@dataclass(frozen=True)
class Insert:
    """New rows."""

    table: str
    rows: pa.Table


@dataclass(frozen=True)
class Replace:
    """Rows that take the place of those with the same key."""

    table: str
    rows: pa.Table


@dataclass(frozen=True)
class Delete:
    """The rows with these keys go; `keys` has the key columns only."""

    table: str
    keys: pa.Table


@dataclass(frozen=True)
class Assign:
    """Column → expression, for the rows that a condition selects; both in Spark's SQL."""

    table: str
    values: Mapping[str, str]
    where: str


Change: TypeAlias = Insert | Replace | Delete | Assign


@dataclass(frozen=True)
class Batch:
    """One transaction."""

    name: str
    changes: tuple[Change, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.table for c in self.changes))


def send(warehouse: Any, batch: Batch) -> None:
    """Apply a batch to a warehouse as one transaction."""
    with warehouse.transaction() as tx:
        for change in batch.changes:
            match change:
                case Insert(table, rows):
                    tx.insert(table, rows)
                case Replace(table, rows):
                    tx.merge(table, rows)
                case Delete(table, keys):
                    tx.delete(table, key=[tuple(row.values()) for row in keys.to_pylist()])
                case Assign(table, values, where):
                    tx.update(table, dict(values), where=where)
