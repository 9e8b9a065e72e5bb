"""Rows of a table that agree with given ones, found by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get
from belvedere.algebra.scalar import col
from belvedere.algebra.types import Column, Schema
from belvedere.engines.arrow import arrow_schema
from belvedere.engines.scan import Scan
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import restrict
from belvedere.store.model import Collection
from belvedere.warehouse.resolve import Resolver

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

#: the name under which the given rows stand in the plan; no collection can have it
GIVEN = "\x00given"


def matching(
    tx: Transaction, c: Collection, given: pa.Table, names: list[str], columns: Sequence[str] | None = None,
    *, before: bool = False,
) -> pa.Table:  # fmt: skip
    """The rows of the table, as the transaction sees it, that agree with a given row in these columns; NULL equals NULL.

    `columns` are those to read, all if None; the ones looked up by must be among them. `before` leaves out the
    rows that the transaction holds in memory.
    """
    fresh = tuple(f"given{i}" for i in range(len(names)))
    schema = Schema(tuple(Column(f, c.schema[n].type, i + 1) for i, (f, n) in enumerate(zip(fresh, names, strict=True))))
    read = c.schema.names if columns is None else tuple(columns)
    leaf = Get(c.name, c.schema.select(read), read)
    change = Change.of(leaf, frozenset())
    keys = change.share(Get(GIVEN, schema, schema.names), "given")
    pairs = [(col(c.schema[n]), f) for n, f in zip(names, fresh, strict=True)]
    node: Node = Consolidate(restrict(leaf, keys, pairs, change))
    renamed = given.select([*names, "_w"]).rename_columns([f"c{i + 1}" for i in range(len(names))] + ["_w"])
    overlay = replace(tx.overlay, tables={n: t for n, t in tx.overlay.tables.items() if n != c.name}) if before else tx.overlay
    inner = Resolver(tx.core.store, until=tx.commit.base, overlay=overlay)

    def resolve(get: Get) -> Scan:
        if get.name == GIVEN:
            return Scan(schema=schema, tables=(renamed,), rows=renamed.num_rows)
        return inner(get)

    tx.commit.touch([c.name])
    if inner(leaf).is_empty:
        return arrow_schema(leaf.schema).empty_table()
    table, _ = tx.core.small().run(node, resolve, measured=False)
    return table
