"""Is a SchemaSQL view valid? Its fragments must make up relations: every cell one value, every relation and column one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Consolidate, Filter, Get, SortKey, TopK
from belvedere.algebra.scalar import col, is_null
from belvedere.algebra.types import Array, BigInt, Column, Map, Schema, Struct, Variant
from belvedere.languages.schemasql.bound import Layout
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import restrict
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.fragments import FRAGMENTS, VIOLATIONS, key_columns, stage_name
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import living, with_names

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
    live = living(bad, outline.dictionaries, [n for n in bad.schema.names if n in outline.dictionaries])
    [[number]] = [r.values() for r in _rows(core, Aggregate(live, (), (("n", Agg("count", (), BigInt())),)), resolver)]
    if not number:
        return None
    rows = _rows(core, _examples(live, _stage(registry, view, FRAGMENTS), outline), resolver)
    shown = [(f"k{i}", a) for i, (_, a) in enumerate(_told(layout))]
    told = sorted(f"{_row(r, shown)}: {_cell(r)}" for r in rows)
    more = f" (and {number - len(told):,} more)" if number > len(told) else ""
    return "one cell has more than one value: " + "; ".join(told) + more


def _examples(live: Node, fragments: Get, outline: Outline) -> Node:
    """The first few violated keys, each with the least and the greatest of its values, and how many there are: bounded, whatever
    the number of fragments behind it."""
    layout = outline.layout
    assert layout.data is not None
    change = Change.of(fragments, frozenset())
    nested = (Array, Map, Struct, Variant)
    order = tuple(SortKey(c.name) for c in live.schema if not isinstance(c.type, nested))
    few = TopK(live, order, SHOWN)
    fresh = {n: change.fresh("key") for n in key_columns(layout)}
    keys = change.share(Aggregate(few, tuple((fresh[n], col(few.schema[n])) for n in fresh), ()), "keys")
    found = restrict(fragments, keys, [(col(fragments.schema[n]), k) for n, k in fresh.items()], change)
    named = with_names(found, outline.dictionaries)
    by = tuple((f"k{i}", col(named.schema[c])) for i, (c, _) in enumerate(_told(layout)))
    values = Aggregate(named, (*by, ("value", col(named.schema[layout.data]))), ())
    data = col(values.schema["value"])
    cells = (
        ("least", Agg("min", (data,), data.type)), ("greatest", Agg("max", (data,), data.type)),
        ("values", Agg("count", (), BigInt())), ("known", Agg("count", (data,), BigInt())),
    )  # fmt: skip
    return Aggregate(values, tuple((n, col(values.schema[n])) for n, _ in by), cells)


def _told(layout: Layout) -> list[tuple[str, str]]:
    """The columns of a key, with what they are called."""
    assert layout.pivot is not None
    return [*([(layout.relation, "relation")] if layout.relation else []), *layout.fixed, (layout.pivot, "column")]


def _cell(row: dict[str, Any]) -> str:
    """The values of a cell: all if they are two, else the ends and their number."""
    ends = sorted({_shown(row[c]) for c in ("least", "greatest") if row[c] is not None})
    null = ["NULL"] if row["values"] > row["known"] else []
    if len(ends) + len(null) == row["values"]:
        return ", ".join([*ends, *null])
    return f"{_shown(row['least'])} … {_shown(row['greatest'])}{', NULL' if null else ''} ({row['values']:,} values)"


def _row(row: dict[str, Any], columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"{a}={_shown(row[c])}" for c, a in columns)


def _shown(value: Any) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
