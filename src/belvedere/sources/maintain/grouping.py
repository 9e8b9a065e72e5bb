"""Grouping maintenance along a path through all parts: 2(n-1) queries, however many parts changed.

Row j of the matrix is R'k1 … R'k(j-1) ΔRkj Rk(j+1) … Rkn. Scroll up carries all rows begun so far along the path to the next
part's old state; scroll down carries them back to the new states. Rows begun at different places travel in one query: along the
path every one of them holds the columns of the part visited last, and no others are needed. What conditions remain is decided at
the view.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from belvedere.changes.zset import add
from belvedere.errors import BelvedereError
from belvedere.sources.maintain.batch import empty_rows
from belvedere.sources.maintain.here import filtered, projected
from belvedere.sources.maintain.view import Condition
from belvedere.sources.maintain.visit import NEW, OLD, Work, visit


def grouping(work: Work, path: Sequence[str]) -> pa.Table:
    """The change of the view. `path` goes through every part once, each joined with the next by a condition."""
    _check(work, path)
    rows = [work.deltas[p] for p in path]
    for i in range(len(path) - 1):
        rows[: i + 1] = _hop(work, rows[: i + 1], path[i], path[i + 1], OLD, "up")
    for i in range(len(path) - 1, 0, -1):
        rows[i:] = _hop(work, rows[i:], path[i], path[i - 1], NEW, "down")
    whole = empty_rows(work.view)
    complete = add(whole, *(r.select(whole.column_names) for r in rows if r.num_rows))
    applied = {c for i in range(len(path) - 1) for c in _between(work, path[i], path[i + 1])}
    remaining = [c.expr for c in work.view.conditions if c not in applied and len(c.parts) > 1]
    return projected(work.here, work.view, filtered(work.here, complete, remaining, work.view.types))


def _check(work: Work, path: Sequence[str]) -> None:
    names = sorted(p.alias for p in work.view.parts)
    if sorted(path) != names:
        raise BelvedereError(f"a grouping path visits every table once: {', '.join(names)}, not {', '.join(path)}")
    for a, b in pairwise(path):
        if not any(c.parts == {a, b} for c in work.view.conditions):
            raise BelvedereError(f"no condition joins {a} and {b}, so no grouping path can go from one to the other")


def _between(work: Work, a: str, b: str) -> list[Condition]:
    """Conditions on the edge and on either end, which every row that travels it satisfies afterwards."""
    return [c for c in work.view.conditions if c.parts == {a, b}]


def _hop(work: Work, rows: list[pa.Table], origin: str, to: str, version: str, kind: str) -> list[pa.Table]:
    """All rows that have something in them, sent along one edge."""
    some = [i for i, r in enumerate(rows) if r.num_rows]
    if not some:
        return rows
    now = [*_between(work, origin, to), *(c for c in work.view.conditions if c.parts == {to})]
    found = visit(work, [rows[i] for i in some], [origin], to, version, kind, now)
    out = list(rows)
    for i, r in zip(some, found, strict=True):
        out[i] = r
    return out
