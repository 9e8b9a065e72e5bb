"""An object as plain Python: what `tx.object(oid)` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.objects.model import InColumn
from belvedere.warehouse.objects.relate import Relations

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Row, Session


def read_object(session: Session, row: Row) -> dict[str, Any]:
    """Its properties by name, in the forms in which results of OQL come."""
    from belvedere.languages.oql.decode import value  # the parser behind it is heavy, and most transactions never read so

    assert row.now is not None
    relations = Relations(session)
    found: dict[str, Any] = {}
    for p in session.properties(row.cls).values():
        held = row.now[p.name] if isinstance(p.storage, InColumn) else relations.members(row, p)
        found[p.name] = value(held, p.type, session.model)
    return found
