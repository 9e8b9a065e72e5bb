"""How the schema of a SchemaSQL view changed between two outlines: relations and columns that came, went, or got another name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from belvedere.warehouse.schemas.outline import Outline, Raw

Dictionary = tuple[tuple[int, str], ...] | None


def schema_changes(before: Outline | None, after: Outline) -> list[dict[str, Any]]:
    """In an order in which each can be done: renames, then what came, then what went."""
    found = [*_of("relation", _relations(before), _relations(after)), *_of("attribute", _attributes(before), _attributes(after))]
    order = ("rename", "add", "delete")
    return sorted(found, key=lambda c: order.index(c["change"].split("-")[0]))


def _relations(outline: Outline | None) -> dict[Raw, str]:
    if outline is None or outline.layout.relation is None:
        return {} if outline is None else {n: n for n in outline.relation_names()}
    return _names(outline.relations, outline.dictionaries.get(outline.layout.relation))


def _attributes(outline: Outline | None) -> dict[Raw, str]:
    if outline is None:
        return {}
    fixed: dict[Raw, str] = {f"\0{a}": a for _, a in outline.layout.fixed}
    if outline.layout.pivot is None:
        return fixed
    return fixed | _names(outline.pivots, outline.dictionaries.get(outline.layout.pivot))


def _names(raw: tuple[Raw, ...], dictionary: Dictionary) -> dict[Raw, str]:
    if dictionary is None:
        return {r: str(r) for r in raw if r is not None}
    known = dict(dictionary)
    return {r: known[r] for r in raw if isinstance(r, int) and r in known}


def _of(what: str, before: dict[Raw, str], after: dict[Raw, str]) -> Iterator[dict[str, Any]]:
    """What is told by id, where there is one: two things that exchange their names are two renames."""
    for raw, old in sorted(before.items(), key=lambda e: e[1]):
        new = after.get(raw)
        if new is None:
            yield {"change": f"delete-{what}", "name": old, "new": None}
        elif new != old:
            yield {"change": f"rename-{what}", "name": old, "new": new}
    for raw, new in sorted(after.items(), key=lambda e: e[1]):
        if raw not in before:
            yield {"change": f"add-{what}", "name": new, "new": None}
