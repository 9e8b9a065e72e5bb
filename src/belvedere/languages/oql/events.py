"""Which events matter to a view: specifyEventsToMonitor of the first paper (Fig 8), as corrected.

An event on an attribute is brought to the class that defines it, and fires for objects of the classes below. A single-valued
relationship also asks for the extent that it leads to; object-valued attributes have no inverse; attributes in conditions count
as projected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from belvedere.languages.oql.calculus import Proj, Source, Term, walk
from belvedere.objects.model import ObjectModel, Property
from belvedere.objects.types import CollectionType, OType, Ref

Kind = Literal[
    "onInsertTo", "onDeleteTo", "onModifyAttr", "onInsertElementIn", "onDeleteElementIn", "onModifyAttrInElement",
]  # fmt: skip
_RANKS: dict[str, int] = {
    "onInsertTo": 0, "onDeleteTo": 1, "onInsertElementIn": 2, "onDeleteElementIn": 3, "onModifyAttr": 4,
    "onModifyAttrInElement": 5,
}  # fmt: skip


@dataclass(frozen=True)
class Event:
    """`on` is an extent, or the class that defines `attribute`; `element` an attribute of a collection's members."""

    kind: Kind
    on: str
    attribute: str | None = None
    element: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {'.'.join(p for p in (self.on, self.attribute, self.element) if p is not None)}"

    def fires_for(self, cls: str, model: ObjectModel) -> bool:
        """Whether an update of an attribute of an object of that class is this event."""
        return self.attribute is not None and cls in model.classes and self.on in model.above(cls)


def specify_events_to_monitor(view: Term, model: ObjectModel) -> tuple[Event, ...]:
    """The events of a view's query, sorted for printing."""
    found: dict[Event, None] = {}
    for extent in scanned(view):
        found.update(dict.fromkeys((Event("onInsertTo", extent), Event("onDeleteTo", extent))))
    for p in paths(view):
        found.update(dict.fromkeys(_in_path(p, view, model)))
    return tuple(sorted(found, key=lambda e: (_RANKS[e.kind], e.on, e.attribute or "", e.element or "")))


def scanned(view: Term) -> list[str]:
    """The stored collections that variables range over."""
    names = [t.name for t in walk(view) if isinstance(t, Source) and t.name]
    return list(dict.fromkeys(names))


def paths(view: Term) -> list[Proj]:
    """Every step from an object to a property."""
    return [t for t in walk(view) if isinstance(t, Proj) and isinstance(t.base.type, Ref)]


def attributes_projected(cls: str, view: Term, model: ObjectModel) -> list[str]:
    """The attributes of a class that the query reads, in conditions too."""
    related = {*model.above(cls), *model.below(cls)}
    names = [p.name for p in paths(view) if isinstance(p.base.type, Ref) and p.base.type.cls in related]
    return list(dict.fromkeys(names))


def extent_of(cls: str, model: ObjectModel) -> str:
    return model.classes[cls].extent or cls


def property_of(p: Proj, model: ObjectModel) -> Property:
    assert isinstance(p.base.type, Ref)
    found = model.find(p.base.type.cls, p.name)
    assert found is not None
    return found


def _in_path(p: Proj, view: Term, model: ObjectModel) -> Iterator[Event]:
    prop = property_of(p, model)
    t: OType = prop.type
    if not isinstance(t, CollectionType):
        yield Event("onModifyAttr", prop.cls, prop.name)
        if isinstance(t, Ref):
            yield from _target(t.cls, prop, model)
        return
    yield Event("onInsertElementIn", prop.cls, prop.name)
    yield Event("onDeleteElementIn", prop.cls, prop.name)
    if isinstance(t.element, Ref):
        for a in attributes_projected(t.element.cls, view, model):
            if model.find(t.element.cls, a) is not None:
                yield Event("onModifyAttrInElement", prop.cls, prop.name, a)
        yield from _target(t.element.cls, prop, model)


def _target(cls: str, prop: Property, model: ObjectModel) -> Iterator[Event]:
    """The extent that a reference leads to, and the other side of a relationship."""
    yield Event("onInsertTo", extent_of(cls, model))
    yield Event("onDeleteTo", extent_of(cls, model))
    if prop.inverse is None:
        return
    other, name = prop.inverse
    inverse = model.find(other, name)
    assert inverse is not None
    if isinstance(inverse.type, CollectionType):
        yield Event("onInsertElementIn", inverse.cls, inverse.name)
        yield Event("onDeleteElementIn", inverse.cls, inverse.name)
    else:
        yield Event("onModifyAttr", inverse.cls, inverse.name)
