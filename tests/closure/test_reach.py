"""The procedure that maintains a closure, against the plainest fixpoint, after every change of random graphs."""

from __future__ import annotations

import pytest
from tests.closure.graphs import Chance, Memory, applied, fixpoint, moves_between, unproved

from belvedere.maintenance.reach import Moves, Row, Step, follow

CASES, CHANGES = 1500, 6


def first(seeds: frozenset[Row], steps: frozenset[Step]) -> dict[Row, int]:
    return applied({}, follow(Moves(seeds, frozenset(), steps), Memory(seeds, steps, {})))


@pytest.mark.parametrize("part", range(4))
def test_random_changes(part: int) -> None:
    for number in range(part, CASES, 4):
        chance = Chance(number)
        facts = chance.facts()
        rows = first(*facts)
        for _ in range(CHANGES):
            assert set(rows) == fixpoint(*facts), number
            assert unproved(rows, *facts) == [], number
            after = chance.changed(facts)
            moves = moves_between(facts, after, chance.random if number % 3 == 0 else None)
            rows = applied(rows, follow(moves, Memory(after[0], after[1], rows)))
            facts = after


RING = frozenset({(0, "a", 0, "b"), (0, "b", 0, "c"), (0, "c", 0, "a")})


def test_a_cycle_does_not_hold_itself_up() -> None:
    seeds, way_in = frozenset({("x", 0, "x")}), (0, "x", 0, "a")
    rows = first(seeds, RING | {way_in})
    assert set(rows) == {("x", 0, n) for n in "xabc"}
    outcome = follow(Moves(steps_out={way_in}), Memory(seeds, RING, rows))
    assert set(applied(rows, outcome)) == seeds


def test_another_way_round_changes_nothing_but_a_rank() -> None:
    seeds = frozenset({("x", 0, "x")})
    short, long = (0, "x", 0, "c"), frozenset({(0, "x", 0, "a"), (0, "a", 0, "b"), (0, "b", 0, "c")})
    rows = first(seeds, long | {short})
    outcome = follow(Moves(steps_out={short}), Memory(seeds, long, rows))
    assert outcome.removed == {("x", 0, "c"): 1}
    assert outcome.added == {("x", 0, "c"): 3}


def test_a_step_that_proves_nothing_may_go_unasked() -> None:
    """It led from a greater rank to a smaller one: two lookups say so, and no step is read."""
    seeds = frozenset({("x", 0, "a")})
    rows = first(seeds, RING)
    world = Memory(seeds, RING - {(0, "c", 0, "a")}, rows)
    outcome = follow(Moves(steps_out={(0, "c", 0, "a")}), world)
    assert (outcome.removed, outcome.added, world.asked) == ({}, {}, ["rows_at", "ranks"])


def test_a_step_between_rows_that_are_there_is_two_lookups() -> None:
    seeds = frozenset({("x", 0, "a")})
    rows = first(seeds, RING)
    world = Memory(seeds, RING | {(0, "a", 0, "c")}, rows)
    assert follow(Moves(steps_in={(0, "a", 0, "c")}), world).added == {}
    assert world.asked == ["rows_at", "ranks"]


def test_a_step_from_nowhere_is_one_lookup() -> None:
    seeds = frozenset({("x", 0, "a")})
    world = Memory(seeds, RING | {(0, "q", 0, "c")}, first(seeds, RING))
    assert follow(Moves(steps_in={(0, "q", 0, "c")}), world).added == {}
    assert world.asked == ["rows_at"]


def test_a_seed_that_went_for_one_of_two_reasons_stays() -> None:
    seeds = frozenset({("x", 0, "a")})
    world = Memory(seeds, RING, first(seeds, RING))
    outcome = follow(Moves(seeds_out=seeds), world)
    assert (outcome.removed, outcome.added, world.asked) == ({}, {}, ["ranks", "seeds"])


def test_what_becomes_a_seed_gets_rank_0() -> None:
    seeds = frozenset({("x", 0, "a")})
    rows = first(seeds, RING)
    more = seeds | {("x", 0, "c")}
    outcome = follow(Moves(seeds_in={("x", 0, "c")}), Memory(more, RING, rows))
    assert (outcome.removed, outcome.added) == ({("x", 0, "c"): 2}, {("x", 0, "c"): 0})


def test_nothing_to_do_asks_nothing() -> None:
    world = Memory(frozenset(), frozenset(), {})
    follow(Moves(), world)
    assert world.asked == []
