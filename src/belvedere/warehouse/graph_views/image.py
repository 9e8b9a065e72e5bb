"""Which objects a stage knows, as sorted hashes in memory: asked for every update, so no statement may be needed.

An image is read once for each open warehouse and follows the stage by the delta runs that it wrote since. Two objects with one
hash make an update seem to matter that does not, never the other way round.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate
from belvedere.store.model import Collection
from belvedere.warehouse.core import Core
from belvedere.warehouse.resolve import Resolver

#: beyond this many rows of a stage nothing is kept, and every update counts as relevant
LIMIT = 20_000_000


@dataclass
class Image:
    """The keys of a stage's rows: those read at first, in order, and how often each came or went since."""

    epoch: int
    first: array[int]
    later: dict[int, int] = field(default_factory=dict)
    #: how many rows have a given value in the first of a key's several columns
    sizes: dict[Any, int] = field(default_factory=dict)

    def holds(self, key: tuple[Any, ...]) -> bool:
        h = hash(key)
        return bisect_right(self.first, h) - bisect_left(self.first, h) + self.later.get(h, 0) > 0


class Images:
    """Images of stages by name, brought up to the epoch asked for."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._kept: dict[int, Image] = {}

    def of(
        self, stage: Collection, node: Node, columns: tuple[str, ...], epoch: int, counts: Callable[[pa.Table], pa.Table]
    ) -> Image | None:
        """The rows that `counts` leaves, by these columns; None if the stage is too large to be kept in mind."""
        store = self.core.store
        image = self._kept.get(stage.id)
        runs = None if image is None else store.delta(stage, image.epoch, epoch)
        if image is None or runs is None or image.epoch > epoch:
            if sum(r.rows for r in store.snapshot(stage, epoch)) > LIMIT:
                return None
            found, _ = self.core.small().run(Consolidate(node), Resolver(store, until=epoch), measured=False)
            rows = counts(found)
            sizes = Counter(rows.column(columns[0]).to_pylist()) if len(columns) > 1 else {}
            image = Image(epoch, _hashes(rows, columns), {}, dict(sizes))
        else:
            names = {f"c{c.id}": c.name for c in stage.schema}
            for run in runs:
                rows = self.core.small_runs.read(run.path)
                rows = counts(rows.rename_columns([names.get(n, n) for n in rows.column_names]))
                for key, weight in zip(_keys(rows, columns), rows.column("_w").to_pylist(), strict=True):
                    h = hash(key)
                    image.later[h] = image.later.get(h, 0) + weight
                    if len(key) > 1:
                        image.sizes[key[0]] = image.sizes.get(key[0], 0) + weight
            image.epoch = epoch
        self._kept[stage.id] = image
        return image


def _keys(rows: pa.Table, columns: tuple[str, ...]) -> Iterable[tuple[Any, ...]]:
    return zip(*(rows.column(c).to_pylist() for c in columns), strict=True)


def _hashes(rows: pa.Table, columns: tuple[str, ...]) -> array[int]:
    return array("q", sorted(hash(k) for k in _keys(rows, columns)))
