"""The random tier of every test run for SchemaSQL: fixed seeds, each databases, views and changes, against the reference.

A case is one view × one comparison. More of them: `python -m tests.schemafuzz --cases 20000 --jobs 2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fuzzing.runner import Options
from tests.schemafuzz.generator import STEPS, VERSION, VIEWS
from tests.schemafuzz.run import KIT
from tests.schemafuzz.session import REFRESHED, Session

import belvedere as bv

CASES = 1_000
SEEDS_PER_TEST = 2
#: a few more than it takes on average, since a seed may hold fewer views or steps than it was asked for
SEEDS = range(int(1.15 * CASES / (VIEWS * STEPS * REFRESHED)) + 1)
CHUNKS = [SEEDS[n : n + SEEDS_PER_TEST] for n in range(0, len(SEEDS), SEEDS_PER_TEST)]


def once_failed() -> list[str]:
    """The seeds of seeds.txt that still mean what they meant when they failed."""
    text = (Path(__file__).parent / "seeds.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [seed for version, seed in lines if int(version) == VERSION]


@pytest.fixture(scope="module")
def in_process() -> Iterator[Session]:
    with Session() as made:
        yield made


@pytest.fixture(scope="module")
def on_spark(spark: Any) -> Iterator[Session]:
    with Session("spark", opener=lambda folder: bv.open(str(folder / "wh"), engine="spark", spark=spark)) as made:
        yield made


def check(session: Session, seed: str) -> int:
    """Run one seed; how many cases it held."""
    case = session.case(seed)
    failure = session.run(case)
    if failure is not None:
        pytest.fail(f"{failure}\nreplay: {KIT.replay_command(failure, Options(session.engine))}", pytrace=False)
    return case.count


@pytest.mark.parametrize("seed", once_failed() or ["0"])
def test_seeds_that_once_failed(seed: str, in_process: Session) -> None:
    assert check(in_process, seed) > 0


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda c: f"{c[0]}-{c[-1]}")
def test_random_views(seeds: range, in_process: Session) -> None:
    assert sum(check(in_process, str(seed)) for seed in seeds) > 0


def test_the_tier_is_as_large_as_promised(in_process: Session) -> None:
    """Counts what the tests above have run; alone, it makes the cases without running them."""
    if in_process.coverage.cases < CASES:
        for seed in SEEDS:
            in_process.case(str(seed))
    assert in_process.coverage.cases >= CASES


@pytest.mark.spark
def test_random_views_on_spark(on_spark: Session) -> None:
    assert check(on_spark, "10000") > 0
