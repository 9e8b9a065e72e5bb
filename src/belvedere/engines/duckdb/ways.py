"""By what a leaf is looked up, where several others could say what is wanted of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.engines.meetings import Meeting, Places, Source
from belvedere.engines.scan import Scan

#: ways that are tried to look up one leaf
TRIES = 4
#: rows of a leaf for each row that says what is wanted, from which on bisection is the better way
SPARSE = 4

#: the rows of the leaves that a meeting takes its keys from; None if they do not say yet what is wanted
Size = Callable[[Meeting], int | None]
#: by column, or by several: the values that are looked up there, or the rows of values
Values = dict[tuple[str, ...], pa.Array | pa.Table]


def small(place: tuple[Meeting, ...], size: Size, most: int) -> list[tuple[Meeting, int]]:
    """The meetings at a place that say what is wanted in a few rows, and how many these are."""
    return [(m, rows) for m in place if (rows := size(m)) is not None and rows <= most]


@dataclass(frozen=True)
class Lead:
    """Lookups of a leaf by what it is sorted by: then each row that is wanted is found by bisection."""

    get: Get
    scan: Scan

    def by(self, meeting: Meeting) -> bool:
        return any(self.get.source(c) == self.scan.leading for c in meeting.columns)

    def pays(self, meeting: Meeting, rows: int) -> bool:
        """Whether it does for so many rows that say what is wanted."""
        return rows * SPARSE <= self.scan.rows and self.by(meeting)

    def is_awaited(self, place: tuple[Meeting, ...], size: Size, most: int) -> bool:
        """Whether there may be such a lookup at this place, which does not say yet what is wanted, and is none now."""
        if any(self.pays(m, rows) for m, rows in small(place, size, most)):
            return False
        return any(self.by(m) and size(m) is None for m in place)


def choices_of(places: Places, size: Size, most: int, lead: Lead) -> list[list[Meeting]]:
    """A meeting of each place, keys before a band, those before others by which the leaf is sorted, the smallest first, and of
    the same rows those of many columns: a row of the leaf counts if it meets one of them. By some columns a file can be looked
    up and by others not, so there are a few to try."""

    def rank(found: tuple[Meeting, int]) -> tuple[bool, bool, int, int]:
        m, rows = found
        return m.band, not lead.pays(m, rows), rows, -len(m.columns)

    best = [[m for m, _ in sorted(small(place, size, most), key=rank)] for place in places]
    tries = range(min(TRIES, max(map(len, best), default=0)))
    return [list(dict.fromkeys(ms[min(n, len(ms) - 1)] for ms in best)) for n in tries]


def wanted_by(chosen: list[Meeting], keys: Callable[[Source], pa.Array | pa.Table]) -> Values:
    """Values by column, and rows by several."""
    wanted: dict[tuple[str, ...], dict[Source, pa.Array | pa.Table]] = {}
    for meeting in chosen:
        if not meeting.band:
            wanted.setdefault(meeting.columns, {}).update((s, keys(s)) for s in meeting.sources)
    return {c: _one(list(vs.values())) for c, vs in wanted.items()}


def _one(values: list[pa.Array | pa.Table]) -> pa.Array | pa.Table:
    if len(values) == 1:
        return values[0]
    return pa.concat_tables(values) if isinstance(values[0], pa.Table) else pa.concat_arrays(values).unique()
