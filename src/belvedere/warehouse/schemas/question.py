"""A SchemaSQL query that is asked once: fragments made to a relation without being stored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Consolidate, Filter
from belvedere.algebra.scalar import col, is_null, negation
from belvedere.errors import InvalidView, Unsupported
from belvedere.languages.schemasql.bound import SchemaBound
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.fragments import as_text, violated
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import wide, with_names
from belvedere.warehouse.schemas.validity import collision

if TYPE_CHECKING:
    from belvedere.warehouse.core import Core


def answer(core: Core, bound: SchemaBound, resolver: Resolver) -> tuple[Node, tuple[str, ...]]:
    """The relation that a query makes, and its columns. Its columns may come from data, so some of that is read first."""
    layout = bound.layout
    if layout.relation is not None:
        raise Unsupported("this makes a relation for each name in the data; create a view of it, and read its relations")
    node = with_names(as_text(bound.node, layout, bound.dictionaries), bound.dictionaries)
    outline = Outline(layout, {})
    if layout.pivot is not None:
        pivot = col(node.schema[layout.pivot])
        names = Aggregate(Filter(node, negation(is_null(pivot))), ((layout.pivot, pivot),), ())
        table, _ = core.small().run(names, resolver, measured=False)
        outline = replace(outline, pivots=tuple(table.column(0).to_pylist()))
        bad, _ = core.small().run(Consolidate(violated(node, layout)), resolver, measured=False)
        if bad.num_rows:
            key = bad.slice(0, 1).drop_columns(["_w"]).to_pylist()[0]
            raise InvalidView("one cell has more than one value: " + ", ".join(f"{n}={v!r}" for n, v in key.items()))
    if (both := collision(outline)) is not None:
        raise InvalidView(both)
    return wide(node, layout, outline.pivot_names()), outline.columns()
