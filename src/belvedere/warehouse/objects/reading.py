"""Rows of class and link tables, found by the values of some columns, as the transaction sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.algebra.types import to_arrow
from belvedere.changes.zset import expand, weighted
from belvedere.store.model import Collection
from belvedere.warehouse.lookup import matching

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction


def find(tx: Transaction, c: Collection, given: Mapping[str, Iterable[Any]], columns: Sequence[str] | None = None) -> pa.Table:
    """The rows that agree with one of the given combinations of values; only some columns if asked."""
    asked = pa.table({n: pa.array(v, to_arrow(c.schema[n].type)) for n, v in given.items()})
    if not asked.num_rows:
        return pa.schema([pa.field(n, to_arrow(c.schema[n].type)) for n in columns or c.schema.names]).empty_table()
    names = list(given)
    found = matching(tx, c, weighted(asked.group_by(names).aggregate([])), names, columns=columns)
    return expand(found)


def whole(tx: Transaction, c: Collection, columns: Sequence[str]) -> pa.Table:
    """All rows, in some of their columns."""
    return expand(tx.evaluate(Get(c.name, c.schema.select(tuple(columns)), tuple(columns))))
