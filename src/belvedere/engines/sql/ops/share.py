"""Share → one relation, made once, read wherever the name appears. Computed once where the engine can be told so."""

from __future__ import annotations

from belvedere.algebra.ops import Share
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering


def lower(node: Share, to: Lowering) -> Block:
    known = to.shares.get(node.name)
    if known is None:
        block = to.close(to.block(node.input), node.name, materialized=to.dialect.materializes)
        to.shares[node.name] = (block.alias, block)
        return block
    name, first = known
    return to.read(
        name, node.schema, weighted=first.weight is not None, positive=first.positive, distinct=first.distinct,
        alias=to.names.fresh(name), key=first.key,
    )  # fmt: skip
