"""Get → a relation of the WITH clause whose text the engine fills in: files and in-memory runs of one collection.

Each leaf has a relation of its own, even where two read the same collection: an engine would compute a shared one whole,
and none of the lookups could prune it.
"""

from __future__ import annotations

from belvedere.algebra.ops import Get
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.statement import Slot


def lower(node: Get, to: Lowering) -> Block:
    leaf = to.leaf(node)
    name = to.names.fresh(node.name if node.version == "new" else f"{node.name}_{node.version}")
    columns = tuple((source, to.names.column(c.name)) for c, source in zip(node.schema, node.columns, strict=True))
    to.define(name, Slot(name, node, columns), name=name)
    visible = {source: c.name for c, source in zip(node.schema, node.columns, strict=True)}
    key = [visible[k] for k in leaf.key] if visible.keys() >= set(leaf.key) else []
    return to.read(name, node.schema, weighted=True, positive=leaf.positive or leaf.consolidated, distinct=False, key=key)
