"""The kit itself: it finds mistakes, finds none where there are none, and makes what it finds small."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fuzzing.failure import Failure
from tests.schemafuzz.case import Case
from tests.schemafuzz.changes import KINDS
from tests.schemafuzz.check import check
from tests.schemafuzz.fake import MISTAKES, FakeWarehouse
from tests.schemafuzz.generator import generate
from tests.schemafuzz.layout import Relation
from tests.schemafuzz.random_changes import undone
from tests.schemafuzz.sequence import NotDefined, State
from tests.schemafuzz.shrink import shrink, sound
from tests.schemafuzz.world import World

SEEDS = [str(n) for n in range(6)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Without views over views, which the fake does not have."""
    made = [generate(s) for s in SEEDS]
    return [replace(c, views=tuple(replace(v, reader=False, above=None) for v in c.views)) for c in made]


def run(case: Case, mistake: str = "") -> Failure | None:
    return check(FakeWarehouse(case, mistake), case)


def test_a_seed_means_one_case() -> None:
    assert generate("3", views=2, steps=3) == generate("3", views=2, steps=3)


def test_a_warehouse_without_mistakes_passes(cases: list[Case]) -> None:
    for case in cases:
        assert sound(case)
        assert run(case) is None


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake: str, cases: list[Case]) -> None:
    assert any(run(c, mistake) is not None for c in cases)


def test_what_is_found_is_made_small(cases: list[Case]) -> None:
    failure = next(f for f in (run(c, "lost row") for c in cases) if f is not None)
    small = shrink(failure, lambda c: run(c, "lost row"), seconds=10)
    assert small.check == failure.check
    assert len(small.case.views) == 1
    assert len(small.case.transactions) <= 1


def test_the_cases_are_varied(cases: list[Case]) -> None:
    operators = {o for c in cases for v in c.views for o in v.operators}
    assert operators >= {"UNITE", "FOLD", "UNFOLD", "SPLIT", "aggregate", "domain", "join"}
    assert {x.kind for c in cases for t in c.transactions for x in t.changes} == set(KINDS)


def contents(world: World) -> dict[str, list[str]]:
    """Whatever the order of rows and columns."""
    return {t.full_name: sorted(str(sorted(t.as_dict(r).items(), key=str)) for r in t.rows) for t in world.tables}


def test_what_was_undone_was_never_done(cases: list[Case]) -> None:
    for case in cases:
        world = case.world
        for t in case.transactions:
            after = world
            for c in t.changes:
                after = c.apply(after)
            back = after
            for c in undone(world, t.changes):
                back = c.apply(back)
            assert contents(back) == contents(world)
            world = after


def test_a_sequence_is_taken_one_by_one() -> None:
    state = State({"r": Relation(("a", "b"))})
    with pytest.raises(NotDefined, match="rename-attribute 'a' to 'b'"):
        state.apply({"change": "rename-attribute", "name": "a", "new": "b"})
    with pytest.raises(NotDefined, match="which is not there"):
        state.apply({"change": "tuple", "relation": "s", "row": {"a": 1, "b": 2}, "_w": 1})
    with pytest.raises(NotDefined, match="does not have"):
        state.apply({"change": "tuple", "relation": "r", "row": {"a": 1, "b": 2}, "_w": -1})
    with pytest.raises(NotDefined, match="a tuple with"):
        state.apply({"change": "tuple", "relation": "r", "row": {"a": 1}, "_w": 1})
