"""One member of a collection: insert, remove, set at a position."""

from __future__ import annotations

from typing import Any

from belvedere.errors import BelvedereError, TypeMismatch
from belvedere.objects.canonical import arranged, sort_key
from belvedere.objects.layout import ORDERED
from belvedere.objects.model import InColumn, Linked
from belvedere.objects.types import CollectionType, DictionaryType
from belvedere.warehouse.objects.relate import Relations
from belvedere.warehouse.objects.session import Session


class Elements:
    """The members of one collection of one object."""

    def __init__(self, session: Session, oid: int, attr: str) -> None:
        self.session = session
        self.row = session.get(oid)
        self.p = session.property(self.row.cls, attr)
        self.where = f"{self.row.cls}.{attr}"
        if not isinstance(self.p.type, (CollectionType, DictionaryType)):
            raise TypeMismatch(f"{self.where} is a {self.p.type}, not a collection; set it with modify")
        if self.p.readonly:
            raise BelvedereError(f"{self.p.cls}.{attr} is readonly: it is set when the object is made and never after")
        self.relations = Relations(session)

    def insert(self, value: Any, position: int | None) -> None:
        t = self.p.type
        if isinstance(t, DictionaryType):
            self._bind(t, value, position)
            return
        assert isinstance(t, CollectionType)
        if position is not None:
            self._check_position(t, position, len(self._held()) + 1)
        member = self._member(t, value)
        if position is not None and self.p.inverse is not None and member in self._held():
            raise BelvedereError(
                f"{self.where}: {value!r} is a member already, at position {self._held().index(member)}, and a relationship has "
                "a member once; remove it first to put it elsewhere, or leave position out"
            )
        if not isinstance(self.p.storage, InColumn):
            self.relations.insert(self.row, self.p, member, position)
            return
        held = list(self._held())
        held.insert(len(held) if position is None else position, member)
        self._keep(t, held)

    def remove(self, value: Any, position: int | None) -> bool:
        t = self.p.type
        if isinstance(t, DictionaryType):
            return self._unbind(t, value, position)
        assert isinstance(t, CollectionType)
        if position is not None:
            return self._remove_at(t, position)
        member = self._member(t, value)
        if not isinstance(self.p.storage, InColumn):
            return self.relations.remove(self.row, self.p, member)
        held, mark = list(self._held()), sort_key(t.element, member)
        at = next((i for i, v in enumerate(held) if sort_key(t.element, v) == mark), None)
        if at is None:
            return False
        self._keep(t, held[:at] + held[at + 1 :])
        return True

    def set(self, position: int, value: Any) -> None:
        t = self.p.type
        if isinstance(t, DictionaryType):
            raise TypeMismatch(f"{self.where} is a {t}, which has keys, not positions; insert a (key, value) instead")
        assert isinstance(t, CollectionType)
        held = list(self._held())
        self._check_position(t, position, len(held))
        member = self._member(t, value)
        if self.p.inverse is not None:
            if held[position] != member:
                self.relations.unlink(self.row.oid, self.p, held[position])
                self.relations.link(self.row.oid, self.p, member, position)
            return
        held[position] = member
        self._keep(t, held)

    def _remove_at(self, t: CollectionType, position: int) -> bool:
        held = list(self._held())
        self._check_position(t, position, len(held))
        if self.p.inverse is not None:
            self.relations.unlink(self.row.oid, self.p, held[position])
        else:
            self._keep(t, held[:position] + held[position + 1 :])
        return True

    def _member(self, t: CollectionType, value: Any) -> Any:
        with self.session.attempt():
            found = self.session.values.element(t, value, self.where)
            self.session.need(self.p, found)
        return found

    def _check_position(self, t: CollectionType, position: int, end: int) -> None:
        if t.kind not in ORDERED:
            raise TypeMismatch(f"{self.where} is a {t}, and its members have no positions; leave position out")
        if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < end:
            raise BelvedereError(f"{self.where}: {position!r} is no position here; they go from 0 to {end - 1}")

    def _held(self) -> list[Any]:
        if isinstance(self.p.storage, InColumn):
            assert self.row.now is not None
            found: list[Any] = self.row.now[self.p.name] or []
            return found
        if isinstance(self.p.storage, Linked) and self.p.storage.ordered:
            return self.relations.members(self.row, self.p)
        return []

    def _keep(self, t: CollectionType, members: list[Any]) -> None:
        """The collection of an attribute, as a whole."""
        if not isinstance(self.p.storage, InColumn):
            self.relations.replace(self.row, self.p, members)
            return
        kept = arranged(t.kind, t.element, members)
        assert self.row.now is not None
        if kept != self.row.now[self.p.name]:
            self.session.assign(self.row, self.p.name, kept)

    # dictionaries

    def _pairs(self, t: DictionaryType) -> dict[Any, tuple[Any, Any]]:
        return {sort_key(t.key, k): (k, v) for k, v in self._held()}

    def _bind(self, t: DictionaryType, value: Any, position: int | None) -> None:
        if position is not None or not isinstance(value, (tuple, list)) or len(value) != 2:
            raise TypeMismatch(f"{self.where} is a {t}; insert a (key, value), without a position")
        pairs = self._pairs(t)
        key, item = self.session.values.pair(t, value[0], value[1], self.where)
        pairs[sort_key(t.key, key)] = (key, item)
        self.session.assign(self.row, self.p.name, [pairs[m] for m in sorted(pairs)])

    def _unbind(self, t: DictionaryType, key: Any, position: int | None) -> bool:
        if position is not None:
            raise TypeMismatch(f"{self.where} is a {t}, which has keys, not positions; give the key")
        pairs = self._pairs(t)
        if pairs.pop(sort_key(t.key, self.session.values.stored(t.key, key, self.where)), None) is None:
            return False
        self.session.assign(self.row, self.p.name, [pairs[m] for m in sorted(pairs)])
        return True
