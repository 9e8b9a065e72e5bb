"""The part of the façade that is about classes and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.errors import UnknownName, suggest
from belvedere.objects.model import Backwards, InColumn, Linked, Property, Storage

if TYPE_CHECKING:
    from belvedere.warehouse.registry import Registry
    from belvedere.warehouse.transaction import Transaction


class Classes:
    """ODL, the classes that there are, and single objects."""

    registry: Registry

    def transaction(self) -> Transaction:
        raise AssertionError("the warehouse says")

    def odl(self, text: str) -> list[str]:
        """Declare the classes of an ODL text, as one epoch; returns their names. May be called again with more classes."""
        with self.transaction() as tx:
            found: list[str] = tx.odl(text)
        return found

    def classes(self) -> list[str]:
        """The names of all classes."""
        return sorted(self.registry.objects().classes)

    def describe(self, cls: str) -> dict[str, Any]:
        """A class: its extent, what it extends, its keys, and each property with its type and where it is kept."""
        model = self.registry.objects()
        if cls not in model.classes:
            raise UnknownName(f"there is no class {cls!r}{suggest(cls, list(model.classes))}")
        c = model.classes[cls]
        return {
            "class": c.name, "extent": c.extent, "table": c.table, "extends": list(c.parents),
            "below": [n for n in model.below(cls) if n != cls], "keys": [list(k) for k in c.keys],
            "properties": [_property(p) for p in model.properties(cls)],
        }  # fmt: skip

    def object(self, oid: int) -> dict[str, Any]:
        """All properties of an object by name, as last published."""
        tx = self.transaction()
        try:
            return tx.object(oid)
        finally:
            tx.rollback()


def _property(p: Property) -> dict[str, Any]:
    inverse = "::".join(p.inverse) if p.inverse else None
    return {
        "name": p.name, "type": str(p.type), "class": p.cls, "kind": "relationship" if inverse else "attribute",
        "inverse": inverse, "readonly": p.readonly, "kept": _place(p.storage),
    }  # fmt: skip


def _place(s: Storage) -> str:
    match s:
        case InColumn(column=column):
            return f"column {column}"
        case Backwards(table=table, column=column):
            return f"{table}.{column}, read backwards"
        case Linked(table=table, owner=owner, member=member):
            return f"link table {table} ({owner}, {member})"
