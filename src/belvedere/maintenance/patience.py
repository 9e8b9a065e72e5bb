"""A world that is asked too often is read whole.

Each round of the procedure is a few lookups, and there are as many rounds as the longest way that came or went is long. On a
chain of ten thousand objects that is ten thousand rounds, where reading everything once would do. So when the lookups made so far
have cost about what reading it all would, it is read, and the rest is answered from memory: never much worse than the better of
the two, without knowing beforehand which that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Protocol

from belvedere.maintenance.reach import Place, Ranked, Row, Step, World

#: questions that are asked in any case, and rows that are read in the time of one
FIRST, ROWS = 40, 2_000


class Readable(World, Protocol):
    """A world that can also be read whole."""

    def size(self) -> int:
        """About how many steps and rows there are."""

    def everything(self) -> tuple[Iterable[Step], Iterable[Ranked]]:
        """The steps that there are now, and the rows of before."""


@dataclass
class Patient:
    """Passes questions on while that pays."""

    world: Readable
    asked: int = 0
    _limit: int | None = None
    _memory: _Memory | None = None

    def seeds(self, rows: Set[Row]) -> Iterable[Row]:
        return self.world.seeds(rows)

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        return self._now().steps_from(places)

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        return self._now().steps_into(places)

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        return self._now().rows_at(places)

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        return self._now().ranks(rows)

    def _now(self) -> Readable | _Memory:
        self.asked += 1
        if self._memory is not None:
            return self._memory
        if self.asked <= FIRST:
            return self.world
        if self._limit is None:
            self._limit = FIRST + self.world.size() // ROWS
        if self.asked > self._limit:
            self._memory = _Memory.of(*self.world.everything())
            return self._memory
        return self.world


@dataclass
class _Memory:
    """Steps by both ends, and rows by place."""

    onward: dict[Place, list[Step]] = field(default_factory=dict)
    back: dict[Place, list[Step]] = field(default_factory=dict)
    rows: dict[Place, dict[str, int]] = field(default_factory=dict)

    @staticmethod
    def of(steps: Iterable[Step], rows: Iterable[Ranked]) -> _Memory:
        made = _Memory()
        for step in steps:
            s1, a, s2, b = step
            made.onward.setdefault((s1, a), []).append(step)
            made.back.setdefault((s2, b), []).append(step)
        for src, state, node, rank in rows:
            made.rows.setdefault((state, node), {})[src] = rank
        return made

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        return [s for p in places for s in self.onward.get(p, ())]

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        return [s for p in places for s in self.back.get(p, ())]

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        return [(src, *p, rank) for p in places for src, rank in self.rows.get(p, {}).items()]

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        known = ((r, self.rows.get((r[1], r[2]), {}).get(r[0])) for r in rows)
        return [(*r, rank) for r, rank in known if rank is not None]
