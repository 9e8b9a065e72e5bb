"""Where each property of new classes is kept: in a column, backwards, or in a link table (see `model.py`)."""

from __future__ import annotations

from dataclasses import replace

from belvedere.objects.model import MEMBER, OWNER, Backwards, ClassDef, InColumn, Linked, ObjectModel, Property, Storage
from belvedere.objects.types import CollectionType, Ref

ORDERED = ("list", "array")


def place(model: ObjectModel, new: set[str]) -> ObjectModel:
    """The model with the storage of the new classes' properties decided."""
    classes: dict[str, ClassDef] = dict(model.classes)
    for name in new:
        c = classes[name]
        classes[name] = replace(c, own=tuple(replace(p, storage=_storage(model, p)) for p in c.own))
    return replace(model, classes=classes)


def other_side(model: ObjectModel, p: Property) -> Property:
    """The inverse of a relationship."""
    assert p.inverse is not None
    cls, name = p.inverse
    return next(q for q in model.classes[cls].own if q.name == name)


def _storage(model: ObjectModel, p: Property) -> Storage:
    if not (isinstance(p.type, CollectionType) and isinstance(p.type.element, Ref)):
        return InColumn(p.name)
    ordered = p.type.kind in ORDERED
    own = Linked(f"{p.cls}.{p.name}", OWNER, MEMBER, ordered)
    if p.inverse is None or ordered:
        return own
    q = other_side(model, p)
    if not isinstance(q.type, CollectionType):
        return Backwards(q.cls, model.classes[q.cls].table, q.name)
    if q.type.kind in ORDERED or _rank(model, p) <= _rank(model, q):
        return own
    return Linked(f"{q.cls}.{q.name}", MEMBER, OWNER, False)


def _rank(model: ObjectModel, p: Property) -> tuple[int, int]:
    """Of two sides that share a table, the one declared first gives it its name."""
    c = model.classes[p.cls]
    return c.number, [x.name for x in c.own].index(p.name)
