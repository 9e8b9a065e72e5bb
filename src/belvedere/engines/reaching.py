"""What seeds lead to by steps, breadth first, over whole columns at a time.

Neither engine can do this in a statement of its own: Spark's recursion does not stop on cycles, DuckDB's reads all steps again in
every round. Here names become numbers, the steps are laid out by where they begin, and a round touches only the steps that the
last round's rows lead along: the work grows with what is found, not with the length of the longest way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from belvedere.errors import EngineError

Numbers: TypeAlias = npt.NDArray[np.int64]


def reached(seeds: pa.Table, steps: pa.Table) -> pa.Table:
    """Columns src, state, node, rank. The inputs have their columns in the order of Closure; NULLs and duplicates do no harm."""
    seeds, steps = seeds.drop_null(), steps.drop_null()
    sources, src = _coded(seeds.column(0))
    names, nodes = _coded(seeds.column(2), steps.column(1), steps.column(3))
    states, marks = np.unique(
        np.concatenate([_numbers(c) for c in (seeds.column(1), steps.column(0), steps.column(2))]), return_inverse=True
    )
    width = max(1, len(names)) * max(1, len(states))
    if max(1, len(sources)) * width >= 2**63:
        raise EngineError(
            f"a path with repetition from {len(sources):,} objects over {width:,} places is too large to number: "
            "begin it at fewer objects"
        )
    places = marks.astype(np.int64) * max(1, len(names)) + nodes
    first, begin, end = np.split(places, [seeds.num_rows, seeds.num_rows + steps.num_rows])
    keys, ranks = _rounds(src * width + first, _Steps.of(begin, end), width)
    found, place = np.divmod(keys, width)
    state, node = np.divmod(place, max(1, len(names)))
    columns = [sources.take(pa.array(found)), pa.array(states[state], pa.int32()), names.take(pa.array(node)), pa.array(ranks)]
    return pa.Table.from_arrays(columns, names=["src", "state", "node", "rank"])


def _coded(*columns: pa.ChunkedArray) -> tuple[pa.Array, Numbers]:
    """The distinct texts of some columns, and the columns one after the other as their numbers."""
    chunks = [c for column in columns for c in column.chunks if len(c)]
    if not chunks:
        return pa.array([], pa.string()), np.zeros(0, np.int64)
    coded = pa.concat_arrays([c.cast(pa.large_string()) for c in chunks]).dictionary_encode()
    return coded.dictionary.cast(pa.string()), coded.indices.to_numpy().astype(np.int64)


def _numbers(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    return np.asarray(column.to_numpy())


def _rounds(start: Numbers, steps: _Steps, width: int) -> tuple[Numbers, Numbers]:
    """All keys reached, and the round in which each was met first."""
    last = np.unique(start)
    seen, found = _Seen(), []
    while len(last):
        seen.add(last)
        found.append(last)
        new = np.unique(steps.onward(last, width))
        last = new[~seen.holds(new)]
    ranks = np.repeat(np.arange(len(found), dtype=np.int64), [len(x) for x in found])
    return (np.concatenate(found) if found else np.zeros(0, np.int64)), ranks


@dataclass(frozen=True)
class _Steps:
    """Ends of steps in the order of their beginnings; from `starts[i]`, `counts[i]` of them begin at `places[i]`."""

    places: Numbers
    starts: Numbers
    counts: Numbers
    ends: Numbers

    @staticmethod
    def of(begin: Numbers, end: Numbers) -> _Steps:
        order = np.argsort(begin, kind="stable")
        places, starts, counts = np.unique(begin[order], return_index=True, return_counts=True)
        return _Steps(places, starts.astype(np.int64), counts.astype(np.int64), end[order])

    def onward(self, keys: Numbers, width: int) -> Numbers:
        """Where the steps from some keys (source · width + place) lead, as keys of the same sources."""
        place = keys % width
        at = np.searchsorted(self.places, place)
        there = at < len(self.places)
        there[there] = self.places[at[there]] == place[there]
        at, keys, place = at[there], keys[there], place[there]
        counts = self.counts[at]
        # the numbers of all steps of each key, one key after the other
        before = np.cumsum(counts) - counts
        each = np.repeat(self.starts[at] - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)
        return np.repeat(keys - place, counts) + self.ends[each]


@dataclass
class _Seen:
    """A growing set of numbers: sorted parts, each more than twice as long as the next, so that a small addition is cheap."""

    parts: list[Numbers] = field(default_factory=list)

    def add(self, numbers: Numbers) -> None:
        """Numbers in order, none of which it holds."""
        while self.parts and len(self.parts[-1]) <= 2 * len(numbers):
            numbers = np.sort(np.concatenate([self.parts.pop(), numbers]), kind="stable")
        self.parts.append(numbers)

    def holds(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(numbers), np.bool_)
        for part in self.parts:
            at = np.minimum(np.searchsorted(part, numbers), len(part) - 1)
            found |= part[at] == numbers
        return found
