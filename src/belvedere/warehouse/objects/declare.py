"""ODL in a transaction: the classes of a text, their tables and the model's document, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from belvedere.algebra.types import BigInt, Column, Int, Schema
from belvedere.errors import BelvedereError
from belvedere.languages.odl import declare
from belvedere.objects.document import write_model
from belvedere.objects.model import MEMBER, OID, OWNER, POSITION, Linked, Property
from belvedere.objects.types import CollectionType
from belvedere.store.model import Collection
from belvedere.warehouse.graphs.tables import refuse_graph
from belvedere.warehouse.objects.cache import KIND, MODEL

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

CLASS = "class"
LINK = "link"
"""Properties of a collection that is the table of a class, or a link table of one."""


def add_classes(tx: Transaction, text: str) -> list[str]:
    """Declare what an ODL text says; returns the names of its classes."""
    before = tx.registry.objects()
    model = declare(text, before, tx.registry.taken)
    new = [c for c in model.classes.values() if c.name not in before.classes]
    for c in new:
        _make(tx, c.table, model.schema(c.name), (OID,), (OID,), {CLASS: c.name})
    for c in new:
        for p in c.own:
            if isinstance(p.storage, Linked) and p.storage.table == f"{c.name}.{p.name}":
                _link_table(tx, p, p.storage)
    tx.commit.put_doc(KIND, MODEL, write_model(model))
    tx.registry.set_objects(model)
    return [c.name for c in new]


def _link_table(tx: Transaction, p: Property, storage: Linked) -> None:
    assert isinstance(p.type, CollectionType)
    ends = (Column(OWNER, BigInt()), Column(MEMBER, BigInt()))
    key: tuple[str, ...]
    if storage.ordered:
        schema, key = Schema((*ends, Column(POSITION, Int()))), (OWNER, POSITION)
    else:
        # only the bag of an attribute holds a pair more than once
        schema, key = Schema(ends), () if p.type.kind == "bag" and p.inverse is None else (OWNER, MEMBER)
    _make(tx, storage.table, schema, key, key or (OWNER, MEMBER), {LINK: f"{p.cls}.{p.name}"})


def _make(
    tx: Transaction, name: str, schema: Schema, key: Iterable[str], sort: Iterable[str], properties: dict[str, Any]
) -> None:
    taken = tx.registry.taken(name)
    if taken:
        raise BelvedereError(f"there is a {taken} {name!r} already, and ODL needs the name; drop it or rename the property")
    made = tx.commit.create_collection(name, "table", schema, key=key, sort=sort, properties=properties)
    tx.overlay.collections[name] = made
    tx.overlay.dropped.discard(name)


def refuse_direct(c: Collection) -> None:
    """The tables of classes change with their objects only, or copies and inverses would part ways; those of graphs likewise."""
    refuse_graph(c)
    cls, link = c.properties.get(CLASS), c.properties.get(LINK)
    if cls is not None:
        raise BelvedereError(
            f"{c.name!r} is the table of class {cls}; use tx.new({cls!r}, …), tx.modify(oid, …) or tx.delete_object(oid), "
            "which keep extents and inverses right"
        )
    if link is not None:
        raise BelvedereError(
            f"{c.name!r} is the link table of {link}; use tx.insert_element(oid, …), tx.remove_element(oid, …) or "
            "tx.modify(oid, …), which keep inverses right"
        )
