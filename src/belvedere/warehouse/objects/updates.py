"""The part of a transaction that changes objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from belvedere.errors import BelvedereError
from belvedere.objects.model import OID, Backwards, InColumn, Property
from belvedere.objects.oid import Oid
from belvedere.objects.report import Deletion
from belvedere.objects.types import CollectionType
from belvedere.warehouse.objects.batch import new_many
from belvedere.warehouse.objects.declare import add_classes
from belvedere.warehouse.objects.elements import Elements
from belvedere.warehouse.objects.reader import read_object
from belvedere.warehouse.objects.relate import Relations
from belvedere.warehouse.objects.removal import Removal
from belvedere.warehouse.objects.session import Row, Session


class ObjectChanges:
    """Objects are made, changed and deleted one by one or in batches; the system keeps extents, inverses and keys."""

    _objects: Session | None = None

    def _open(self) -> None:
        raise AssertionError("the transaction says")

    def _session(self: Any) -> Session:
        self._open()
        if self._objects is None:
            self._objects = Session(self)
        found: Session = self._objects
        return found

    def flush_objects(self) -> None:
        """Let what reads the transaction's tables see the objects as they are now."""
        if self._objects is not None:
            self._objects.flush()

    def odl(self: Any, text: str) -> list[str]:
        """Declare classes; their tables are made in this transaction. Returns the names of the classes."""
        session: Session = self._session()
        session.forget()
        return add_classes(self, text)

    # one object

    def new(self, cls: str, /, **attrs: Any) -> Oid:
        """Make an object. References are given as Oids, collections as lists or sets; what is not given is nil or empty."""
        session = self._session()
        name = session.class_name(cls)
        stored = _stored(session, name, attrs)
        row = session.make(name)
        _set(session, row, stored, made=True)
        return Oid(row.oid, name)

    def modify(self, oid: int, /, **attrs: Any) -> None:
        """Set attributes, references (None for nil) and whole collections."""
        session = self._session()
        row = session.get(oid)
        _set(session, row, _stored(session, row.cls, attrs, changing=True))

    def modify_many(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Modify many objects, each a dict with its `oid` and what to set; they are read with one lookup per class."""
        session = self._session()
        given = [dict(r) for r in rows]
        for r in given:
            if OID not in r:
                raise BelvedereError("modify_many: every row needs the object's oid")
        oids = [r.pop(OID) for r in given]
        session.load(int(o) for o in oids if isinstance(o, int))
        for oid, attrs in zip(oids, given, strict=True):
            row = session.get(oid)
            _set(session, row, _stored(session, row.cls, attrs, changing=True))
        return len(given)

    def delete_object(self, oid: int) -> Deletion:
        """Delete an object. Single references to it become nil and collections lose it, in this transaction; the report
        says which."""
        return self.delete_objects([oid])

    def delete_objects(self, oids: Iterable[int]) -> Deletion:
        """Delete many objects, with one search for references to all of them."""
        session = self._session()
        return Removal(session, Relations(session), [session.get(o).oid for o in _read_ahead(session, oids)]).run()

    def object(self, oid: int) -> dict[str, Any]:
        """All properties of an object, as this transaction has it, in the forms in which results of OQL come."""
        session = self._session()
        return read_object(session, session.get(oid))

    # one member of a collection

    def insert_element(self, oid: int, attr: str, value: Any, *, position: int | None = None) -> None:
        """Add a member: to a list or array at a position or at the end; a set has it once. To a dictionary: a (key, value)."""
        Elements(self._session(), oid, attr).insert(value, position)

    def remove_element(self, oid: int, attr: str, value: Any = None, *, position: int | None = None) -> bool:
        """Take out the first occurrence of a member, or what is at a position; of a dictionary, the pair with that key.
        False if there is no such member."""
        return Elements(self._session(), oid, attr).remove(value, position)

    def set_element(self, oid: int, attr: str, position: int, value: Any) -> None:
        """Put another member at a position of a list or array."""
        Elements(self._session(), oid, attr).set(position, value)

    # many objects

    def new_many(self, cls: str, data: Any) -> pa.Array:
        """Make many objects from a list of dicts, an Arrow table or a data frame; returns their oids in the same order."""
        session = self._session()
        return new_many(session, session.class_name(cls), data)


def _read_ahead(session: Session, oids: Iterable[int]) -> list[int]:
    given = list(oids)
    session.load(int(o) for o in given if isinstance(o, int))
    return given


def _stored(session: Session, cls: str, attrs: Mapping[str, Any], *, changing: bool = False) -> list[tuple[Property, Any]]:
    """Given values as stored ones, before anything is changed."""
    found = []
    with session.attempt():
        for name, value in attrs.items():
            p = session.property(cls, name)
            if changing and p.readonly:
                raise BelvedereError(f"{p.cls}.{name} is readonly: it is set when the object is made and never after")
            found.append((p, session.values.stored(p.type, value, f"{cls}.{name}")))
            session.need(*found[-1])
    return found


def _set(session: Session, row: Row, values: list[tuple[Property, Any]], *, made: bool = False) -> None:
    """Set properties. Nobody refers to an object that is just being `made`; later in its transaction somebody may."""
    relations = Relations(session)
    for p, value in values:
        if not isinstance(p.storage, InColumn):
            relations.replace(row, p, value, before=[] if made and isinstance(p.storage, Backwards) else None)
        elif p.inverse is not None and not isinstance(p.type, CollectionType):
            relations.set_single(row, p, value)
        else:
            assert row.now is not None
            if row.now[p.name] != value:
                session.assign(row, p.name, value)
