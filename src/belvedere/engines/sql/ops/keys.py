"""Keys → SELECT DISTINCT, whatever the weights; a plain SELECT where they are a key already."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.ops import Keys
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Keys, to: Lowering) -> Block:
    rows = to.careful(to.block(node.input), (s for _, s in node.items))
    block = to.plain(rows, "computed", {c for _, s in node.items for c in s.columns})
    items = [
        (c, to.dialect.groupable(to.scalar(s, block), c.type, to.names))
        for c, (_, s) in zip(node.schema, node.items, strict=True)
    ]
    chosen = replace(to.project(block, items), weight=None)
    if chosen.is_unique:
        return replace(chosen, positive=True, distinct=True)
    rows = to.plain(chosen, "keys", node.schema.names)
    return to.grouped(rows, node.schema.names, (), "keys")
