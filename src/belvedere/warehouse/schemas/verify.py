"""Does a SchemaSQL view equal its recomputation? Relations, columns and rows, as a reader sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Consolidate, Filter, Negate, UnionAll
from belvedere.algebra.scalar import col, is_null, negation
from belvedere.changes.zset import difference, negate, negative, positive
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.fragments import as_text
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import fragments_of, wide, with_names
from belvedere.warehouse.verify import FLOAT_TOLERANCE, Verification

if TYPE_CHECKING:
    from belvedere.store.model import Collection
    from belvedere.warehouse.core import Core
    from belvedere.warehouse.definition import Definition


def verify_schema(core: Core, d: Definition, outline: Outline, stored: Collection, epoch: int, engine: str) -> Verification:
    """Everything is made again from the definition: fragments, names, relations. While the view is invalid it has no relations,
    and its fragments are compared as they are."""
    assert d.schema is not None
    layout, resolver = d.schema.layout, Resolver(core.store, until=epoch)
    again = with_names(as_text(d.schema.bound.node, layout, d.schema.dictionaries), d.schema.dictionaries)
    kept = with_names(fragments_of(stored), outline.dictionaries)
    pairs = [(layout.relation, outline.relation_names()), (layout.pivot, outline.pivot_names())]
    names: set[str] = set()
    missing: list[str] = []
    extra: list[str] = []
    for column, known in pairs:
        if column is not None:
            found = set(_values(core, again, column, resolver, engine))
            missing += sorted(found - set(known))
            extra += sorted(set(known) - found)
            names |= (found | set(known)) if column == layout.pivot else set()
    if missing or extra:
        return Verification(d.name, epoch, engine, _named(missing), _named(extra))
    if outline.invalid is None:
        pivots = sorted(names)
        again, kept = (wide(n, layout, pivots, by_relation=True) for n in (again, kept))
        shown = [*(["relation"] if layout.relation is not None else []), *outline.columns()]
    else:
        shown = list(again.schema.names)
    table, _ = core.engine(engine).run(Consolidate(UnionAll((again, Negate(kept)))), resolver, measured=False)
    gained, lost = positive(table), negate(negative(table))
    if table.num_rows and any(pa.types.is_floating(f.type) or pa.types.is_nested(f.type) for f in table.schema):
        gained, lost = difference(gained, lost, tolerance=FLOAT_TOLERANCE)
    return Verification(d.name, epoch, engine, gained.rename_columns([*shown, "_w"]), lost.rename_columns([*shown, "_w"]))


def _values(core: Core, node: Node, column: str, resolver: Resolver, engine: str) -> list[str]:
    """The names that stand in a column of the fragments."""
    value = col(node.schema[column])
    distinct = Aggregate(Filter(node, negation(is_null(value))), ((column, value),), ())
    table, _ = core.engine(engine).run(distinct, resolver, measured=False)
    values: list[str] = table.column(0).to_pylist()
    return values


def _named(names: list[str]) -> pa.Table:
    return pa.table({"name": pa.array(names, pa.string()), "_w": pa.array([1] * len(names), pa.int64())})
