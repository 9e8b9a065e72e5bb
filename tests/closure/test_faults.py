"""Faults planted in the procedure: the random graphs must notice each of them, or they test less than they seem to."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.closure.graphs import Chance, Memory, applied, fixpoint, moves_between, unproved

from belvedere.maintenance import reach

SOURCE = Path(reach.__file__).read_text(encoding="utf-8")
FAULTS = {
    "equal ranks hold each other up": ("lowest is not None and lowest < own", "lowest is not None and lowest <= own"),
    "a row on a cycle holds itself up": ("lowest is not None and lowest < own", "lowest is not None"),
    "a seed that went is not asked": (
        "return found | (seeds - set(self.world.seeds(seeds)) if seeds else seeds)",
        "return found",
    ),
    "a seed with another reason goes": ("seeds - set(self.world.seeds(seeds)) if seeds", "seeds if seeds"),
    "steps that went are not followed": ("if now is not None and now > rank:", "if False:"),
    "what a lost row held up is not asked": ("if now is not None and now > was:", "if False:"),
    "what a lost row held up is asked only at the next rank": ("if now is not None and now > was:", "if now == was + 1:"),
    "another way is not found": ("for row in self.gone:", "for row in ():"),
    "steps that came are not followed": ("for s1, a, s2, b in moves.steps_in:", "for s1, a, s2, b in ():"),
    "new rows lead nowhere": (
        "            found = {}\n            for row in wave:",
        "            found = {}\n            for row in ():",
    ),
    "new seeds lead nowhere": ("wave = [r for r in self.new if self.old[r] is None]", "wave: list[Row] = []"),
    "lost rows still lead on": ("return None if row in self.gone else self.old[row]", "return self.old[row]"),
    "a new row has the rank of the row before it": ("rank = self.new[row] + 1", "rank = self.new[row]"),
    "a row that is back has the rank of the row before it": ("found[row] = min(lowest + 1,", "found[row] = min(lowest,"),
    "a row that became a seed keeps its rank": ("if self.old[row] != 0:", "if self.old[row] is None:"),
    "old ranks stay beside new ones": ("for row in (*self.gone, *self.new):", "for row in self.gone:"),
    "states do not count on the way back": ("self._into[s2, b].append((s1, a))", "self._into[s2, b].append((s2, a))"),
}


def faulty(old: str, new: str) -> ModuleType:
    assert SOURCE.count(old) >= 1, old
    module = ModuleType("faulty_reach")
    sys.modules[module.__name__] = module
    try:
        exec(compile(SOURCE.replace(old, new, 1), "faulty_reach", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module


def caught(module: ModuleType) -> bool:
    """Whether the tests of `test_reach.py` would fail."""
    for number in range(1500):
        chance = Chance(number)
        facts: tuple[frozenset[reach.Row], frozenset[reach.Step]] = (frozenset(), frozenset())
        rows: dict[reach.Row, int] = {}
        after = chance.facts()
        for _ in range(6):
            moves = moves_between(facts, after, chance.random if number % 3 == 0 else None)
            try:
                rows = applied(rows, module.follow(moves, Memory(after[0], after[1], rows)))
            except (AssertionError, KeyError):
                return True
            if set(rows) != fixpoint(*after) or unproved(rows, *after):
                return True
            facts, after = after, chance.changed(after)
    return False


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str) -> None:
    assert caught(faulty(*FAULTS[name]))
