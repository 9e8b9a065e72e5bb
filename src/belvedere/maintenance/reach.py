"""What becomes of a closure when seeds and steps come and go: a procedure over lookups.

Each row is proved by its rank: 0 for a seed, otherwise larger than the rank of a row that a step leads from. So a deletion asks
of the rows that it may have held up whether they still have such a step; those that do not go, and the question passes on to
rows of greater rank behind them. Rows on a cycle cannot vouch for each other, as ranks would have to fall all the way round.
What went but can still be reached another way comes back with the insertions, with a new rank. A row found supported by one that
goes later is asked again then, so the order of the questions does not matter.

Nothing here knows where rows are stored: `World` is five lookups, each asked for many keys at once, and none where there is
nothing to ask. The steps and seeds it tells of are the new ones, the rows are those of before.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Protocol

#: (state, node)
Place = tuple[int, str]
#: (src, state, node)
Row = tuple[str, int, str]
#: (src, state, node, rank)
Ranked = tuple[str, int, str, int]
#: (s1, a, s2, b)
Step = tuple[int, str, int, str]


class World(Protocol):
    """What the procedure asks."""

    def seeds(self, rows: Set[Row]) -> Iterable[Row]:
        """Those of the rows that are seeds now."""

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        """The steps that there are now from any of the places."""

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        """The steps that there are now to any of the places."""

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        """The rows of before at any of the places, whatever their source."""

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        """Those of the rows that were there before, with their ranks."""


@dataclass(frozen=True)
class Moves:
    """What came and what went. Something that is still there may be among what went (one of two reasons for it did), and
    something that was there before among what came; what came must be there now."""

    seeds_in: Set[Row] = frozenset()
    seeds_out: Set[Row] = frozenset()
    steps_in: Set[Step] = frozenset()
    steps_out: Set[Step] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """Rows to take away and rows to add, with their ranks; no row with the same rank is in both."""

    removed: dict[Row, int]
    added: dict[Row, int]


def follow(moves: Moves, world: World) -> Outcome:
    """The change of the ranked closure."""
    work = _Work(world)
    work.begin(moves)
    work.remove(work.suspects(moves))
    work.insert(work.candidates(moves))
    return work.outcome()


@dataclass
class _Work:
    world: World
    #: rows as they were; None for one that was asked for and was not there
    old: dict[Row, int | None] = field(default_factory=dict)
    gone: set[Row] = field(default_factory=set)
    #: rows that are new, or are back, or have another rank
    new: dict[Row, int] = field(default_factory=dict)
    #: for each place at which a step begins that came or went: (source, rank) of before
    _at: dict[Place, list[tuple[str, int]]] = field(default_factory=dict)
    _from: dict[Place, list[Place]] = field(default_factory=dict)
    _into: dict[Place, list[Place]] = field(default_factory=dict)

    # -- what is known -----------------------------------------------------------------------------------------------

    def rank(self, row: Row) -> int | None:
        """As it is by now; None for one that is not there."""
        known = self.new.get(row)
        if known is not None:
            return known
        return None if row in self.gone else self.old[row]

    def learn(self, rows: Iterable[Row]) -> None:
        wanted = {r for r in rows if r not in self.old}
        if wanted:
            self.old.update(dict.fromkeys(wanted))
            for src, state, node, rank in self.world.ranks(wanted):
                self.old[src, state, node] = rank

    def onward(self, rows: Iterable[Row]) -> None:
        """Learn where steps lead from some rows, and what was there."""
        wanted = {(s, n) for _, s, n in rows if (s, n) not in self._from}
        if wanted:
            self._from.update((p, []) for p in wanted)
            for s1, a, s2, b in self.world.steps_from(wanted):
                self._from[s1, a].append((s2, b))
        self.learn((src, *p) for src, s, n in rows for p in self._from[s, n])

    def backward(self, rows: Iterable[Row]) -> None:
        """Learn from where steps lead to some rows, and what was there."""
        wanted = {(s, n) for _, s, n in rows if (s, n) not in self._into}
        if wanted:
            self._into.update((p, []) for p in wanted)
            for s1, a, s2, b in self.world.steps_into(wanted):
                self._into[s2, b].append((s1, a))
        self.learn((src, *p) for src, s, n in rows for p in self._into[s, n])

    def lowest(self, row: Row) -> int | None:
        """The smallest rank of the rows that lead to it, as far as they are there; it was asked for by `backward`."""
        src, state, node = row
        found = [r for p in self._into[state, node] if (r := self.rank((src, *p))) is not None]
        return min(found, default=None)

    # -- the phases --------------------------------------------------------------------------------------------------

    def begin(self, moves: Moves) -> None:
        """Look at both ends of what changed. Seeds that came are there from now on, with rank 0."""
        steps = (*moves.steps_out, *moves.steps_in)
        places = {(s1, a) for s1, a, _, _ in steps}
        if places:
            self._at.update((p, []) for p in places)
            for src, state, node, rank in self.world.rows_at(places):
                self._at[state, node].append((src, rank))
                self.old[src, state, node] = rank
        ends = {(src, s2, b) for s1, a, s2, b in steps for src, _ in self._at[s1, a]}
        self.learn((*ends, *moves.seeds_in, *moves.seeds_out))
        for row in moves.seeds_in:
            if self.old[row] != 0:
                self.new[row] = 0

    def suspects(self, moves: Moves) -> set[Row]:
        """Rows that what went may have held up."""
        found: set[Row] = set()
        for s1, a, s2, b in moves.steps_out:
            for src, rank in self._at[s1, a]:
                now = self.rank((src, s2, b))
                if now is not None and now > rank:
                    found.add((src, s2, b))
        seeds = {r for r in moves.seeds_out if self.old[r] is not None and r not in self.new}
        return found | (seeds - set(self.world.seeds(seeds)) if seeds else seeds)

    def remove(self, suspects: set[Row]) -> None:
        """Take away what nothing of smaller rank leads to any more."""
        while suspects:
            self.backward(suspects)
            lost = [r for r in suspects if not self._supported(r)]
            self.gone.update(lost)
            self.onward(lost)
            suspects = set()
            for row in lost:
                was = self.old[row]
                assert was is not None
                for place in self._from[row[1], row[2]]:
                    behind = (row[0], *place)
                    now = self.rank(behind)
                    if now is not None and now > was:
                        suspects.add(behind)

    def _supported(self, row: Row) -> bool:
        own, lowest = self.rank(row), self.lowest(row)
        assert own is not None
        return lowest is not None and lowest < own

    def candidates(self, moves: Moves) -> dict[Row, int]:
        """Rows that are not there and are led to by one that is, by a step that came or because they went; with ranks."""
        found: dict[Row, int] = {}
        for s1, a, s2, b in moves.steps_in:
            for src, _ in self._at[s1, a]:
                row, before = (src, s2, b), self.rank((src, s1, a))
                if before is not None and self.rank(row) is None:
                    found[row] = min(before + 1, found.get(row, before + 1))
        for row in self.gone:
            lowest = self.lowest(row)
            if lowest is not None:
                found[row] = min(lowest + 1, found.get(row, lowest + 1))
        return found

    def insert(self, found: dict[Row, int]) -> None:
        """Add them, and whatever they and the new seeds lead to."""
        wave = [r for r in self.new if self.old[r] is None]
        while wave or found:
            self.new.update(found)
            wave += found
            self.onward(wave)
            found = {}
            for row in wave:
                rank = self.new[row] + 1
                for place in self._from[row[1], row[2]]:
                    target = (row[0], *place)
                    if self.rank(target) is None:
                        found[target] = min(rank, found.get(target, rank))
            wave = []

    def outcome(self) -> Outcome:
        removed: dict[Row, int] = {}
        for row in (*self.gone, *self.new):
            was = self.old[row]
            if was is not None and self.new.get(row) != was:
                removed[row] = was
        return Outcome(removed, {row: rank for row, rank in self.new.items() if self.old[row] != rank})
