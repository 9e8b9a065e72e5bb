"""The view from nothing: every table read once, joined at the view. Also how a view begins."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import to_arrow
from belvedere.changes.zset import weighted
from belvedere.sources.maintain.here import ROWS, projected
from belvedere.sources.maintain.view import slot_column
from belvedere.sources.maintain.visit import NEW, Asked, Work


def recompute(work: Work) -> pa.Table:
    """The whole content of the view in the snapshots, as a Z-set."""
    inputs = {f"{ROWS}{i}": _read(work, p.alias) for i, p in enumerate(work.view.parts)}
    columns = [slot_column(s.name) for s in work.view.slots]
    select = exp.Select().select(*columns)
    for i, name in enumerate(inputs):
        table = exp.to_table(name).as_(f"t{i}", table=True)
        select = select.from_(table) if i == 0 else select.join(table, join_type="cross")
    if work.view.conditions:
        select = select.where(*[c.expr.copy() for c in work.view.conditions])
    schema = work.view.weighted(work.view.slots)
    plain = type(schema)(schema.columns[:-1])
    return projected(work.here, work.view, weighted(work.here.ask(select, inputs, plain)))


def _read(work: Work, alias: str) -> pa.Table:
    """The columns of one part that the view uses, all rows."""
    part, slots = work.view.part(alias), work.view.slots_of(alias)
    began = work.clock()
    snapshot = work.snapshots[part.source]
    before = snapshot.moved_seconds
    names = [s.name for s in slots]
    batches = [b.rename_columns(names) for b in snapshot.read(part.table, [s.column for s in slots])]
    schema = pa.schema([pa.field(s.name, to_arrow(s.type)) for s in slots])
    rows = pa.concat_tables(batches) if batches else schema.empty_table()
    seconds, moved = work.clock() - began, snapshot.moved_seconds - before
    work.asked.append(Asked("read", (), alias, part.source, NEW, 0, 0, rows.num_rows, len(slots), seconds, moved))
    return rows
