"""The change of a SchemaSQL view between two epochs, as a valid sequence (definitions 2 and 3 of the paper).

Renames and additions of relations and columns come first, then tuples, then deletions. So a tuple stands between both: it has all
columns of before and after. What is deleted as a whole is not emptied before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, Version
from belvedere.algebra.scalar import col
from belvedere.changes.zset import to_rows
from belvedere.errors import InvalidView
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.history import Moves, attribute_moves, relation_moves
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import fragments_of, wide, with_names

if TYPE_CHECKING:
    from belvedere.store.model import Collection
    from belvedere.warehouse.core import Core

#: relation, fixed attributes, all as they can be compared
Key = tuple[Any, ...]
Known = tuple[Key, frozenset[tuple[str, Any]]]


class Side:
    """The view at one end: its outline and its stored fragments; both None before it was made."""

    def __init__(self, view: str, outline: Outline | None, stored: Collection | None, epoch: int) -> None:
        self.view, self.outline, self.stored, self.epoch = view, outline, stored, epoch
        if outline is not None and outline.invalid is not None:
            raise InvalidView(f"view {view!r} was invalid at epoch {epoch}, so its change cannot be told: {outline.invalid}")

    def like(self, other: Side) -> bool:
        """Whether fragments mean the same on both sides, so that only those that changed can make a difference."""
        if self.stored is None or other.stored is None or self.outline is None or other.outline is None:
            return False
        return self.stored.id == other.stored.id and dict(self.outline.dictionaries) == dict(other.outline.dictionaries)


def sequence(core: Core, old: Side, new: Side) -> list[dict[str, Any]]:
    """All changes in order, each a dict with "change"; a tuple's has "relation", "row" and "_w"."""
    assert new.outline is not None
    relations, attributes = relation_moves(old.outline, new.outline), attribute_moves(old.outline, new.outline)
    told: list[dict[str, Any]] = []
    told += [_renamed("relation", a, b) for a, b in relations.renamed.items()]
    told += [_renamed("attribute", a, b) for a, b in attributes.renamed.items()]
    if old.outline is not None:
        told += [{"change": "add-attribute", "name": n, "new": None} for n in attributes.came]
    columns = _between(old.outline, new.outline, attributes)
    told += [{"change": "add-relation", "name": n, "new": None, "columns": list(columns)} for n in relations.came]
    told += _tuples(core, old, new, relations, attributes, columns)
    told += [{"change": "delete-attribute", "name": n, "new": None} for n in attributes.went]
    told += [{"change": "delete-relation", "name": n, "new": None} for n in relations.went]
    return told


def _renamed(kind: str, old: str, new: str) -> dict[str, Any]:
    return {"change": f"rename-{kind}", "name": old, "new": new}


def _between(old: Outline | None, new: Outline, moves: Moves) -> tuple[str, ...]:
    """The columns of each relation after additions and before deletions: those that go stand at the end."""
    return (*new.columns(), *(moves.went if old is not None else ()))


def _tuples(
    core: Core, old: Side, new: Side, relations: Moves, attributes: Moves, columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    sides = {-1: _rows(core, old, old, new, relations.renamed, attributes.renamed), 1: _rows(core, new, old, new, {}, {})}
    gone = set(attributes.went)
    weights: Counter[Known] = Counter()
    shown: dict[int, dict[Known, tuple[str, dict[str, Any]]]] = {-1: {}, 1: {}}
    for sign, rows in sides.items():
        for key, relation, row, weight in rows:
            # what goes with its column makes no other tuple, and a new column without a value none either
            cells = frozenset((n, v) for n in row if n not in gone and (v := comparable(row[n])) is not None)
            weights[key, cells] += sign * weight
            shown[sign][key, cells] = relation, row
    told = []
    for known, weight in weights.items():
        if weight:
            relation, row = shown[1 if weight > 0 else -1][known]
            if relation not in relations.went:
                told.append({"change": "tuple", "relation": relation, "row": {n: row.get(n) for n in columns}, "_w": weight})
    return sorted(told, key=lambda t: (t["_w"] > 0, t["relation"], repr(t["row"])))


def _rows(
    core: Core, side: Side, old: Side, new: Side, relations: Mapping[str, str], attributes: Mapping[str, str]
) -> Iterator[tuple[Key, str, dict[str, Any], int]]:
    """The rows of one side that can differ from the other's, under the new names."""
    if side.stored is None or side.outline is None:
        return
    outline, layout = side.outline, side.outline.layout
    node: Node = fragments_of(side.stored)
    resolver = Resolver(core.store, until=side.epoch)
    names = dict.fromkeys(n for n in (layout.relation, *(c for c, _ in layout.fixed)) if n is not None)
    if names and old.like(new):
        node = _touched(fragments_of(side.stored), tuple(names), "old" if side is old else "new")
        resolver = Resolver(core.store, until=new.epoch, since=old.epoch)
    made = wide(with_names(node, outline.dictionaries), layout, outline.pivot_names(), by_relation=True)
    table, _ = core.small().run(Consolidate(made), resolver, measured=False)
    split, columns = layout.relation is not None, [attributes.get(n, n) for n in outline.columns()]
    fixed = {a for _, a in layout.fixed}
    for values in _lists(table):
        relation = str(values[0]) if split else layout.relation_name or side.view
        relation = relations.get(relation, relation)
        row = dict(zip(columns, values[1:-1] if split else values[:-1], strict=True))
        yield (relation, *(comparable(row[n]) for n in columns if n in fixed)), relation, row, values[-1]


def _touched(fragments: Get, names: tuple[str, ...], version: Version) -> Node:
    """The fragments, in one version, that belong to rows which the delta touches."""
    change = Change.of(fragments, frozenset({fragments.name}))
    scalars = [col(fragments.schema[n]) for n in names]
    keys, fresh = keys_of(Consolidate(fragments.at("delta")), scalars, change)
    return restrict(fragments.at(version), keys, list(zip(scalars, fresh, strict=True)), change)


def _lists(table: Any) -> list[list[Any]]:
    """Rows by position, as plain Python; names do not matter, and may be the same."""
    numbered = table.rename_columns([str(i) for i in range(table.num_columns)])
    return [list(row.values()) for row in to_rows(numbered)]


def comparable(value: Any) -> Any:
    """A value that can be compared and hashed; NaN equals NaN."""
    if isinstance(value, dict):
        return tuple((k, comparable(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(map(comparable, value))
    return "NaN" if isinstance(value, float) and value != value else value
