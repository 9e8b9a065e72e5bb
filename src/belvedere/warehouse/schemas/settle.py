"""The end of a refresh of a SchemaSQL view: which names are there now, is the view valid, and what of its schema changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.algebra.ops import Consolidate, Get
from belvedere.store.model import Collection
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.schemas import validity
from belvedere.warehouse.schemas.fragments import PIVOTS, RELATIONS, VIOLATIONS, Schematic, count_columns, stage_name
from belvedere.warehouse.schemas.history import schema_changes
from belvedere.warehouse.schemas.outline import KIND, Outline, Raw

if TYPE_CHECKING:
    from belvedere.store.commit import Commit
    from belvedere.warehouse.core import Core
    from belvedere.warehouse.registry import Registry


def settle(core: Core, registry: Registry, commit: Commit, overlay: Overlay, schema: Schematic, why: str) -> Outline:
    """Write the outline that the stages in this commit make, and the history of the schema. Reads the small stages that were
    touched, and nothing if none was."""
    view = schema.view
    before = registry.outline(view)
    resolver = Resolver(core.store, until=commit.base, overlay=overlay)
    made = Outline(schema.layout, schema.dictionaries)
    if schema.layout.relation is not None:
        made = replace(made, relations=_present(core, registry, resolver, schema, RELATIONS, schema.layout.relation, before))
    if schema.layout.pivot is not None:
        made = replace(made, pivots=_present(core, registry, resolver, schema, PIVOTS, schema.layout.pivot, before))
    looked = before is None or before.invalid is not None or overlay.touched(stage_name(view, VIOLATIONS))
    invalid = validity.reason(core, registry, resolver, view, made) if looked or None in made.relations else None
    made = replace(made, invalid=invalid or validity.collision(made))
    if made != before:
        document = made.document()
        commit.put_doc(KIND, view, document)
        overlay.outlines[view] = document
        for change in schema_changes(before, made):
            commit.record(f"schema:{view}", {"what": change, "why": why})
    return made


def _present(
    core: Core, registry: Registry, resolver: Resolver, schema: Schematic, part: str, column: str, before: Outline | None
) -> tuple[Raw, ...]:
    """The values that a count stage has now, beside ids that have names."""
    c = registry.collection(stage_name(schema.view, part))
    beside = count_columns(column, schema.dictionaries)[1:]
    if before is not None and not any(_lost(before, schema, n) for n in beside):
        known = before.relations if part == RELATIONS else before.pivots
        told = _told(resolver.overlay, c, (column, *beside), known)
        if told is not None:
            return told
    leaf = Get(c.name, c.schema.select((column, *beside)), (column, *beside))
    table, _ = core.small().run(Consolidate(leaf), resolver, measured=False)
    live = [{i for i, _ in schema.dictionaries[n]} for n in beside]
    rows = zip(*(table.column(i).to_pylist() for i in range(1 + len(beside))), strict=True)
    found = {value for value, *ids in rows if all(i in known for i, known in zip(ids, live, strict=True))}
    return _sorted(found)


def _told(overlay: Overlay, c: Collection, columns: tuple[str, ...], before: tuple[Raw, ...]) -> tuple[Raw, ...] | None:
    """The values there are now, as far as the delta of the counts tells: most changes make no name come or go. None if the stage
    itself must be asked: it is not a delta, or a value may still be there beside another id."""
    if c.name in overlay.replaced or overlay.files.get(c.name):
        return None
    plus: set[tuple[Raw, ...]] = set()
    minus: set[tuple[Raw, ...]] = set()
    for table in overlay.tables.get(c.name, ()):
        keys = zip(*(table.column(f"c{c.schema[n].id}").to_pylist() for n in columns), strict=True)
        for key, weight in zip(keys, table.column("_w").to_pylist(), strict=True):
            (plus if weight > 0 else minus).add(key)
    came, went = plus - minus, minus - plus
    if went and len(columns) > 1:
        return None
    return _sorted((set(before) | {k[0] for k in came}) - {k[0] for k in went})


def _sorted(values: set[Raw]) -> tuple[Raw, ...]:
    return tuple(sorted(values, key=lambda v: (v is not None, v)))


def _lost(before: Outline, schema: Schematic, column: str) -> bool:
    """Whether ids of a column have lost their names."""
    now = dict(schema.dictionaries[column])
    return any(i not in now for i, _ in before.dictionaries.get(column, ()))
