"""How many rows the two ways to refresh a view will write, before one of them is taken.

A view is assumed to grow and shrink as what it reads does: where a tenth of the base changed, about a tenth of the view will. A
delta is written, and if that makes a merge due, the merge follows at once and counts too, unless it is so large that it is done
beside. After either way the rows lie together again, so it counts whole: what earlier deltas left to it is spared by a
recomputation just as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from belvedere.planning.cost import Work
from belvedere.store.maintain import BESIDE
from belvedere.store.model import SMALL, Run
from belvedere.store.policy import next_merge
from belvedere.store.store import Store
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.inputs import Inputs
from belvedere.warehouse.resolve import Resolver


@dataclass(frozen=True)
class Writing:
    """Work besides evaluating: writing the deltas of the stages, writing the stages anew; and the merges after the former."""

    maintaining: Work
    recomputing: Work
    merging: Work


def writing(core: Core, d: Definition, inputs: Inputs, resolver: Resolver) -> Writing:
    small = inputs.rows < SMALL  # then what is written is little as well
    before = after = 0
    if not small:
        for name in inputs.relevant:
            before += _net(_runs(resolver.store, name, resolver.since))
            after += _net(_runs(resolver.store, name, resolver.until))
    maintaining = recomputing = merges = Work(0)
    for stage in d.plan.stages:
        runs = _runs(resolver.store, stage.name, resolver.until)
        rows = _net(runs)
        if small or not before:
            recomputing += Work(0, rows)
            continue
        delta = inputs.rows * rows / before
        maintaining += Work(0, delta)
        merges += merging(runs, delta, deletes=delta if after < before else 0, beside=core.memory is None)
        recomputing += Work(0, rows * after / before)
    return Writing(maintaining, recomputing, merges)


def merging(runs: list[Run], rows: float, deletes: float, *, beside: bool) -> Work:
    """The merge that a delta of so many rows makes due; nothing if it makes none due, or one that is large and done beside."""
    if not runs:
        return Work(0)
    added = replace(runs[0], id=max(r.id for r in runs) + 1, rows=int(rows), deletes=int(deletes))
    merged = next_merge([*runs, added], runs[0].arrangement or ())
    read = sum(r.rows for r in merged)
    if added not in merged or len(merged) < 2 or (beside and read >= BESIDE):
        return Work(0)
    return Work(read, max(0, _net(merged)))


def _runs(store: Store, name: str, epoch: int) -> list[Run]:
    """What a collection consists of at an epoch, if it is there."""
    found = store.collection(name, epoch)
    return [] if found is None else store.snapshot(found, epoch)


def _net(runs: Iterable[Run]) -> int:
    """Rows that are there, with those taken back taken out."""
    return sum(r.rows - 2 * r.deletes for r in runs)
