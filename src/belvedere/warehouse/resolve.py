"""From leaves to files: what a Get reads, in each of its versions, for one piece of work.

A piece of work looks at two epochs: `since`, the state a view was last brought up to, and `until`. On top of `until` lie
changes that are not published yet: the rows of the running transaction, and the deltas of stages refreshed just before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Date, Integral, String
from belvedere.engines.scan import Scan
from belvedere.errors import UnknownName
from belvedere.maintenance.closures import GIVEN, given_schema
from belvedere.store.model import Collection, Run, choose
from belvedere.store.physical import physical_schema
from belvedere.store.store import Store
from belvedere.warehouse.sources.mirrors import refuse_reading


@dataclass
class Overlay:
    """Unpublished changes: collections made or altered, delta rows in memory or in files, and contents replaced."""

    collections: dict[str, Collection] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)
    tables: dict[str, list[pa.Table]] = field(default_factory=dict)
    files: dict[str, list[Run]] = field(default_factory=dict)
    #: collections whose content starts anew with the overlay's rows
    replaced: set[str] = field(default_factory=set)
    #: for tables: the columns in which updated rows differ (None: rows came or went), and statistics of the rows
    changed: dict[str, frozenset[str] | None] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: outlines of SchemaSQL views refreshed here
    outlines: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Overlay:
        """One that does not feel what is added to this one."""
        made = object.__new__(Overlay)
        made.__dict__.update((n, v.copy()) for n, v in self.__dict__.items())
        made.tables = {n: list(x) for n, x in self.tables.items()}
        made.files = {n: list(x) for n, x in self.files.items()}
        return made

    def become(self, other: Overlay) -> None:
        vars(self).update(vars(other.copy()))

    def touched(self, name: str) -> bool:
        return bool(self.tables.get(name) or self.files.get(name) or name in self.replaced)

    def rows(self, name: str) -> int:
        return int(sum(t.num_rows for t in self.tables.get(name, ())) + sum(r.rows for r in self.files.get(name, ())))


def collection(store: Store, overlay: Overlay | None, name: str, epoch: int | None = None) -> Collection:
    """The collection of that exact name, seen through the overlay."""
    found = None
    if overlay is not None:
        found = overlay.collections.get(name)
        if found is None and name in overlay.dropped:
            raise UnknownName(f"{name!r} was dropped")
    found = found or store.collection(name, epoch)
    if found is None:
        raise UnknownName(f"there is no collection {name!r}")
    return found


#: scans by what they are of, with the collection that this is about
Shared = dict[tuple[int, tuple[int, ...], tuple[int, ...]], tuple[Collection, Scan]]


class Resolver:
    """Callable that engines ask for the files and tables behind a leaf. What several of them find is the same scan if they share
    what they found."""

    def __init__(
        self, store: Store, *, until: int, since: int | None = None, overlay: Overlay | None = None, shared: Shared | None = None
    ) -> None:
        self.store = store
        self.until = until
        self.since = until if since is None else since
        self.overlay = overlay or Overlay()
        self._known: dict[str, Collection] = {}
        self._snapshots: dict[tuple[int, int], list[Run]] = {}
        self._deltas: dict[int, list[Run] | None] = {}
        self._scans: dict[Get, Scan] = {}
        self._shared = {} if shared is None else shared

    def __call__(self, get: Get) -> Scan:
        if self.overlay.touched(get.name):
            return self._find(get)
        known = self._scans.get(get)
        if known is None:  # what the overlay does not touch stays what it is
            known = self._scans[get] = self._find(get)
        return known

    def _find(self, get: Get) -> Scan:
        if get.name.startswith(GIVEN):
            return given_scan(get.name)
        c = self.overlay.collections.get(get.name) or self._known.get(get.name)
        if c is None:
            c = self._known[get.name] = collection(self.store, self.overlay, get.name, self.until)
        refuse_reading(c)
        order = best_order(c, tuple(c.schema[get.source(n)].id for n in get.by))
        if get.version == "old":
            return self._state(c, self.since, order)
        if get.version == "new":
            return self._new(c, order)
        return self._delta(c)

    def size(self, get: Get) -> int:
        """Physical rows behind a leaf."""
        return self(get).rows

    def _new(self, c: Collection, order: tuple[int, ...] | None) -> Scan:
        if c.name in self.overlay.replaced:
            return self._scan(c, (), fresh=True)
        return self._scan(c, self._runs(c, self.until, order), order or c.sort, fresh=True)

    def _state(self, c: Collection, epoch: int, order: tuple[int, ...] | None) -> Scan:
        return self._scan(c, self._runs(c, epoch, order), order or c.sort, fresh=False)

    def _runs(self, c: Collection, epoch: int, order: tuple[int, ...] | None) -> list[Run]:
        if c.version > epoch and self.store.collection(c.name, epoch) is None and c.name in self.overlay.collections:
            known = {x.id for x in self.store.collections(epoch)}
            if c.id not in known:
                return []
        if (c.id, epoch) not in self._snapshots:
            self._snapshots[c.id, epoch] = self.store.runs(c, epoch)
        return choose(self._snapshots[c.id, epoch], c.sort, order)

    def _delta(self, c: Collection) -> Scan:
        if c.id not in self._deltas:
            self._deltas[c.id] = self.store.delta(c, self.since, self.until)
        runs = None if c.name in self.overlay.replaced else self._deltas[c.id]
        if runs is None:
            new, old = self._new(c, None), self._state(c, self.since, None)
            return Scan(schema=c.schema, files=new.files, negative=old.files, tables=new.tables, rows=new.rows + old.rows)
        return self._scan(c, runs, fresh=True)

    def _scan(self, c: Collection, runs: Iterable[Run], order: tuple[int, ...] = (), *, fresh: bool) -> Scan:
        if fresh and self.overlay.touched(c.name):
            return self._made(c, runs, order, fresh=True)
        key = (id(c), order, tuple(r.id for r in runs))
        if key not in self._shared:
            self._shared[key] = c, self._made(c, runs, order, fresh=False)  # nobody else is at that address
        return self._shared[key][1]

    def _made(self, c: Collection, runs: Iterable[Run], order: tuple[int, ...], *, fresh: bool) -> Scan:
        every = [*runs, *(self.overlay.files.get(c.name, ()) if fresh else ())]
        tables = tuple(fitted(t, c) for t in self.overlay.tables.get(c.name, ())) if fresh else ()
        rows = sum(r.rows for r in every) + sum(t.num_rows for t in tables)
        positive = all(r.deletes == 0 for r in every) and not any(has_deletes(t) for t in tables)
        unique = positive and bool(c.key)
        files = tuple(r.path for r in every)
        key = key_names(c) if unique else ()
        leading = next((x.name for x in c.schema if order and x.id == order[0]), "")
        return Scan(
            schema=c.schema, files=files, tables=tables, rows=rows, consolidated=unique, positive=positive, key=key,
            leading=leading,
        )  # fmt: skip


def best_order(c: Collection, wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """The leading columns of a sort order of the collection that a lookup by these columns can use, if any: as many as possible,
    since each of them leaves fewer rows; of as many, those that begin with the column that is named first."""
    best: tuple[int, ...] = ()
    for order in (c.sort, *c.arrangements):
        length = 0
        while length < len(order) and order[length] in wanted:
            length += 1
        if (length, order[:1] == wanted[:1]) > (len(best), best[:1] == wanted[:1]):
            best = order[:length]
    return best or None


def key_names(c: Collection) -> tuple[str, ...]:
    """The columns of a key in which rows that differ also look different; none if there is another column in it."""
    names = tuple(x.name for x in c.schema if x.id in c.key and isinstance(x.type, (Integral, String, Date)))
    return names if len(names) == len(c.key) else ()


def given_scan(name: str, table: pa.Table | None = None) -> Scan:
    """Rows that are given to a plan in memory; one row that stands for them where the plan is only looked at."""
    schema = given_schema(name)
    if table is None:
        table = pa.Table.from_arrays([*(pa.nulls(1, f.type) for f in physical_schema(schema))], schema=physical_schema(schema))
    return Scan(schema, tables=(table,), rows=table.num_rows)


def has_deletes(table: pa.Table) -> bool:
    return bool(table.num_rows) and bool(pc.min(table.column("_w")).as_py() < 0)


def has_inserts(table: pa.Table) -> bool:
    return bool(table.num_rows) and bool(pc.max(table.column("_w")).as_py() > 0)


def fitted(table: pa.Table, c: Collection) -> pa.Table:
    """A run in memory in the collection's present layout: columns added since are NULL, dropped ones go."""
    wanted = c.physical
    if table.schema.equals(wanted):
        return table
    columns = []
    for f in wanted:
        at = table.schema.get_field_index(f.name)
        columns.append(pa.nulls(table.num_rows, f.type) if at < 0 else table.column(at).cast(f.type))
    return pa.table(columns, schema=wanted)
