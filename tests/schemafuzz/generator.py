"""A case from a seed."""

from __future__ import annotations

import random

from tests.schemafuzz.above import with_above
from tests.schemafuzz.case import Case, Transaction, ViewSpec
from tests.schemafuzz.changes import Change, Unfit
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.layout import Content
from tests.schemafuzz.random_changes import random_transaction, undone
from tests.schemafuzz.random_view import random_query
from tests.schemafuzz.random_world import random_world
from tests.schemafuzz.ranges import Avoid, Invalid, Ranges
from tests.schemafuzz.tree import Const, Tuples, Values
from tests.schemafuzz.world import World

#: changes with what a seed means
VERSION = 2
VIEWS = 5
STEPS = 10
TRIES = 80


def generate(seed: str, *, views: int = VIEWS, steps: int = STEPS) -> Case:
    rng = random.Random(f"{VERSION}:{seed}")
    world = random_world(rng)
    specs = [v for v in (random_view(rng, world, n) for n in range(views)) if v is not None]
    references = [(v, Reference(v.query, v.name)) for v in specs]
    states = [r.state(world) for _, r in references]
    specs = [with_above(seed, v, s) for v, s in zip(specs, states, strict=True) if isinstance(s, dict)]
    walk = _Walk(rng, world, references)
    transactions = [walk.step(last=n == steps - 1) for n in range(steps)]
    return Case(seed, world, tuple(specs), tuple(t for t in transactions if t is not None))


def random_view(rng: random.Random, world: World, number: int) -> ViewSpec | None:
    """A view that has a meaning in the world, and mostly content."""
    for _ in range(TRIES):
        try:
            query, operators = random_query(rng, world, number)
            state = Reference(query, f"v{number}").state(world)
        except (Avoid, IndexError):
            continue
        if isinstance(state, Invalid) or (not any(r.rows for r in state.values()) and rng.random() < 0.9):
            continue
        mode = "immediate" if rng.random() < 0.15 else "deferred"
        h = query.header
        readable = h is not None and isinstance(h.name, Const) and any(isinstance(a, Const) for a in h.attrs)
        return ViewSpec(f"v{number}", query, operators, mode, readable and rng.random() < 0.3, rng.random() < 0.3)
    return None


class _Walk:
    """Goes from world to world, around those where what a view means is not settled, and seldom to where it means nothing."""

    def __init__(self, rng: random.Random, world: World, references: list[tuple[ViewSpec, Reference]]) -> None:
        self.rng = rng
        self.world = world
        self.references = references
        self.last: tuple[World, tuple[Change, ...]] | None = None
        self.broken = 0
        self.pending = False

    def step(self, last: bool) -> Transaction | None:
        refresh = last or self.rng.random() < 0.8
        for _ in range(TRIES):
            found = self._attempt(refresh)
            if found is not None:
                return found
        return Transaction((), refresh) if refresh and self.pending else None

    def _attempt(self, refresh: bool) -> Transaction | None:
        before = self.world
        try:
            changes, after = self._changes()
        except Unfit:
            return None
        if not changes:
            return None
        states: list[Content | Invalid] | None
        memories = [(r, r.memory) for _, r in self.references]
        try:
            followers = [r for v, r in self.references if refresh or v.mode == "immediate"]
            states = [r.state(after) for r in followers]
        except Avoid:
            states = None
        broken = sum(isinstance(s, Invalid) for s in states or ())
        if states is None or (broken > self.broken and self.rng.random() > max(map(welcome, states))):
            for r, memory in memories:
                r.memory = memory
            return None
        self.world, self.last, self.broken = after, (before, changes), broken if refresh else self.broken
        self.pending = not refresh
        return Transaction(changes, refresh)

    def _changes(self) -> tuple[tuple[Change, ...], World]:
        if self.last is not None and self.rng.random() < (0.3 if self.broken else 0.07):
            changes = undone(*self.last)
            world = self.world
            for c in changes:
                world = c.apply(world)
            return changes, world
        read = frozenset(t.full_name for _, r in self.references for t in self.world.tables if t.number in reads(r, self.world))
        return random_transaction(self.rng, self.world, read)


def welcome(state: Content | Invalid) -> float:
    """How often a state may be gone into."""
    if not isinstance(state, Invalid):
        return 0.0
    return {"missing attribute": 0.12, "unknown relation": 0.12, "types": 0.15}.get(state.kind, 0.7)


def reads(reference: Reference, world: World) -> set[int]:
    """The tables that a view ranges over."""
    ranges = Ranges(world, reference.query, reference.memory)
    try:
        items = [i for i in reference.query.items if isinstance(i.range, Tuples | Values)]
        return {t.number for i in items for _, t in ranges.tables_of(i)}
    except (Invalid, Avoid):
        return set()
