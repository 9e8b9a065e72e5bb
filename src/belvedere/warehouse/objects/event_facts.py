"""What an event of the first paper does to stored collections, as the facts that plans of maintenance are made from.

An event is one thing that happens; what else a single update does (a deleted object goes out of the references to it) are
events of their own. The two sides of a relationship are one event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from belvedere.languages.oql.events import Event
from belvedere.maintenance.stage_delta import Facts
from belvedere.objects.model import Backwards, InColumn, Linked, ObjectModel, Property
from belvedere.objects.types import CollectionType


@dataclass
class _Effect:
    """Rows that come and go, and columns that are set, by collection."""

    inserted: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=dict)

    def set(self, table: str, column: str) -> None:
        self.columns.setdefault(table, set()).add(column)


def facts_of(event: Event, model: ObjectModel, reads: Mapping[str, Set[str]]) -> Facts:
    """As far as a view can feel it that reads some columns of some collections."""
    effect = _Effect()
    if event.attribute is None:
        (effect.deleted if event.kind == "onDeleteTo" else effect.inserted).update(_tables(event.on, model))
    else:
        for p in _sides(_property(event, model), model):
            _touch(effect, event, p, model)
    updated = {t: frozenset(c) for t, c in effect.columns.items() if t not in effect.inserted | effect.deleted}
    felt = {t for t, c in updated.items() if c & reads.get(t, frozenset())}
    came, went = (frozenset((x & reads.keys()) | felt) for x in (effect.inserted, effect.deleted))
    return Facts(came | went, went, came, {t: updated.get(t) for t in came | went})


def _tables(name: str, model: ObjectModel) -> list[str]:
    """Where the objects of an extent have rows; a table or view is itself."""
    found = model.by_extent(name) or model.classes.get(name)
    return [name] if found is None else [model.classes[c].table for c in model.above(found.name)]


def _property(event: Event, model: ObjectModel) -> Property:
    """What is set: of the object, or of a member of its collection."""
    found = model.find(event.on, event.attribute or "")
    if found is not None and event.element is not None:
        found = model.find(found.target or "", event.element)
    assert found is not None, event
    return found


def _sides(p: Property, model: ObjectModel) -> Iterator[Property]:
    yield p
    if p.inverse is not None:
        other = model.find(*p.inverse)
        assert other is not None
        yield other


def _touch(effect: _Effect, event: Event, p: Property, model: ObjectModel) -> None:
    match p.storage:
        case InColumn(column=column):
            for c in model.below(p.cls):
                effect.set(model.classes[c].table, column)
        case Linked(table=table):
            if event.kind != "onDeleteElementIn":
                effect.inserted.add(table)
            if event.kind != "onInsertElementIn" or not isinstance(p.type, CollectionType):
                effect.deleted.add(table)
        case Backwards():
            pass  # the other side is stored, and is among the sides
