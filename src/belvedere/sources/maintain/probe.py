"""Probing queries: before the first refresh, rows that are there already are sent around as if they had changed.

Every direction of every edge is asked with a few sizes, and so is every set of edges that some order would ask at once. What
comes back is thrown away; what was measured teaches the cost model costs and join factors.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from belvedere.changes.zset import weighted
from belvedere.sources.maintain.here import filtered
from belvedere.sources.maintain.visit import NEW, Asked, Work, visit

SIZES = (10, 100, 1000)
#: how often a hop is asked with rows of different width, where whole tuples travel
WIDTHS = 3
#: joined parts beyond this many are not probed: their number grows too fast
MOST_PARTS = 5

Visited = frozenset[str]


def probe(work: Work, sizes: Sequence[int] = SIZES, most: int | None = None) -> list[Asked]:
    """All queries, measured; no more than `most`: single edges come first."""
    neighbours: dict[str, set[str]] = {p.alias: set() for p in work.view.parts}
    for c in work.view.conditions:
        if len(c.parts) == 2:
            a, b = c.parts
            neighbours[a].add(b)
            neighbours[b].add(a)
    samples: dict[Visited, pa.Table] = {frozenset((p.alias,)): _sample(work, p.alias, max(sizes)) for p in work.view.parts}
    done: dict[tuple[Visited, str], int] = {}
    first = len(work.asked)
    todo = list(samples)
    for visited in todo:
        for to in sorted({n for v in visited for n in neighbours[v]} - visited):
            hop = (visited & neighbours[to], to)
            again = done.get(hop, 0) < (WIDTHS if work.tuples else 1)
            rows = samples[visited]
            if most is not None and len(work.asked) - first + len(sizes) > most:
                return work.asked[first:]
            if not rows.num_rows or not (again or visited | {to} not in samples):
                continue
            found = _ask(work, rows, visited, to, sorted(hop[0]), sizes if again else sizes[-1:])
            done[hop] = done.get(hop, 0) + 1
            grown = visited | {to}
            if grown not in samples and len(grown) < min(MOST_PARTS, len(work.view.parts)):
                samples[grown] = found.slice(0, max(sizes))
                todo.append(grown)
    return work.asked[first:]


def _ask(work: Work, rows: pa.Table, visited: Visited, to: str, origins: list[str], sizes: Sequence[int]) -> pa.Table:
    """The largest answer."""
    now = [c for c in work.view.within(visited | {to}) if not c.parts <= visited]
    found = rows.slice(0, 0)
    for size in sizes:
        [found] = visit(work, [rows.slice(0, size)], origins, to, NEW, "probe", now)
    return found


def _sample(work: Work, alias: str, size: int) -> pa.Table:
    """Some rows of a table that the view's own conditions on it let through, from all over the first batch."""
    part, slots = work.view.part(alias), work.view.slots_of(alias)
    batch = next(iter(work.snapshots[part.source].read(part.table, [s.column for s in slots])), None)
    if batch is None:
        return work.deltas[alias].slice(0, 0)
    rows = weighted(batch.rename_columns([s.name for s in slots]))
    own = [c.expr for c in work.view.within(frozenset((alias,)))]
    rows = filtered(work.here, rows, own, work.view.types)
    step = max(rows.num_rows // size, 1)
    return rows.take(pa.array(range(0, rows.num_rows, step), pa.int64())).slice(0, size)
