"""How the schema of a SchemaSQL view changed between two outlines: relations and columns that came, went, or got another name.

Something is told as renamed if it kept its id, and its old name is nobody's now and its new name was nobody's before. Then no
change of the schema meets a name that is taken, whatever the order. Names that change hands are a change of tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from belvedere.warehouse.schemas.outline import Outline, Raw

Dictionary = tuple[tuple[int, str], ...] | None


@dataclass(frozen=True)
class Moves:
    """What happened to names of one kind: old → new, those that came, those that went."""

    renamed: dict[str, str]
    came: tuple[str, ...]
    went: tuple[str, ...]

    @staticmethod
    def between(before: dict[Raw, str], after: dict[Raw, str]) -> Moves:
        old, new = set(before.values()), set(after.values())
        both = ((name, after[raw]) for raw, name in before.items() if raw in after)
        renamed = {a: b for a, b in sorted(both) if a not in new and b not in old}
        came = new - old - set(renamed.values())
        return Moves(renamed, tuple(sorted(came)), tuple(sorted(old - new - set(renamed))))


def relation_moves(before: Outline | None, after: Outline) -> Moves:
    return Moves.between(_relations(before), _relations(after))


def attribute_moves(before: Outline | None, after: Outline) -> Moves:
    return Moves.between(_attributes(before), _attributes(after))


def schema_changes(before: Outline | None, after: Outline, relations: Moves | None = None) -> list[dict[str, Any]]:
    """In an order in which each can be done: renames, then what came, then what went. `relations`: what happened to those, if it
    is known."""
    relations, attributes = relations or relation_moves(before, after), attribute_moves(before, after)
    kinds = (("relation", relations), ("attribute", attributes))
    return [*_renames(kinds), *(_one(f"add-{k}", n) for k, m in kinds for n in m.came),
            *(_one(f"delete-{k}", n) for k, m in kinds for n in m.went)]  # fmt: skip


def _renames(kinds: tuple[tuple[str, Moves], ...]) -> Iterator[dict[str, Any]]:
    for kind, moves in kinds:
        for old, new in moves.renamed.items():
            yield _one(f"rename-{kind}", old, new)


def _one(change: str, name: str, new: str | None = None) -> dict[str, Any]:
    return {"change": change, "name": name, "new": new}


def _relations(outline: Outline | None) -> dict[Raw, str]:
    if outline is None:
        return {}
    if outline.layout.relation is None:
        return {n: n for n in outline.relation_names()}
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
