"""The view from nothing: every table read once, joined at the view. Also how a view begins."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from belvedere.algebra.types import Column, Schema, to_arrow
from belvedere.changes.zset import weighted
from belvedere.sources.maintain.here import projected
from belvedere.sources.maintain.pushing import divide, question
from belvedere.sources.maintain.view import Slot
from belvedere.sources.maintain.visit import NEW, Asked, Work
from belvedere.sources.source import Snapshot


def recompute(work: Work) -> pa.Table:
    """The whole content of the view in the snapshots, as a Z-set."""
    inputs = [weighted(_read(work, p.alias)) for p in work.view.parts]
    found = work.here.joined(inputs, [c.expr for c in work.view.conditions], work.view.types)
    return projected(work.here, work.view, found)


def _read(work: Work, alias: str) -> pa.Table:
    """The columns of one part that the view uses; all rows, but for those that the source itself can tell do not count."""
    part, slots = work.view.part(alias), work.view.slots_of(alias)
    began = work.clock()
    snapshot = work.snapshots[part.source]
    before = snapshot.moved_seconds
    own = [c for c in work.view.conditions if c.parts == {alias}]
    pushed = divide(work.view, own, alias, snapshot.tables[part.table])
    if pushed.filters:
        rows = snapshot.ask(question(work.view, alias, pushed), {}, Schema(tuple(Column(s.name, s.type) for s in slots)))
    else:
        rows = _whole(snapshot, part.table, slots)
    seconds, moved = work.clock() - began, snapshot.moved_seconds - before
    work.asked.append(Asked("read", (), alias, part.source, NEW, 0, 0, rows.num_rows, len(slots), seconds, moved))
    return rows


def _whole(snapshot: Snapshot, table: str, slots: Sequence[Slot]) -> pa.Table:
    names = [s.name for s in slots]
    batches = [b.rename_columns(names) for b in snapshot.read(table, [s.column for s in slots])]
    schema = pa.schema([pa.field(s.name, to_arrow(s.type)) for s in slots])
    return pa.concat_tables(batches) if batches else schema.empty_table()
