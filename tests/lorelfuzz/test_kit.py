"""The kit itself: it finds mistakes, finds none where there are none, and makes what it finds small."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fuzzing.failure import Failure
from tests.lorelfuzz.case import Case
from tests.lorelfuzz.changes import KINDS, applied
from tests.lorelfuzz.check import check
from tests.lorelfuzz.fake import MISTAKES, FakeWarehouse
from tests.lorelfuzz.features import EVERY
from tests.lorelfuzz.generator import generate
from tests.lorelfuzz.random_changes import Numbers, undone
from tests.lorelfuzz.shrink import shrink, sound

from belvedere.languages.lorel.parser import parse_view

SEEDS = [str(n) for n in range(8)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Without SQL views, which the fake does not have."""
    made = [generate(s) for s in SEEDS]
    return [replace(c, views=tuple(replace(v, reader=False) for v in c.views)) for c in made]


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
    failure = next(f for f in (run(c, "lost edge") for c in cases) if f is not None)
    small = shrink(failure, lambda c: run(c, "lost edge"), seconds=10)
    assert small.check == failure.check
    assert len(small.case.views) == 1
    assert len(small.case.transactions) <= 1
    assert small.case.views[0].view.query.where is None


def test_the_cases_are_varied() -> None:
    made = [generate(str(s)) for s in range(40)]
    assert {f for c in made for v in c.views for f in v.features} == set(EVERY)
    assert {x.kind for c in made for t in c.transactions for x in t.changes} == set(KINDS)


def test_texts_mean_what_they_were_made_of(cases: list[Case]) -> None:
    for case in cases:
        for v in case.views:
            assert parse_view(v.text) == v.view


def test_what_was_undone_was_never_done(cases: list[Case]) -> None:
    for case in cases:
        graph = case.graph
        for t in case.transactions:
            after = applied(graph, t.changes)
            back = applied(after, undone(graph, after, Numbers("again")))
            assert len(back.objects) == len(graph.objects)
            assert len(back.edges) == len(graph.edges)
            assert sorted(map(str, back.values.values())) == sorted(map(str, graph.values.values()))
            assert back.names.keys() == graph.names.keys()
            graph = after
