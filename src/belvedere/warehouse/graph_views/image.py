"""Which objects a stage knows, as sorted hashes in memory: asked for every update, so no statement may be needed.

An image is read once for each open warehouse and follows the stage by the delta runs that it wrote since. Whenever a view was
computed anew it is read again, so that takes no statement either: two columns of the stage's runs, and the sums of their weights.
Two objects with one hash make an update seem to matter that does not, never the other way round.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from belvedere.store.model import Collection, Run
from belvedere.store.physical import WEIGHT
from belvedere.warehouse.core import Core

#: beyond this many rows of a stage nothing is kept, and every update counts as relevant
LIMIT = 20_000_000
#: the hash of a pair differs from that of its second part by a multiple of this; 32 bits of a number times it are 64
SPREAD = 0x9E3779B1

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Kept:
    """What an image keeps of a stage's rows: the values of a column of text, and of one of numbers with it; if `only` says so,
    those of the rows that have some text in another column."""

    text: str
    number: str | None = None
    only: tuple[str, str] | None = None

    def columns(self) -> list[str]:
        return [n for n in (self.text, self.number, self.only and self.only[0]) if n]


@dataclass
class Image:
    """The keys of a stage's rows: those read at first, in order, and how often each came or went since."""

    epoch: int
    first: array[int]
    later: dict[int, int] = field(default_factory=dict)
    #: how many rows have a given number
    sizes: dict[int, int] = field(default_factory=dict)

    def holds(self, text: str, number: int = 0) -> bool:
        h = hash(text) ^ number * SPREAD
        return bisect_right(self.first, h) - bisect_left(self.first, h) + self.later.get(h, 0) > 0


class Images:
    """Images of stages by name, brought up to the epoch asked for."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._kept: dict[int, Image] = {}

    def of(self, stage: Collection, kept: Kept, epoch: int) -> Image | None:
        """None if the stage is too large to be kept in mind."""
        store = self.core.store
        image = self._kept.get(stage.id)
        runs = None if image is None or image.epoch > epoch else store.delta(stage, image.epoch, epoch)
        if image is None or runs is None:
            content = store.snapshot(stage, epoch)
            if sum(r.rows for r in content) > LIMIT:
                return None
            image = self._read(stage, kept, content, epoch)
        else:
            for hashes, numbers, weights in self._parts(stage, kept, runs):
                for h, weight in zip(hashes.tolist(), weights.tolist(), strict=True):
                    image.later[h] = image.later.get(h, 0) + weight
                _count(image.sizes, numbers, weights)
            image.epoch = epoch
        self._kept[stage.id] = image
        return image

    def _read(self, stage: Collection, kept: Kept, content: list[Run], epoch: int) -> Image:
        sizes: dict[int, int] = {}
        hashes, weights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for part, numbers, counts in self._parts(stage, kept, content):
            hashes.append(part)
            weights.append(counts)
            _count(sizes, numbers, counts)
        return Image(epoch, array("q", _net(np.concatenate(hashes), np.concatenate(weights)).tobytes()), {}, sizes)

    def _parts(self, stage: Collection, kept: Kept, runs: Iterable[Run]) -> Iterable[tuple[Numbers, Numbers | None, Numbers]]:
        """(hashes, numbers, weights) of the rows of each run."""
        physical = {n: f"c{stage.schema[n].id}" for n in kept.columns()}
        for run in runs:
            rows = self.core.small_runs.columns(run.path, [*physical.values(), WEIGHT])
            if kept.only is not None:
                rows = rows.filter(pc.equal(rows.column(physical[kept.only[0]]), kept.only[1]))
            texts = rows.column(physical[kept.text]).to_numpy()
            hashes = np.fromiter(map(hash, texts), np.int64, rows.num_rows)
            numbers = None if kept.number is None else _whole(rows.column(physical[kept.number]))
            yield hashes if numbers is None else hashes ^ numbers * SPREAD, numbers, _whole(rows.column(WEIGHT))


def _whole(column: pa.ChunkedArray) -> Numbers:
    return np.asarray(column.to_numpy()).astype(np.int64)


def _count(sizes: dict[int, int], numbers: Numbers | None, weights: Numbers) -> None:
    """Add up the weights by number."""
    if numbers is not None:
        found, places = np.unique(numbers, return_inverse=True)
        sums = np.zeros(len(found), np.int64)
        np.add.at(sums, places, weights)
        for number, total in zip(found.tolist(), sums.tolist(), strict=True):
            sizes[number] = sizes.get(number, 0) + total


def _net(hashes: Numbers, weights: Numbers) -> Numbers:
    """Each as often as its weights say, in order.

    >>> _net(np.array([7, 5, 7, 3, 3]), np.array([1, 2, 1, 1, -1])).tolist()
    [5, 5, 7, 7]
    """
    if len(weights) and weights.min() == weights.max() == 1:
        return np.sort(hashes)
    found, places = np.unique(hashes, return_inverse=True)
    sums = np.zeros(len(found), np.int64)
    np.add.at(sums, places, weights)
    return np.repeat(found, np.maximum(sums, 0))
