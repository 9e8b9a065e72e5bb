"""One maintenance query: rows go to a source, come back joined with a table there, in its old or its new state.

Only the columns that conditions read travel, with a row number; what comes back is put together with the rows here by that
number, so no value is changed by a journey through another system. The old state is the answer minus the same join with the
changes, which are known here: R_old = R_new − ΔR.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.types import BigInt, Column, Schema, to_arrow
from belvedere.changes.names import WEIGHT
from belvedere.changes.zset import add, consolidate, negate, weighted
from belvedere.sources.maintain.here import Here, filtered
from belvedere.sources.maintain.pushing import KEYS, ROW, Pushed, divide, question
from belvedere.sources.maintain.sending import sendable
from belvedere.sources.maintain.view import Condition, JoinView, Slot
from belvedere.sources.source import Snapshot

OLD, NEW = "old", "new"


@dataclass(frozen=True)
class Asked:
    """A query as it was asked, for explain and for the cost model."""

    kind: str
    origins: tuple[str, ...]
    to: str
    source: str
    version: str
    rows: int
    attributes: int
    rows_out: int
    attributes_out: int
    seconds: float
    moved: float | None


@dataclass
class Work:
    """What a strategy works with: the view, a snapshot of each source, the changes of each part; and what was asked so far."""

    view: JoinView
    snapshots: Mapping[str, Snapshot]
    deltas: Mapping[str, pa.Table]
    here: Here
    #: whole tuples travel, as in the paper, instead of keys
    tuples: bool = False
    asked: list[Asked] = field(default_factory=list)
    #: seconds, from whatever start
    clock: Callable[[], float] = time.perf_counter
    #: how the conditions of a hop are divided, for the next time it is made
    divided: dict[tuple[str, tuple[int, ...]], Pushed] = field(default_factory=dict)


def visit(
    work: Work, parts: Sequence[pa.Table], origins: Sequence[str], to: str, version: str, kind: str, now: Sequence[Condition]
) -> list[pa.Table]:
    """Each of the given Z-sets joined with `to` by the conditions in `now`, all in one query."""
    part = work.view.part(to)
    snapshot = work.snapshots[part.source]
    known = (to, tuple(map(id, now)))
    if known not in work.divided:
        work.divided[known] = divide(work.view, now, to, snapshot.tables[part.table])
    pushed = work.divided[known]
    if not pushed.joins:
        return _fetch(work, parts, origins, to, version, kind, now, pushed)
    slots, every = _to_send(work, parts, pushed)
    keys = sendable(every, slots, pushed.joins, snapshot.lacks)
    if keys is None:
        return _fetch(work, parts, origins, to, version, kind, now, pushed)
    back = Schema((Column(ROW, BigInt()), *(_column(s) for s in (*(slots if work.tuples else ()), *work.view.slots_of(to)))))
    select = question(work.view, to, pushed, slots if work.tuples else ())
    began, before = work.clock(), snapshot.moved_seconds
    answer = snapshot.ask(select, {KEYS: keys}, back)
    seconds, moved = work.clock() - began, snapshot.moved_seconds - before
    sizes = len(slots) if work.tuples else len(slots) + 1, len(back) - (1 if work.tuples else 0)
    record = Asked(
        kind, tuple(sorted(origins)), to, part.source, version, keys.num_rows, sizes[0], answer.num_rows, sizes[1], seconds, moved
    )
    work.asked.append(record)
    found = weighted(answer.select([ROW, *(s.name for s in work.view.slots_of(to))]))
    if version == OLD and work.deltas[to].num_rows:
        found = add(found, negate(_among_changes(work, keys, to, pushed)).select(found.column_names))
    return [consolidate(_checked(work, rows, pushed)) for rows in _put_together(parts, found)]


def _column(slot: Slot) -> Column:
    return Column(slot.name, slot.type)


def _to_send(work: Work, parts: Sequence[pa.Table], pushed: Pushed) -> tuple[tuple[Slot, ...], pa.Table]:
    """The slots that travel, and the rows of all parts one after the other, numbered."""
    held = {n for rows in parts for n in rows.column_names}
    slots = tuple(s for s in work.view.slots if s.name in held) if work.tuples else pushed.sent
    total = sum(rows.num_rows for rows in parts)
    columns = [pa.chunked_array([pa.array(range(total), pa.int64())])]
    for s in slots:
        chunks = [_values(rows, s) for rows in parts]
        columns.append(pa.chunked_array([c for chunk in chunks for c in chunk.chunks], type=to_arrow(s.type)))
    return slots, pa.table(columns, names=[ROW, *(s.name for s in slots)])


def _values(rows: pa.Table, slot: Slot) -> pa.ChunkedArray:
    """A column of some rows; of rows that do not have it, as many NULLs."""
    if slot.name in rows.column_names:
        return rows[slot.name]
    return pa.chunked_array([pa.nulls(rows.num_rows, to_arrow(slot.type))])


def _among_changes(work: Work, keys: pa.Table, to: str, pushed: Pushed) -> pa.Table:
    """The same question asked of the changes of `to`: which of the answers were not there before, or no longer are."""
    types = {**work.view.types, ROW: BigInt()}
    sent = weighted(keys.select([ROW, *(s.name for s in pushed.sent)]))
    return work.here.joined([sent, work.deltas[to]], pushed.joins, types)


def _put_together(parts: Sequence[pa.Table], found: pa.Table) -> list[pa.Table]:
    """Each part's rows with what was found for them; weights multiply."""
    out: list[pa.Table] = []
    first = 0
    for rows in parts:
        number = found[ROW]
        mine = found
        if len(parts) > 1:
            mine = found.filter(pc.and_(pc.greater_equal(number, first), pc.less(number, first + rows.num_rows)))
        left = rows.take(pc.subtract(mine[ROW], first))
        weight = pc.multiply_checked(left[WEIGHT], mine[WEIGHT])
        fresh = mine.drop_columns([ROW, WEIGHT])
        left = left.drop_columns([WEIGHT])
        out.append(
            pa.table([*left.columns, *fresh.columns, weight], names=[*left.column_names, *fresh.column_names, WEIGHT])
        )
        first += rows.num_rows
    return out


def _checked(work: Work, rows: pa.Table, pushed: Pushed) -> pa.Table:
    return filtered(work.here, rows, pushed.checks, work.view.types)


def _fetch(
    work: Work,
    parts: Sequence[pa.Table],
    origins: Sequence[str],
    to: str,
    version: str,
    kind: str,
    now: Sequence[Condition],
    pushed: Pushed,
) -> list[pa.Table]:
    """No condition that the source may decide leads to it: its rows come here, and the join is done here."""
    pushed = replace(pushed, joins=(), sent=())
    part = work.view.part(to)
    snapshot = work.snapshots[part.source]
    slots = work.view.slots_of(to)
    began = work.clock()
    rows = weighted(snapshot.ask(question(work.view, to, pushed), {}, Schema(tuple(map(_column, slots)))))
    seconds = work.clock() - began
    if version == OLD and work.deltas[to].num_rows:
        rows = add(rows, negate(work.deltas[to]).select(rows.column_names))
    rows = consolidate(rows)
    out = [consolidate(work.here.joined([p, rows], [c.expr for c in now], work.view.types)) for p in parts]
    sent, got = sum(p.num_rows for p in parts), sum(p.num_rows for p in out)
    # that the whole table came is part of the cost; as a factor the joined rows count
    record = Asked(kind, tuple(sorted(origins)), to, part.source, version, sent, 1, got, len(slots), seconds, None)
    work.asked.append(record)
    return out
