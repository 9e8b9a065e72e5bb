"""An object as plain Python: what `tx.object(oid)` gives."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from belvedere.objects.model import InColumn
from belvedere.objects.types import CollectionType, DictionaryType, OType, Primitive, Ref, StructType
from belvedere.warehouse.objects.relate import Relations

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Row, Session


def read_object(session: Session, row: Row) -> dict[str, Any]:
    """Its properties by name. A set comes as a set if its members can be in one; bags, lists and arrays come as lists."""
    assert row.now is not None
    found: dict[str, Any] = {}
    relations = Relations(session)
    for p in session.properties(row.cls).values():
        held = row.now[p.name] if isinstance(p.storage, InColumn) else relations.members(row, p)
        found[p.name] = plain(session, p.type, held)
    return found


def plain(session: Session, t: OType, value: Any) -> Any:
    if value is None:
        return None
    match t:
        case Ref():
            return session.named(value)
        case Primitive(name="time"):
            return (dt.datetime.min + dt.timedelta(microseconds=value)).time()
        case Primitive(name="interval"):
            return dt.timedelta(microseconds=value)
        case StructType(fields=fields):
            return {n: plain(session, f, value[n]) for n, f in fields}
        case CollectionType(kind=kind, element=element):
            members = [plain(session, element, v) for v in value]
            hashable = not isinstance(element, (StructType, CollectionType, DictionaryType))
            return set(members) if kind == "set" and hashable else members
        case DictionaryType(key=key, value=item):
            return {plain(session, key, k): plain(session, item, v) for k, v in value}
    return value
