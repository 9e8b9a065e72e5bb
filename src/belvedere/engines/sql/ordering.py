"""ORDER BY as Spark means it, with ties broken by the other columns so that the order is a function of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from belvedere.algebra.ops import SortKey
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def order_by(
    block: Block, order: Sequence[SortKey], to: Lowering, *, ties: bool, skip: frozenset[str] = frozenset()
) -> list[exp.Expr]:
    """The keys of an ORDER BY; with `ties`, followed by all other columns except those to skip."""
    keys = []
    used = set(skip)
    for k in order:
        value = to.dialect.orderable(block.value(k.column), block.schema[k.column].type, to.names)
        keys.append(to.dialect.order_key(value, descending=k.descending, nulls_first=k.nulls_first))
        used.add(k.column)
    if ties:
        rest = [c for c in block.schema if c.name not in used]
        keys += [to.dialect.order_key(to.dialect.orderable(block.value(c.name), c.type, to.names)) for c in rest]
    return keys
