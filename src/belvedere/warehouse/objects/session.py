"""The objects that a transaction works on: read when they are first needed, changed in memory, written to their tables at once.

References are checked when the changes are written, all of them with one lookup per class; what can be told without a lookup
(the class, an object deleted before in the same transaction) is told when they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.types import to_arrow
from belvedere.changes.zset import negate, weighted
from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.objects.layout import other_side
from belvedere.objects.model import OID, InColumn, Linked, ObjectModel, Property
from belvedere.objects.oid import MAX_SERIAL, Oid, make_oid
from belvedere.objects.types import CollectionType, DictionaryType
from belvedere.store.model import Collection
from belvedere.warehouse.objects.links import Lists, Pairs
from belvedere.warehouse.objects.reading import find
from belvedere.warehouse.objects.values import Values

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

SERIALS = "oid"
"""The kind of the documents that keep the next serial of each class. Two writers that make objects of one class conflict."""


@dataclass(slots=True)
class Row:
    """An object: its columns as they stand in the tables (None: not there yet) and as they are to be (None: deleted)."""

    oid: int
    cls: str
    base: dict[str, Any] | None
    now: dict[str, Any] | None


class Session:
    """One for each transaction that touches objects."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.rows: dict[int, Row] = {}
        self.values = Values(lambda: self.model, self._refer)
        self._dirty: dict[int, None] = {}
        self._links: dict[str, Pairs | Lists] = {}
        self._unverified: dict[int, str] = {}
        self._fresh: set[int] = set()
        self._properties: dict[str, dict[str, Property]] = {}

    @property
    def model(self) -> ObjectModel:
        return self.tx.registry.objects()

    # names

    def class_name(self, name: str) -> str:
        if name not in self.model.classes:
            known = list(self.model.classes)
            extent = self.model.by_extent(name)
            hint = f"; it is the extent of class {extent.name!r}" if extent else suggest(name, known)
            raise UnknownName(f"there is no class {name!r}{hint}")
        return name

    def properties(self, cls: str) -> dict[str, Property]:
        known = self._properties.get(cls)
        if known is None:
            known = self._properties[cls] = {p.name: p for p in self.model.properties(cls)}
        return known

    def property(self, cls: str, name: str) -> Property:
        known = self.properties(cls)
        if name not in known:
            raise UnknownName(f"class {cls} has no attribute or relationship {name!r}{suggest(name, list(known))}")
        return known[name]

    def table(self, cls: str) -> Collection:
        return self.tx.registry.collection(self.model.classes[cls].table)

    def named(self, oid: int) -> Oid:
        found = self.model.class_of(oid)
        return Oid(oid, found.name if found else "")

    # reading

    def get(self, oid: int) -> Row:
        """A living object."""
        if isinstance(oid, bool) or not isinstance(oid, int):
            raise UnknownName(f"{oid!r} is not an object; give the Oid that new() gave")
        oid = int(oid)
        row = self.rows.get(oid)
        if row is None:
            self.load([oid])
            row = self.rows.get(oid)
        if row is None:
            raise UnknownName(f"there is no object {self.named(oid)!r}; it was deleted, or never made")
        if row.now is None:
            raise UnknownName(f"there is no object {self.named(oid)!r}; it was deleted in this transaction")
        return row

    def load(self, oids: Iterable[int]) -> None:
        """Read objects that are not at hand, one lookup per class; those that do not exist stay away."""
        wanted: dict[str, list[int]] = {}
        for oid in dict.fromkeys(oids):
            if oid not in self.rows:
                c = self.model.class_of(oid)
                if c is not None:
                    wanted.setdefault(c.name, []).append(oid)
        for cls, missing in wanted.items():
            for values in find(self.tx, self.table(cls), {OID: missing}).to_pylist():
                self.rows[values[OID]] = Row(values[OID], cls, values, values)

    def is_fresh(self, oid: int) -> bool:
        """Made in this transaction, one by one: all that is known of it is at hand."""
        return oid in self._fresh

    def pairs(self, storage: Linked) -> Pairs:
        found = self._links.get(storage.table)
        if found is None:
            found = self._links[storage.table] = Pairs(self.tx, self.tx.registry.collection(storage.table), self.is_fresh)
        assert isinstance(found, Pairs)
        return found

    def lists(self, storage: Linked) -> Lists:
        found = self._links.get(storage.table)
        if found is None:
            found = self._links[storage.table] = Lists(self.tx, self.tx.registry.collection(storage.table), self.is_fresh)
        assert isinstance(found, Lists)
        return found

    # changing

    def make(self, cls: str) -> Row:
        """A new object with nothing set."""
        oid = self.reserve(cls, 1)
        now: dict[str, Any] = {OID: oid}
        for p in self.properties(cls).values():
            if isinstance(p.storage, InColumn):
                now[p.name] = empty(p)
        row = self.rows[oid] = Row(oid, cls, None, now)
        self._dirty[oid] = None
        self._fresh.add(oid)
        return row

    def reserve(self, cls: str, count: int) -> int:
        """The first of some identities that no other object of the warehouse has or will have."""
        commit = self.tx.commit
        known = commit.doc(SERIALS, cls)
        start = int(known["next"]) if known else 1
        if start + count - 1 > MAX_SERIAL:
            raise BelvedereError(f"class {cls} has used up its {MAX_SERIAL:,} identities")
        commit.put_doc(SERIALS, cls, {"next": start + count})
        return make_oid(self.model.classes[cls].number, start)

    def assign(self, row: Row, column: str, value: Any) -> None:
        assert row.now is not None
        if row.now is row.base:
            row.now = dict(row.now)
        row.now[column] = value
        self._dirty[row.oid] = None

    def remove(self, row: Row) -> None:
        row.now = None
        self._dirty[row.oid] = None

    def _refer(self, oid: int, where: str) -> None:
        row = self.rows.get(oid)
        if row is None:
            self._unverified.setdefault(oid, where)
        elif row.now is None:
            raise UnknownName(f"{where}: {self.named(oid)!r} was deleted in this transaction")

    # writing

    def flush(self) -> None:
        """Write what has changed into the transaction's tables, where every reader of it looks."""
        self.verify()
        came: dict[str, list[dict[str, Any]]] = {}
        went: dict[str, list[dict[str, Any]]] = {}
        sets: dict[str, set[str] | None] = {}
        columns: dict[str, frozenset[str]] = {}
        for oid in self._dirty:
            row = self.rows[oid]
            if row.base is None and row.now is None:
                continue
            changed = None if row.base is None or row.now is None else {n for n, v in row.now.items() if v != row.base[n]}
            for cls in self.model.above(row.cls):
                if cls not in columns:
                    columns[cls] = frozenset(self.table(cls).schema.names)
                touched = None if changed is None else changed & columns[cls]
                if touched is not None and not touched:
                    continue
                if row.base is not None:
                    went.setdefault(cls, []).append(row.base)
                if row.now is not None:
                    came.setdefault(cls, []).append(row.now)
                known = sets.get(cls, set())
                sets[cls] = None if touched is None or known is None else known | touched
            row.base = row.now
        self._dirty.clear()
        for cls, names in sets.items():
            c = self.table(cls)
            ids = None if names is None else {c.schema[n].id for n in names}
            self.tx.write(c, negate(_zset(c, went.get(cls, []))), _zset(c, came.get(cls, [])), sets=ids)
        for links in self._links.values():
            delta = links.flush()
            if delta is not None:
                self.tx.write(links.collection, delta)

    def verify(self) -> None:
        """Every reference that was given leads to a living object, or to one deleted since, which took it out again."""
        self.load(self._unverified)
        for oid, where in self._unverified.items():
            if oid not in self.rows:
                raise UnknownName(f"{where}: there is no object {self.named(oid)!r}; it was deleted, or never made")
        self._unverified.clear()

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """An update that fails leaves no reference behind to be checked."""
        before = set(self._unverified)
        try:
            yield
        except BaseException:
            self._unverified = {o: w for o, w in self._unverified.items() if o in before}
            raise

    def need(self, p: Property, value: Any) -> None:
        """Refuse dead objects before anything is changed, where linking with them reads them in any case."""
        if p.inverse is not None and value is not None and isinstance(other_side(self.model, p).storage, InColumn):
            others = value if isinstance(value, list) else [value]
            self.load(others)
            for o in others:
                self.get(o)

    def forget(self) -> None:
        """Flush, and read anew what is needed next: for changes that go past this session."""
        self.flush()
        self.rows.clear()
        self._links.clear()
        self._fresh.clear()


def empty(p: Property) -> Any:
    """What a property holds before it is set."""
    return [] if isinstance(p.type, (CollectionType, DictionaryType)) else None


def _zset(c: Collection, rows: list[dict[str, Any]]) -> pa.Table:
    arrays = [pa.array([r[x.name] for r in rows], to_arrow(x.type)) for x in c.schema]
    return weighted(pa.Table.from_arrays(arrays, names=list(c.schema.names)))
