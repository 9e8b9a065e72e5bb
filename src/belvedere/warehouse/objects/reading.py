"""Rows of class and link tables, found by the values of some columns, as the transaction sees them.

Small tables are looked at in memory, where a lookup takes a fraction of what a statement takes; others by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.ops import Get
from belvedere.algebra.types import to_arrow
from belvedere.changes.zset import consolidate, expand, weighted
from belvedere.engines.scan import Scan
from belvedere.store.model import Collection
from belvedere.warehouse.lookup import matching
from belvedere.warehouse.resolve import Resolver, fitted, has_deletes

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

#: up to so many stored rows a table is small
SMALL_TABLE = 50_000


def find(tx: Transaction, c: Collection, given: Mapping[str, Iterable[Any]], columns: Sequence[str] | None = None) -> pa.Table:
    """The rows that agree with one of the given combinations of values; only some columns if asked."""
    names, read = list(given), list(columns or c.schema.names)
    asked = pa.table({n: pa.array(v, to_arrow(c.schema[n].type)) for n, v in given.items()})
    if not asked.num_rows:
        return pa.schema([pa.field(n, to_arrow(c.schema[n].type)) for n in read]).empty_table()
    resolver = Resolver(tx.core.store, until=tx.commit.base, overlay=tx.overlay)
    scan = resolver(Get(c.name, c.schema, c.schema.names, by=tuple(names)))
    if scan.rows <= SMALL_TABLE and not scan.negative:
        tx.commit.touch([c.name])
        return _in_memory(tx, c, scan, asked, read)
    return expand(matching(tx, c, weighted(asked.group_by(names).aggregate([])), names, columns=read))


def whole(tx: Transaction, c: Collection, columns: Sequence[str]) -> pa.Table:
    """All rows, in some of their columns."""
    return expand(tx.evaluate(Get(c.name, c.schema.select(tuple(columns)), tuple(columns))))


def _in_memory(tx: Transaction, c: Collection, scan: Scan, asked: pa.Table, read: list[str]) -> pa.Table:
    runs = [fitted(tx.core.small_runs.read(f), c) for f in scan.files]
    columns = [f"c{c.schema[n].id}" for n in read]
    found = [_agreeing(t, c, asked).select([*columns, "_w"]) for t in (*runs, *scan.tables)]
    rows = pa.concat_tables([c.physical.empty_table().select([*columns, "_w"]), *found]).rename_columns([*read, "_w"])
    return expand(consolidate(rows) if has_deletes(rows) else rows)


def _agreeing(table: pa.Table, c: Collection, asked: pa.Table) -> pa.Table:
    """The rows of a run that agree with a row of `asked`."""
    for n in asked.column_names:
        table = table.filter(pc.is_in(table[f"c{c.schema[n].id}"], value_set=asked[n].combine_chunks()))
    if len(asked.column_names) == 1 or not table.num_rows:
        return table
    wanted = set(zip(*(asked[n].to_pylist() for n in asked.column_names), strict=True))
    held = zip(*(table[f"c{c.schema[n].id}"].to_pylist() for n in asked.column_names), strict=True)
    return table.filter(pa.array([h in wanted for h in held], pa.bool_()))
