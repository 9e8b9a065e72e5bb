"""Lookups of a few keys, done before DuckDB is asked: what is left of a leaf are the rows that its keys find.

A statement over ten thousand rows costs DuckDB milliseconds, and one over files has to be planned anew each time. Where a leaf
meets another one that holds a few rows (`engines/meetings.py`), the rows with those values are picked out here, from runs in
memory or from the row groups that can have them. Rows too many do no harm, since the statement joins them all the same; so
only the leaf's size changes, and a refresh that looks up a few keys becomes a prepared statement over a few rows. Whatever
cannot be found this way, or not cheaply, is left to DuckDB as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.algebra.types import DataType, to_arrow
from belvedere.engines.meetings import Meeting, Places, meetings
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.store.row_groups import RowGroups
from belvedere.store.small_runs import SmallRuns

#: leaves with no more rows are read as they are
NEAR = 512
#: rows of the leaves that keys are taken from
KEYS = 1_024
#: runs with more rows are looked up by row groups
WHOLE = 16_384
#: rows of all row groups that one leaf may open
OPENED = 131_072

Ask = Callable[[Get], Scan]


class _TooMuch(Exception):
    """A lookup that would read more than it saves."""


@dataclass
class Narrow:
    """Narrows the leaves of a plan by each other, starting from the small ones."""

    runs: SmallRuns
    groups: RowGroups = field(default_factory=RowGroups)

    def __call__(self, node: Node, ask: Ask) -> tuple[Ask, Metrics]:
        """The scans of the plan's leaves, some of them narrowed, and what that cost."""
        todo = {g: places for g, places in meetings(node).items() if ask(g).rows > NEAR and not ask(g).negative}
        if not todo:
            return ask, Metrics()
        began = perf_counter()
        spent = Metrics()
        found: dict[Get, Scan] = {}

        def scan(get: Get) -> Scan:
            return found[get] if get in found else ask(get)

        # where there is a change it says what is wanted, and so does what it found; other leaves hold all that there is
        driven = any(g.version == "delta" for g in gets(node))

        def known(meeting: Meeting) -> bool:
            return not driven or all(g.version == "delta" or g in found for g, _ in meeting.sources)

        while todo:
            # what was narrowed in one round has keys for others in the next
            ready = {g: wanted for g, places in todo.items() if (wanted := self._wanted(g, places, scan, known)) is not None}
            if not ready:
                break
            for get, wanted in ready.items():
                del todo[get]
                try:
                    found[get] = self._look_up(get, ask(get), wanted, spent)
                except (_TooMuch, OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                    continue  # DuckDB reads it, or says what is wrong with the file
        spent.rows_read = sum(spent.scanned.values())
        spent.seconds = perf_counter() - began
        return (scan if found else ask), spent

    def _wanted(self, get: Get, places: Places, scan: Ask, known: Callable[[Meeting], bool]) -> dict[str, pa.Array] | None:
        """Values by column: a row of the leaf counts if it has one of them. None if at some place there is nothing to go by."""
        wanted: dict[str, list[pa.ChunkedArray]] = {}
        for place in places:
            small = [m for m in place if known(m) and _size(m, scan) <= KEYS]
            if not small:
                return None
            best = min(small, key=lambda m: _size(m, scan))
            wanted.setdefault(best.column, []).extend(self._values(s, c, scan) for s, c in best.sources)
        return {c: pa.chunked_array([k for v in vs for k in v.chunks], vs[0].type).unique() for c, vs in wanted.items()}

    def _values(self, get: Get, column: str, scan: Ask) -> pa.ChunkedArray:
        found = scan(get)
        tables = [*(self.runs.read(f) for f in (*found.files, *found.negative)), *found.tables]
        name, t = found.physical(get.source(column)), to_arrow(get.types[column].type)
        parts = [_column(table, name, t) for table in tables]
        return pa.chunked_array([c for p in parts for c in p.chunks], t)

    def _look_up(self, get: Get, scan: Scan, wanted: dict[str, pa.Array], spent: Metrics) -> Scan:
        keys = [_Keys(scan.physical(get.source(c)), get.types[c].type, values) for c, values in wanted.items()]
        columns = list(dict.fromkeys([*(scan.physical(c) for c in get.columns), *(k.name for k in keys), "_w"]))
        large = [f for f in scan.files if self.groups.rows(f) > WHOLE]
        opened = [(f, g) for f in large for g in sorted(self._open(f, keys))]
        if sum(self.groups.size(f, g) for f, g in opened) > OPENED:
            raise _TooMuch
        tables = [*(self.runs.read(f) for f in scan.files if f not in large), *scan.tables]
        for path, group in opened:
            table, read = self.groups.read(path, group, columns)
            spent.bytes_read += read
            tables.append(table)
        spent.files += len(scan.files)
        # what is held between two steps, or was looked up before, was counted when it was read
        new = not get.name.startswith("\0") and not scan.counted
        if new:
            spent.scanned[get.name] = spent.scanned.get(get.name, 0) + sum(t.num_rows for t in tables)
        rows = [t for t in (_agreeing(table, keys) for table in tables) if t.num_rows]
        count = sum(t.num_rows for t in rows)
        spent.fetched += count if new else 0
        return replace(scan, files=(), tables=tuple(rows), rows=count, counted=True)

    def _open(self, path: str, keys: list[_Keys]) -> set[int]:
        """The row groups of a file that may hold one of the keys."""
        found: set[int] = set()
        for k in keys:
            bounds = self.groups.bounds(path, k.name)
            if bounds is None and k.null:
                raise _TooMuch  # the column came later: all of its rows are NULL
            if bounds is not None:
                found |= bounds.all if k.bounded is None else bounds.holding(k.bounded, k.null)
        return found


def _size(meeting: Meeting, scan: Ask) -> int:
    return sum(scan(g).rows for g, _ in meeting.sources)


class _Keys:
    """The values that a column is looked up by."""

    def __init__(self, name: str, t: DataType, values: pa.Array) -> None:
        self.name, self.type, self.values = name, to_arrow(t), values
        self.null = values.null_count > 0
        known = pa.types.is_integer(values.type) or pa.types.is_string(values.type)
        #: those that bounds of row groups tell about; None where a value may be in any group
        self.bounded: list[int | str] | None = values.drop_null().to_pylist() if known else None

    def among(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """For each row, whether it has one of the values. One value is compared several times faster than it is looked up."""
        if len(self.values) == 1 and not self.null:
            return pc.equal(column, self.values[0])
        return pc.is_in(column, value_set=self.values)


def _column(table: pa.Table, name: str, t: pa.DataType) -> pa.ChunkedArray:
    """A column of a run; one that was added to the collection later is NULL."""
    at = table.schema.get_field_index(name)
    if at < 0:
        return pa.chunked_array([pa.nulls(table.num_rows, t)])
    values = table.column(at)
    return values if values.type == t else values.cast(t)


def _agreeing(table: pa.Table, keys: list[_Keys]) -> pa.Table:
    """The rows that have one of the keys."""
    mask = None
    for k in keys:
        hit = k.among(_column(table, k.name, k.type))
        mask = hit if mask is None else pc.or_kleene(mask, hit)  # NULL is neither, and one hit is enough
    return table.filter(mask)
