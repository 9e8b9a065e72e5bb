"""Properties of objects that lead to other objects, with both sides of a relationship kept alike.

A relationship holds a pair of objects once, whatever collection shows it. Everything is said with two steps: `link` makes
a.p lead to b and b's other side to a, freeing a single side that was taken; `unlink` undoes it on both sides.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from belvedere.objects.layout import other_side
from belvedere.objects.model import MEMBER, OID, OWNER, Backwards, InColumn, Linked, Property
from belvedere.objects.types import CollectionType
from belvedere.warehouse.objects.reading import find

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Row, Session


class Relations:
    """References and collections of references, wherever they are kept."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # whole properties

    def members(self, row: Row, p: Property) -> list[int]:
        """The members of a collection of references: in order if it has one, else by identity."""
        match p.storage:
            case Linked(ordered=True):
                return list(self.session.lists(p.storage).get(row.oid))
            case Linked(owner=end):
                return self.session.pairs(p.storage).others(OWNER if end == OWNER else MEMBER, row.oid)
            case Backwards():
                return self._backwards(row, p.storage)
        raise AssertionError(f"{p.cls}.{p.name} is no collection of references")

    def set_single(self, row: Row, p: Property, other: int | None) -> None:
        assert row.now is not None
        old = row.now[p.name]
        if old == other:
            return
        if p.inverse is None:
            self.session.assign(row, p.name, other)
            return
        if old is not None:
            self.unlink(row.oid, p, old)
        if other is not None:
            self.link(row.oid, p, other)

    def replace(self, row: Row, p: Property, wanted: list[int], before: list[int] | None = None) -> None:
        """A whole collection. Who is not in it any more loses its other side. `before` is what it holds, if that is known."""
        if p.inverse is None:
            self._replace_attribute(row, p, wanted)
            return
        wanted = list(dict.fromkeys(wanted))
        if before is None:
            before = self.members(row, p)
        self.read_ahead(p, [(row.oid, m) for m in dict.fromkeys([*before, *wanted])])
        for m in before:
            if m not in wanted:
                self.unlink(row.oid, p, m)
        for m in wanted:
            self.link(row.oid, p, m)
        if isinstance(p.storage, Linked) and p.storage.ordered:
            self.session.lists(p.storage).load([row.oid])
            self.session.lists(p.storage).put(row.oid, wanted)

    def _replace_attribute(self, row: Row, p: Property, wanted: list[int]) -> None:
        assert isinstance(p.storage, Linked)
        if p.storage.ordered:
            lists = self.session.lists(p.storage)
            lists.load([row.oid])
            lists.put(row.oid, wanted)
            return
        pairs = self.session.pairs(p.storage)
        before = Counter(pairs.others(OWNER, row.oid))
        after = Counter(wanted)
        for m in sorted(before.keys() | after.keys()):
            if after[m] != before[m]:
                pairs.add(row.oid, m, after[m] - before[m])

    # single members

    def insert(self, row: Row, p: Property, member: int, position: int | None) -> None:
        """Add a member; a set, and every relationship, has it once."""
        if p.inverse is not None:
            self.link(row.oid, p, member, position)
            return
        assert isinstance(p.storage, Linked)
        if p.storage.ordered:
            self._put(row.oid, p, member, position)
            return
        pairs = self.session.pairs(p.storage)
        if pairs.count(row.oid, member) == 0 or kind(p) == "bag":
            pairs.add(row.oid, member, 1)

    def remove(self, row: Row, p: Property, member: int) -> bool:
        """Take out the first occurrence of a member; False if there is none."""
        if not self._has(row.oid, p, member):
            return False
        if p.inverse is not None:
            self.unlink(row.oid, p, member)
        elif isinstance(p.storage, Linked) and p.storage.ordered:
            lists = self.session.lists(p.storage)
            left = list(lists.get(row.oid))
            left.remove(member)
            lists.put(row.oid, left)
        else:
            assert isinstance(p.storage, Linked)
            self.session.pairs(p.storage).add(row.oid, member, -1)
        return True

    def remove_all(self, owner: int, p: Property, member: int) -> None:
        """All occurrences of a member of an attribute's collection."""
        assert isinstance(p.storage, Linked)
        if p.storage.ordered:
            lists = self.session.lists(p.storage)
            lists.put(owner, [m for m in lists.get(owner) if m != member])
        else:
            pairs = self.session.pairs(p.storage)
            pairs.add(owner, member, -pairs.count(owner, member))

    # both sides

    def link(self, a: int, p: Property, b: int, position: int | None = None) -> None:
        q = other_side(self.session.model, p)
        many, back = isinstance(p.type, CollectionType), isinstance(q.type, CollectionType)
        if not many and (old := self._single(a, p)) is not None:
            self.unlink(a, p, old)
        if not back and (old := self._single(b, q)) is not None:
            if old == a and many:
                return
            self.unlink(b, q, old)
        if many and self._has(a, p, b):
            return
        self._put(a, p, b, position)
        if not (a == b and (p.cls, p.name) == (q.cls, q.name)):
            self._put(b, q, a, None)

    def unlink(self, a: int, p: Property, b: int) -> None:
        self._take(a, p, b)
        self._take(b, other_side(self.session.model, p), a)

    # one side

    def _single(self, a: int, p: Property) -> int | None:
        now = self.session.get(a).now
        assert now is not None
        found: int | None = now[p.name]
        return found

    def _has(self, a: int, p: Property, b: int) -> bool:
        match p.storage:
            case Linked(ordered=True):
                return b in self.session.lists(p.storage).get(a)
            case Linked(owner=end):
                return self.session.pairs(p.storage).count(*((a, b) if end == OWNER else (b, a))) > 0
            case Backwards(column=column):
                now = self.session.get(b).now
                return now is not None and now[column] == a
        return self._single(a, p) == b

    def _put(self, a: int, p: Property, b: int, position: int | None) -> None:
        match p.storage:
            case InColumn():
                self.session.assign(self.session.get(a), p.name, b)
            case Linked(ordered=True):
                lists = self.session.lists(p.storage)
                members = list(lists.get(a))
                members.insert(len(members) if position is None else position, b)
                lists.put(a, members)
            case Linked(owner=end):
                pairs, pair = self.session.pairs(p.storage), (a, b) if end == OWNER else (b, a)
                if pairs.count(*pair) == 0:
                    pairs.add(*pair, 1)

    def _take(self, a: int, p: Property, b: int) -> None:
        match p.storage:
            case InColumn() if self._single(a, p) == b:
                self.session.assign(self.session.get(a), p.name, None)
            case Linked(ordered=True):
                lists = self.session.lists(p.storage)
                if b in lists.get(a):
                    lists.put(a, [m for m in lists.get(a) if m != b])
            case Linked(owner=end):
                pairs, pair = self.session.pairs(p.storage), (a, b) if end == OWNER else (b, a)
                pairs.add(*pair, -pairs.count(*pair))

    # reading ahead

    def read_ahead(self, p: Property, links: list[tuple[int, int]]) -> None:
        """Read at once what linking or unlinking these pairs needs of both ends."""
        session, q = self.session, other_side(self.session.model, p)
        others = [b for _, b in links]
        self._read_side(p, links)
        self._read_side(q, [(b, a) for a, b in links])
        if not isinstance(q.type, CollectionType):
            # those from whom the others are taken away
            session.load(others)
            held = [(now[q.name], o) for o in others if o in session.rows and (now := session.rows[o].now) is not None]
            self._read_side(p, [(a, b) for a, b in held if a is not None])

    def _read_side(self, p: Property, links: list[tuple[int, int]]) -> None:
        match p.storage:
            case InColumn():
                self.session.load(a for a, _ in links)
            case Linked(ordered=True):
                self.session.lists(p.storage).load(a for a, _ in links)
            case Linked(owner=end):
                self.session.pairs(p.storage).look_up(links if end == OWNER else [(b, a) for a, b in links])

    def _backwards(self, row: Row, storage: Backwards) -> list[int]:
        """Who refers to the object: those in the tables, and those changed in memory since, which are written first."""
        self.session.flush()
        c = self.session.tx.registry.collection(storage.table)
        found = find(self.session.tx, c, {storage.column: [row.oid]}, [OID, storage.column])
        return sorted(found[OID].to_pylist())


def kind(p: Property) -> str:
    return p.type.kind if isinstance(p.type, CollectionType) else ""
