"""When to merge which runs. A pure function of sizes, so that it can be tested without a file.

Runs are in tiers by rows: tier 0 below 8,192, each next one eight times larger. Eight runs of a tier become one, so the
number of runs grows with the logarithm of the rows. The largest run is the base, the others its tail; when the tail
exceeds 30% of the base, or its deletions 25%, everything becomes one new base, so a reader never reads much more than the
content itself.
"""

from __future__ import annotations

from belvedere.store.model import SMALL, Run

FAN_IN = 8
TAIL = 0.30
DELETES = 0.25


def tier(rows: int) -> int:
    """
    >>> [tier(n) for n in (0, 8191, 8192, 65535, 65536)]
    [0, 0, 1, 1, 2]
    """
    level = 0
    while rows >= SMALL:
        level += 1
        rows //= FAN_IN
    return level


def next_merge(runs: list[Run], sort: tuple[int, ...]) -> list[Run]:
    """The runs to merge now, one per group; nothing when the collection is in shape.

    A large run that is not sorted for the primary order is rewritten, alone if need be.
    """
    if len(runs) < 2:
        return [r for r in runs if not r.serves(sort)]
    base = max(runs, key=lambda r: (r.rows, -r.id))
    tail = [r for r in runs if r is not base]
    if base.rows >= SMALL:
        rows, deletes = sum(r.rows for r in tail), sum(r.deletes for r in tail)
        if rows > TAIL * base.rows or deletes >= DELETES * base.rows:
            return runs
    tiers: dict[int, list[Run]] = {}
    for run in runs:
        tiers.setdefault(tier(run.rows), []).append(run)
    for level in sorted(tiers):
        if len(tiers[level]) >= FAN_IN:
            return tiers[level]
    return next(([r] for r in runs if not r.serves(sort)), [])
