"""Long ways: whatever part of the questions is answered from memory, the answers are the same."""

from __future__ import annotations

import pytest
from tests.closure.graphs import Chance, Memory, applied, fixpoint, moves_between, unproved

from belvedere.maintenance import patience
from belvedere.maintenance.patience import Patient
from belvedere.maintenance.reach import Moves, Row, follow

CHAIN = frozenset((0, str(i), 0, str(i + 1)) for i in range(400))
SEEDS = frozenset({("x", 0, "0")})


@pytest.mark.parametrize("first", [0, 1, 2, 3, 5])
def test_random_changes(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST", first)
    for number in range(200):
        chance = Chance(number)
        facts = (frozenset[Row](), chance.facts()[1])
        rows: dict[Row, int] = {}
        for _ in range(5):
            after = chance.changed(facts)
            world = Patient(Memory(after[0], after[1], rows))
            rows = applied(rows, follow(moves_between(facts, after), world))
            facts = after
            assert set(rows) == fixpoint(*facts)
            assert unproved(rows, *facts) == []


def test_a_long_chain_is_read_once() -> None:
    world = Memory(SEEDS, CHAIN, {})
    rows = applied({}, follow(Moves(seeds_in=SEEDS), Patient(world)))
    assert len(rows) == 401
    assert world.asked.count("everything") == 1
    assert len(world.asked) == patience.FIRST + 1
    cut = CHAIN - {(0, "0", 0, "1")}
    world = Memory(SEEDS, cut, rows)
    assert set(applied(rows, follow(Moves(steps_out=CHAIN - cut), Patient(world)))) == SEEDS
    assert len(world.asked) <= patience.FIRST + 2


def test_a_large_world_is_asked_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "ROWS", 4)
    world = Memory(SEEDS, CHAIN, {})
    follow(Moves(seeds_in=SEEDS), Patient(world))
    assert len(world.asked) == patience.FIRST + len(CHAIN) // 4 + 1
