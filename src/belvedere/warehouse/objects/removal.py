"""Deleting objects: every reference to them goes in the same transaction, and the report says whose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from belvedere.objects.layout import other_side
from belvedere.objects.model import MEMBER, OID, OWNER, Backwards, InColumn, Linked, Property
from belvedere.objects.purge import references, without
from belvedere.objects.report import Deletion, Touched
from belvedere.objects.types import CollectionType, Ref, classes_in
from belvedere.warehouse.objects.reading import find, whole

if TYPE_CHECKING:
    from belvedere.warehouse.objects.relate import Relations
    from belvedere.warehouse.objects.session import Row, Session


class Removal:
    """One deletion of some objects. Each table that can refer to them is asked once for all of them."""

    def __init__(self, session: Session, relations: Relations, oids: Iterable[int]) -> None:
        self.session, self.relations = session, relations
        oids = [int(o) for o in dict.fromkeys(oids)]
        session.load(oids)
        self.rows = [session.get(o) for o in oids]
        self.dead = {r.oid for r in self.rows}
        self._touched: dict[tuple[str, str], dict[int, None]] = {}

    def run(self) -> Deletion:
        session = self.session
        session.flush()
        for cls in {r.cls for r in self.rows}:
            for p in session.properties(cls).values():
                self._own(p, [r for r in self.rows if r.cls == cls])
        for c in session.model.classes.values():
            for p in c.own:
                dead = [r for r in self.rows if classes_in(p.type) & set(session.model.above(r.cls))]
                if p.inverse is None and dead:
                    self._elsewhere(p, {r.oid for r in dead})
        for row in self.rows:
            session.remove(row)
        session.flush()
        touched = tuple(
            Touched(cls, name, tuple(session.named(o) for o in sorted(owners)))
            for (cls, name), owners in sorted(self._touched.items())
            if owners
        )
        return Deletion(tuple(session.named(r.oid) for r in self.rows), touched)

    def _touch(self, p: Property, owner: int) -> None:
        if owner not in self.dead:
            self._touched.setdefault((p.cls, p.name), {})[owner] = None

    # what the objects themselves hold

    def _own(self, p: Property, rows: list[Row]) -> None:
        if p.inverse is not None:
            q = other_side(self.session.model, p)
            for row, members in zip(rows, self._members(p, rows), strict=True):
                for m in members:
                    self._touch(q, m)
                    self.relations.unlink(row.oid, p, m)
        elif isinstance(p.storage, Linked):
            for row, _ in zip(rows, self._members(p, rows), strict=True):
                self.relations.replace(row, p, [])

    def _members(self, p: Property, rows: list[Row]) -> list[list[int]]:
        """What each of the objects is related to, read for all of them at once."""
        session, oids = self.session, [r.oid for r in rows]
        match p.storage:
            case Backwards(column=column):
                c = session.tx.registry.collection(p.storage.table)
                found = find(session.tx, c, {column: oids}, [OID, column])
                by: dict[int, list[int]] = {}
                for owner, target in zip(found[OID].to_pylist(), found[column].to_pylist(), strict=True):
                    by.setdefault(target, []).append(owner)
                session.load(o for owners in by.values() for o in owners)
                return [[o for o in by.get(r.oid, []) if self._now(o, column) == r.oid] for r in rows]
            case Linked(ordered=True):
                session.lists(p.storage).load(oids)
            case Linked(owner=end):
                session.pairs(p.storage).load(OWNER if end == OWNER else MEMBER, oids)
            case InColumn():
                held = [self._now(r.oid, p.name) for r in rows]
                session.load(h for h in held if h is not None)
                return [[] if h is None else [h] for h in held]
        return [list(dict.fromkeys(self.relations.members(r, p))) for r in rows]

    def _now(self, oid: int, column: str) -> Any:
        now = self.session.get(oid).now
        assert now is not None
        return now[column]

    # what refers to them without an inverse

    def _elsewhere(self, p: Property, dead: set[int]) -> None:
        session = self.session
        if isinstance(p.storage, Linked):
            self._from_links(p, p.storage, dead)
            return
        c = session.table(p.cls)
        if isinstance(p.type, Ref):
            owners = find(session.tx, c, {p.name: sorted(dead)}, [OID, p.name])[OID].to_pylist()
        else:
            rows = whole(session.tx, c, [OID, p.name])
            held = zip(rows[OID].to_pylist(), rows[p.name].to_pylist(), strict=True)
            owners = [o for o, value in held if any(r in dead for r in references(p.type, value))]
        session.load(owners)
        for owner in owners:
            if owner not in self.dead:
                self._touch(p, owner)
                session.assign(session.get(owner), p.name, without(p.type, self._now(owner, p.name), dead))

    def _from_links(self, p: Property, storage: Linked, dead: set[int]) -> None:
        assert isinstance(p.type, CollectionType)
        if storage.ordered:
            lists = self.session.lists(storage)
            for owner in lists.owners_of(sorted(dead)):
                for m in dead & set(lists.get(owner)):
                    self._touch(p, owner)
                    self.relations.remove_all(owner, p, m)
            return
        pairs = self.session.pairs(storage)
        pairs.load(MEMBER, sorted(dead))
        for m in sorted(dead):
            for owner in dict.fromkeys(pairs.others(MEMBER, m)):
                self._touch(p, owner)
                self.relations.remove_all(owner, p, m)
