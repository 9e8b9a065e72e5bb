"""Is a SchemaSQL view valid? Its fragments must make up relations: every cell one value, every relation and column one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Consolidate, Filter, Get, TopK
from belvedere.algebra.scalar import col, is_null
from belvedere.algebra.types import Column, Schema
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import restrict
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.fragments import FRAGMENTS, VIOLATIONS, key_columns, stage_name
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import with_names

if TYPE_CHECKING:
    from belvedere.warehouse.core import Core
    from belvedere.warehouse.registry import Registry

#: so many violated keys are told
SHOWN = 3


def reason(core: Core, registry: Registry, resolver: Resolver, view: str, outline: Outline) -> str | None:
    """Why the view is invalid, or None. `outline` holds the names as they are now."""
    return (
        collision(outline)
        or _without_relation(core, registry, resolver, view, outline)
        or _violated(core, registry, resolver, view, outline)
    )


def collision(outline: Outline) -> str | None:
    """A name from the data that is the name of a fixed attribute too."""
    fixed = {a for _, a in outline.layout.fixed}
    both = [n for n in outline.pivot_names() if n in fixed]
    if not both:
        return None
    return f"the column {both[0]!r} comes from the data and is a fixed attribute of the view, too; rename one of them"


def _stage(registry: Registry, view: str, part: str) -> Get:
    c = registry.collection(stage_name(view, part))
    return Get(c.name, Schema(tuple(Column(x.name, x.type) for x in c.schema)), c.schema.names)


def _rows(core: Core, node: Node, resolver: Resolver) -> list[dict[str, Any]]:
    table, _ = core.small().run(Consolidate(node), resolver, measured=False)
    rows: list[dict[str, Any]] = table.drop_columns(["_w"]).to_pylist()
    return rows


def _without_relation(core: Core, registry: Registry, resolver: Resolver, view: str, outline: Outline) -> str | None:
    layout = outline.layout
    if layout.relation is None or not outline.nameless:
        return None
    node = _stage(registry, view, FRAGMENTS)
    nameless = Filter(node, is_null(col(node.schema[layout.relation])))
    rows = _rows(core, TopK(with_names(nameless, outline.dictionaries), (), SHOWN), resolver)
    shown = "; ".join(_row(r, list(layout.fixed)) for r in rows)
    advice = "give those rows a name, or leave them out with `is not null`"
    return f"NULL stands where the name of a relation is expected: {shown or 'in every row'}; {advice}"


def _violated(core: Core, registry: Registry, resolver: Resolver, view: str, outline: Outline) -> str | None:
    layout = outline.layout
    if layout.pivot is None or layout.data is None:
        return None
    bad = _stage(registry, view, VIOLATIONS)
    if resolver(bad).is_empty:
        return None
    # ids without names do not count, so they violate nothing
    named = with_names(bad, outline.dictionaries)
    if not _rows(core, TopK(named, (), 1), resolver):
        return None
    fragments = _stage(registry, view, FRAGMENTS)
    change = Change.of(fragments, frozenset())
    fresh = {n: change.fresh("key") for n in key_columns(layout)}
    keys = change.share(Aggregate(bad, tuple((fresh[n], col(bad.schema[n])) for n in fresh), ()), "keys")
    found = restrict(fragments, keys, [(col(fragments.schema[n]), k) for n, k in fresh.items()], change)
    rows = _rows(core, with_names(found, outline.dictionaries), resolver)
    by_key: dict[str, list[str]] = {}
    shown = [*([(layout.relation, "relation")] if layout.relation else []), *layout.fixed, (layout.pivot, "column")]
    for row in rows:
        values = by_key.setdefault(_row(row, shown), [])
        if (value := _shown(row[layout.data])) not in values:
            values.append(value)
    told = [f"{key}: {', '.join(sorted(values))}" for key, values in sorted(by_key.items())]
    more = f" (and {len(told) - SHOWN} more)" if len(told) > SHOWN else ""
    return "one cell has more than one value: " + "; ".join(told[:SHOWN]) + more


def _row(row: dict[str, Any], columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"{a}={_shown(row[c])}" for c, a in columns)


def _shown(value: Any) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
