"""What every strategy starts from: the changes of each part of the view, cut down to the columns and rows that matter."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from belvedere.algebra.types import to_arrow
from belvedere.changes.names import WEIGHT
from belvedere.changes.zset import consolidate
from belvedere.sources.maintain.here import Here, filtered
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import Work
from belvedere.sources.source import Snapshot


def prepared(
    view: JoinView,
    snapshots: Mapping[str, Snapshot],
    changes: Mapping[tuple[str, str], pa.Table],
    here: Here,
    *,
    tuples: bool = False,
) -> Work:
    """`changes`: (source, table) → Z-set of what came and went up to the snapshot; a table that is not there did not change.

    A changed row that fails a condition on its own table, or differs in columns that the view does not use, is gone here: it
    costs no query.
    """
    deltas = {p.alias: delta_of(view, p.alias, changes.get((p.source, p.table)), here) for p in view.parts}
    return Work(view, snapshots, deltas, here, tuples)


def delta_of(view: JoinView, alias: str, change: pa.Table | None, here: Here) -> pa.Table:
    """The changes of one part over its slots."""
    slots = view.slots_of(alias)
    schema = view.weighted(slots)
    if change is None:
        return pa.schema([pa.field(c.name, to_arrow(c.type)) for c in schema]).empty_table()
    rows = pa.table([*(change[s.column] for s in slots), change[WEIGHT]], names=list(schema.names))
    own = view.within(frozenset((alias,)))
    return filtered(here, consolidate(rows), [c.expr for c in own], view.types)
