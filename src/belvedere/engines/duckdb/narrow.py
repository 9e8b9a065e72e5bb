"""Lookups of a few keys, done before DuckDB is asked: what is left of a leaf are the rows that its keys find.

A statement over ten thousand rows costs DuckDB milliseconds, and one over files has to be planned anew each time. Where a leaf
meets another one that holds a few rows (`engines/meetings.py`), the rows with those values are picked out here, from runs in
memory or from the row groups that can have them. Rows too many do no harm, since the statement joins them all the same; so
only the leaf's size changes, and a refresh that looks up a few keys becomes a prepared statement over a few rows. Whatever
cannot be found this way, or not cheaply, is left to DuckDB as it is.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from time import perf_counter

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.algebra.types import to_arrow
from belvedere.engines.arrow import stored_column, together
from belvedere.engines.bands import least_and_most
from belvedere.engines.duckdb.ways import Lead, Values, choices_of, small, wanted_by
from belvedere.engines.meetings import Meeting, Source, meetings
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.store.ascending import InOrder
from belvedere.store.hot_columns import Between, HotColumns, Together, Wanted
from belvedere.store.inlined import is_inlined
from belvedere.store.row_groups import RowGroups
from belvedere.store.small_runs import SmallRuns

#: leaves with no more rows are read as they are
NEAR = 512
#: rows of the leaves that keys are taken from, and how many keys are looked up by row groups
KEYS = 65_536
#: the same before anything of a plan is evaluated: steps may find that most of it, or all, is not needed
AT_FIRST = 16_384
FEW_KEYS = 1_024
#: runs with more rows are looked up by row groups
WHOLE = 16_384
#: what stands for the row group where a run is read whole
WHOLE_RUN = -1
#: rows of all row groups that one leaf may open
OPENED = 131_072
#: lookups whose finds are kept, and their bytes: several views meet the same change with the same rows
LOOKUPS, KEPT = 64, 32 << 20

Ask = Callable[[Get], Scan]


class _TooMuch(Exception):
    """A lookup that would read more than it saves."""


class _Later(_TooMuch):
    """A lookup that would read much, while others may still give it better keys."""


@dataclass
class _Turn:
    """The lookups of one plan."""

    spent: Metrics
    #: whether they will come again, as those of a change do
    returns: bool
    #: whether what would read much waits for better keys, as long as there is something to find by few reads
    patient: bool = True


@dataclass
class Family:
    """What plans have in common that are narrowed one after the other, to become one: leaves that hold the same for all of them.
    What such leaves find of each other is found once."""

    leaves: frozenset[Get] = frozenset()
    found: dict[Get, Scan] = field(default_factory=dict)
    values: dict[Source, pa.Array | pa.Table] = field(default_factory=dict)

    def same(self, get: Get, found: Container[Get]) -> bool:
        """Whether a leaf holds the same for all plans still, `found` being those that this one has narrowed."""
        return get in self.leaves and (get in self.found or get not in found)


@dataclass
class Narrow:
    """Narrows the leaves of a plan by each other, starting from the small ones."""

    runs: SmallRuns
    groups: RowGroups = field(default_factory=RowGroups)
    hot: HotColumns = field(default_factory=HotColumns)
    in_order: InOrder = field(default_factory=InOrder)
    _finds: OrderedDict[_Lookup, _Found] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, node: Node, ask: Ask, most: int = KEYS, family: Family | None = None) -> tuple[Ask, Metrics]:
        """The scans of the plan's leaves, some of them narrowed by no more than `most` rows each, and what that cost."""
        family = family or Family()
        todo = {g: places for g, places in meetings(node).items() if (s := ask(g)).rows > NEAR and not s.negative}
        if not todo:
            return ask, Metrics()
        began = perf_counter()
        spent = Metrics()
        found: dict[Get, Scan] = {get: family.found[get] for get in todo if get in family.found}
        todo = {get: places for get, places in todo.items() if get not in found}

        def scan(get: Get) -> Scan:
            return found.get(get) or ask(get)

        if not todo:
            return scan, spent

        # where there is a change it says what is wanted, and so does what it found; other leaves hold all that there is
        driven = any(g.version == "delta" for g in gets(node))

        values: dict[Source, pa.Array | pa.Table] = {}

        def keys(source: Source) -> pa.Array | pa.Table:
            """The different values of a column of a leaf, or the rows of several, found once for all that meet them."""
            get, names = source
            mine = family.values if family.same(get, found) else values
            if source not in mine:
                parts = [self._values(get, name, scan) for name in names]
                rows = pa.Table.from_arrays(parts, names=[str(n) for n in range(len(parts))])
                mine[source] = parts[0].unique() if len(parts) == 1 else rows
            return mine[source]

        sizes: dict[int, int | None] = {}

        def size(meeting: Meeting) -> int | None:
            at = id(meeting)
            if at not in sizes:
                told = not driven or all(g.version == "delta" or g in found for g, _ in meeting.sources)
                sizes[at] = sum(scan(g).rows for g, _ in meeting.sources) if told else None
            return sizes[at]

        turn, tried = _Turn(spent, returns=driven), dict[Get, list[list[Meeting]]]()
        while todo:
            # what was narrowed in one round has keys for others in the next
            ready = [(g, places) for g, places in todo.items() if all(small(place, size, most) for place in places)]
            before = len(todo)
            leads = {g: Lead(g, ask(g)) for g, _ in ready}
            awaited = {g: any(leads[g].is_awaited(place, size, most) for place in places) for g, places in ready}
            for get, places in ready if turn.patient else sorted(ready, key=lambda r: awaited[r[0]]):
                if turn.patient and awaited[get]:
                    continue
                lead = leads[get]
                choices = choices_of(places, size, most, lead)
                if turn.patient and tried.get(get) == choices:
                    continue
                tried[get] = choices
                del todo[get]
                # otherwise DuckDB reads it, or says what is wrong with the file
                with suppress(OSError, MemoryError, pa.ArrowException):
                    for chosen in choices:
                        try:
                            bands = [b for m in chosen if m.band and (b := self._band(get, ask(get), m, scan)) is not None]
                            same = family.same(get, found) and all(family.same(g, found) for m in chosen for g, _ in m.sources)
                            found[get] = self._look_up(get, ask(get), wanted_by(chosen, keys), bands, turn)
                            if same:
                                family.found[get] = found[get]
                            sizes.clear()
                            todo.pop(get, None)
                            break
                        except _Later:
                            todo[get] = places
                        except _TooMuch:
                            pass
                if not turn.patient and get in found:
                    break  # what it found may be better keys for the others
            if not ready or (len(todo) == before and not turn.patient):
                break
            turn.patient = len(todo) < before
        spent.rows_read = sum(spent.scanned.values())
        spent.seconds = perf_counter() - began
        return (scan if found else ask), spent

    def beside(self, get: Get, scan: Scan) -> float:
        """Rows that a lookup of a few keys can expect to look at besides those that it finds: all of a run in memory that is not
        in the order of what it is looked up by, and a row group that is not in memory."""
        near = {f: rows for f in scan.files if (rows := self.runs.rows(f)) is not None}
        columns = [scan.physical(get.source(n)) for n in get.by]
        masked = sum(rows for f, rows in near.items() if rows > NEAR and not self._in_order(f, columns))
        cold = (f for f in scan.files if not (f in near or is_inlined(f) or self.hot.has(f)))
        return masked + max((self.groups.unread(f) for f in cold), default=0.0)

    def _in_order(self, path: str, columns: Iterable[str]) -> bool:
        """Whether a run that is in memory ascends by one of the columns."""
        table = self.runs.read(path)
        return any(self.in_order.ascends(path, WHOLE_RUN, table, c) for c in columns)

    def _values(self, get: Get, column: str, scan: Ask) -> pa.ChunkedArray:
        found = scan(get)
        tables = [*(self.runs.read(f) for f in (*found.files, *found.negative)), *found.tables]
        name, t = found.physical(get.source(column)), to_arrow(get.types[column].type)
        parts = [stored_column(table, name, t) for table in tables]
        return pa.chunked_array([c for p in parts for c in p.chunks], t)

    def _band(self, get: Get, scan: Scan, meeting: Meeting, ask: Ask) -> _Band | None:
        """The values between the ends of a band; None if there are none."""
        ends = [self._values(g, c, ask) for g, (c,) in meeting.sources]
        if not len(ends[0]):
            return None
        if any(len(e) != 1 for e in ends):
            raise _TooMuch
        (column,) = meeting.columns
        t = get.types[column].type
        try:
            low, high, total = (e[0].as_py() for e in ends)
            if total != 0:
                raise _TooMuch
            if low is None or high is None:
                return None
            found = pa.array(least_and_most(t, low, high), to_arrow(t))
        except (ArithmeticError, ValueError):  # days after the year 9999 are none in Python
            raise _TooMuch from None
        return _Band((scan.physical(get.source(column)),), (to_arrow(t),), found)

    def _look_up(self, get: Get, scan: Scan, wanted: Values, bands: list[_Band], turn: _Turn) -> Scan:
        keys: list[_Keys] = list(bands)
        for columns, values in wanted.items():
            names = tuple(scan.physical(get.source(c)) for c in columns)
            kinds = tuple(to_arrow(get.types[c].type) for c in columns)
            keys.append(_Keys(names, kinds, values) if len(names) == 1 else _Rows(names, kinds, values.rename_columns(names)))
        if not keys:
            return replace(scan, files=(), tables=(), rows=0, counted=True)
        columns = tuple(dict.fromkeys([*(scan.physical(c) for c in get.columns), *(n for k in keys for n in k.names), "_w"]))
        found, spent = self._known(scan, columns, keys, turn), turn.spent
        spent.files += scan.opened
        # what is held between two steps, or was looked up before, was counted when it was read
        if not get.name.startswith("\0") and not scan.counted:
            spent.scanned[get.name] = spent.scanned.get(get.name, 0) + found.looked_at
            spent.fetched += found.count
        return replace(scan, files=(), tables=found.rows, rows=found.count, counted=True)

    def _known(self, scan: Scan, columns: tuple[str, ...], keys: list[_Keys], turn: _Turn) -> _Found:
        """What the keys find, from the last lookups if one was the same: files never change."""
        if scan.tables:
            return self._find(scan, columns, keys, turn)
        lookup = (scan.files, columns, tuple((k.names, type(k)) for k in keys))
        found = self._finds.get(lookup)
        if found is None or not all(a.equals(k.values) for a, k in zip(found.values, keys, strict=True)):
            found = self._find(scan, columns, keys, turn)
            with self._lock:
                self._drop(lookup)
                self._finds[lookup] = found
                self._bytes += found.bytes
                # most are of use until the next change only
                while len(self._finds) > LOOKUPS or self._bytes > KEPT:
                    self._drop(next(iter(self._finds)))
        return found

    def _drop(self, lookup: _Lookup) -> None:
        known = self._finds.pop(lookup, None)
        self._bytes -= known.bytes if known is not None else 0

    def drop(self, paths: frozenset[str]) -> None:
        """These files are no part of anything any more."""
        with self._lock:
            for lookup in [x for x in self._finds if not paths.isdisjoint(x[0])]:
                self._drop(lookup)
        self.groups.drop(paths)
        self.in_order.drop(paths)
        self.hot.drop(*paths)

    def forget(self) -> None:
        """Nothing is kept any more."""
        with self._lock:
            self._finds.clear()
            self._bytes = 0
        self.hot.close()

    def _find(self, scan: Scan, columns: tuple[str, ...], keys: list[_Keys], turn: _Turn) -> _Found:
        files = [f for f in scan.files if not is_inlined(f) and self.groups.rows(f) > WHOLE]
        large = {f: self._in_memory(f, columns, keys) for f in files}
        cold = [f for f, rows in large.items() if rows is None]
        lead = scan.physical(scan.leading) if scan.leading else None
        next_time = columns if turn.returns and any(lead in k.names for k in keys) else ()
        if cold and any(len(k.values) > FEW_KEYS for k in keys):
            raise _Later if turn.patient else self._too_much(cold, next_time)
        opened = [(f, g) for f in cold for g in sorted(self._open(f, keys))]
        rows = sum(self.groups.size(f, g) for f, g in opened)
        if turn.patient and rows > WHOLE:
            raise _Later
        if rows > OPENED:
            raise self._too_much(cold, next_time)
        found = [t for t in large.values() if t is not None]
        tables = list(scan.tables)
        looked_at = sum(t.num_rows for t in (*found, *tables))

        def look(table: pa.Table, path: str, part: int, known: bool) -> None:
            """Rows that were in memory before and are in order need not be looked at one by one."""
            nonlocal looked_at
            plain = known and table.num_rows > NEAR and [type(k) for k in keys] == [_Keys]
            hit = self.in_order.find(path, part, table, columns, keys[0].names[0], keys[0].values) if plain else None
            looked_at += table.num_rows if hit is None else hit.num_rows
            (tables if hit is None else found).append(table if hit is None else hit)

        for path in (f for f in scan.files if f not in large):
            known = self.runs.has(path)
            look(self.runs.read(path), path, WHOLE_RUN, known)
        for path, group in opened:
            table, read = self.groups.read(path, group, columns)
            self._read(path, table.num_rows, next_time)
            turn.spent.bytes_read += read
            look(table, path, group, not read)
        # what nobody reads need not be copied
        some = (_agreeing(_only(table, columns), keys) for table in together(tables))
        hits = tuple(t for t in (*found, *some) if t.num_rows)
        return _Found([k.values for k in keys], hits, sum(t.num_rows for t in hits), looked_at)

    def _in_memory(self, path: str, columns: tuple[str, ...], keys: list[_Keys]) -> pa.Table | None:
        """What the keys find in the columns that are kept of a file that is looked up often."""
        if not all(self.groups.has(path, n) for k in keys for n in k.names):
            return None
        wanted = [c for c in columns if self.groups.has(path, c)]
        return self.hot.find(path, self.groups.meta(path), [(k.names[0], k.wanted) for k in keys], wanted)

    def _too_much(self, paths: Iterable[str], next_time: tuple[str, ...]) -> _TooMuch:
        """DuckDB will read these files, most of them whole."""
        for path in paths:
            self._read(path, self.groups.rows(path), next_time)
        return _TooMuch()

    def _read(self, path: str, rows: int, next_time: tuple[str, ...]) -> None:
        """So many rows of a file were read for a lookup; the next one will want these columns."""
        self.hot.note(path, rows)
        if next_time:
            self.hot.expect(path, self.groups.meta(path), [c for c in next_time if self.groups.has(path, c)])

    def _open(self, path: str, keys: list[_Keys]) -> set[int]:
        """The row groups of a file that may hold one of the keys."""
        return set().union(*(set.intersection(*(self._holding(path, k) for k in each.alone)) for each in keys))

    def _holding(self, path: str, key: _Keys) -> set[int]:
        """The row groups that may hold one of the values of a column."""
        bounds = self.groups.bounds(path, key.names[0])
        if bounds is None and key.null:
            raise _TooMuch  # the column came later: all of its rows are NULL
        if bounds is None:
            return set()
        return bounds.all if key.bounded is None else bounds.holding(key.bounded, key.null)


#: files, columns and the columns of the keys
_Lookup = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[tuple[str, ...], type], ...]]


@dataclass(frozen=True)
class _Found:
    """What a lookup found by some values, and how many rows it looked at for that."""

    values: list[pa.Array | pa.Table]
    rows: tuple[pa.Table, ...]
    count: int
    looked_at: int

    @cached_property
    def bytes(self) -> int:
        return int(sum(x.get_total_buffer_size() for x in (*self.values, *self.rows)))


class _Keys:
    """The values that a column is looked up by."""

    def __init__(self, names: tuple[str, ...], types: tuple[pa.DataType, ...], values: pa.Array | pa.Table) -> None:
        self.names, self.types, self.values = names, types, values

    @cached_property
    def null(self) -> bool:
        return bool(self.values.null_count > 0)

    @property
    def alone(self) -> list[_Keys]:
        """The same for each column; a row that is wanted is wanted by all of them."""
        return [self]

    @cached_property
    def bounded(self) -> list[int | str] | None:
        """Those that bounds of row groups tell about; None where a value may be in any group."""
        known = pa.types.is_integer(self.values.type) or pa.types.is_string(self.values.type)
        return self.values.drop_null().to_pylist() if known else None

    @property
    def wanted(self) -> Wanted:
        return self.values

    def among(self, table: pa.Table) -> pa.ChunkedArray:
        """For each row, whether it has one of the values. One value is compared several times faster than it is looked up."""
        column = stored_column(table, self.names[0], self.types[0])
        if len(self.values) == 1 and not self.null:
            return pc.equal(column, self.values[0])
        return pc.is_in(column, value_set=self.values)


class _Band(_Keys):
    """The ends of what a column is looked up by, and all between them."""

    @property
    def bounded(self) -> None:
        return None

    @property
    def wanted(self) -> Between:
        return Between(self.values[0], self.values[1])

    def among(self, table: pa.Table) -> pa.ChunkedArray:
        return self.wanted.among(stored_column(table, self.names[0], self.types[0]))


class _Rows(_Keys):
    """The rows that several columns are looked up by. Row groups and rows that have each value in one of them are taken for
    those that have all in one: a few too many."""

    @cached_property
    def alone(self) -> list[_Keys]:
        return [_Keys((n,), (t,), self.values.column(n).unique()) for n, t in zip(self.names, self.types, strict=True)]

    @property
    def wanted(self) -> Together:
        return Together(self.values)

    def among(self, table: pa.Table) -> pa.ChunkedArray:
        # NULL is not unequal to NULL here, and is looked up as any other value
        return reduce(pc.and_kleene, (k.among(table) for k in self.alone))


def _only(table: pa.Table, columns: tuple[str, ...]) -> pa.Table:
    """These columns of a run, as far as it has them: others were added to the collection later."""
    there = table.column_names
    mine = [c for c in columns if c in there]
    return table if mine == there else table.select(mine)


def _agreeing(table: pa.Table, keys: list[_Keys]) -> pa.Table:
    """The rows that have one of the keys."""
    mask = None
    for k in keys:
        hit = k.among(table)
        mask = hit if mask is None else pc.or_kleene(mask, hit)  # NULL is neither, and one hit is enough
    return table.filter(mask)
