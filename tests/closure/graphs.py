"""Small random graphs, the closure by the plainest of loops, and what a rank must prove."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from random import Random

from belvedere.maintenance.reach import Moves, Outcome, Place, Ranked, Row, Step

Facts = tuple[frozenset[Row], frozenset[Step]]


def fixpoint(seeds: Iterable[Row], steps: Iterable[Step]) -> set[Row]:
    """The closure, by the definition."""
    found, known = set(seeds), list(steps)
    while True:
        more = {(src, s2, b) for src, s, n in found for s1, a, s2, b in known if (s1, a) == (s, n)} - found
        if not more:
            return found
        found |= more


def unproved(ranks: dict[Row, int], seeds: Set[Row], steps: Set[Step]) -> list[Row]:
    """Rows whose rank proves nothing."""
    bad = [r for r, rank in ranks.items() if (rank == 0) != (r in seeds)]
    for (src, state, node), rank in ranks.items():
        before = [ranks.get((src, s1, a)) for s1, a, s2, b in steps if (s2, b) == (state, node)]
        if rank > 0 and not any(r is not None and r < rank for r in before):
            bad.append((src, state, node))
    return bad


@dataclass
class Memory:
    """The world in Python: steps and seeds as they are now, rows as they were. Counts what it is asked."""

    seeds_now: Set[Row]
    steps_now: Set[Step]
    stored: dict[Row, int]
    asked: list[str] = field(default_factory=list)

    def seeds(self, rows: Set[Row]) -> Iterable[Row]:
        self.asked.append("seeds")
        return rows & self.seeds_now

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        self.asked.append("steps_from")
        return [s for s in self.steps_now if (s[0], s[1]) in places]

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        self.asked.append("steps_into")
        return [s for s in self.steps_now if (s[2], s[3]) in places]

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        self.asked.append("rows_at")
        return [(*r, rank) for r, rank in self.stored.items() if (r[1], r[2]) in places]

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        self.asked.append("ranks")
        return [(*r, rank) for r, rank in self.stored.items() if r in rows]

    def size(self) -> int:
        return len(self.steps_now) + len(self.stored)

    def everything(self) -> tuple[Iterable[Step], Iterable[Ranked]]:
        self.asked.append("everything")
        return self.steps_now, [(*r, rank) for r, rank in self.stored.items()]


def applied(stored: dict[Row, int], outcome: Outcome) -> dict[Row, int]:
    """The rows after a change, which must take away what is there and add what is not."""
    after = dict(stored)
    for row, rank in outcome.removed.items():
        assert after.pop(row) == rank, row
    for row, rank in outcome.added.items():
        assert row not in after, row
        after[row] = rank
    return after


class Chance:
    """A random graph that changes. Few nodes and states, so that cycles, sharing and second ways are common."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.nodes = [f"n{i}" for i in range(self.random.randint(2, 8))]
        self.states = self.random.randint(1, 3)
        self.sources = [f"n{i}" for i in range(self.random.randint(1, 3))]
        self.density = self.random.choice([0.5, 1.0, 1.5, 2.5])

    def place(self) -> Place:
        return self.random.randrange(self.states), self.random.choice(self.nodes)

    def seed(self) -> Row:
        return (self.random.choice(self.sources), *self.place())

    def step(self) -> Step:
        return (*self.place(), *self.place())

    def facts(self) -> Facts:
        steps = frozenset(self.step() for _ in range(int(self.density * len(self.nodes) * self.states)))
        return frozenset(self.seed() for _ in range(self.random.randint(0, 3))), steps

    def changed(self, facts: Facts) -> Facts:
        """Some go and some come, at once."""
        seeds, steps = facts
        lost_seeds = {s for s in seeds if self.random.random() < self.random.choice([0, 0, 0.5])}
        few = self.random.choice([0.0, 0.1, 0.5])
        lost = {s for s in sorted(steps) if self.random.random() < few}
        new_seeds = {self.seed() for _ in range(self.random.choice([0, 0, 1, 2]))}
        new = {self.step() for _ in range(self.random.choice([0, 1, 2, 5]))}
        return (seeds - lost_seeds) | new_seeds, (steps - lost) | new


def moves_between(before: Facts, after: Facts, chance: Random | None = None) -> Moves:
    """What came and went; with chance, also things that are said to have come or gone and were there all along."""
    seeds_in, seeds_out = set(after[0] - before[0]), set(before[0] - after[0])
    steps_in, steps_out = set(after[1] - before[1]), set(before[1] - after[1])
    if chance is not None:
        for seed in sorted(before[0] & after[0]):
            chance.choice([seeds_in, seeds_out, set(), set(), set()]).add(seed)
        for step in sorted(before[1] & after[1]):
            chance.choice([steps_in, steps_out, set(), set(), set()]).add(step)
    return Moves(seeds_in, seeds_out, steps_in, steps_out)
