"""The random tier of every test run for OQL: fixed seeds, each a schema, objects, views and updates, against the reference.

A case is one view × one sequence of transactions. More of them: `python -m tests.oqlfuzz --cases 50000 --jobs 2`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fuzzing.runner import Options
from tests.oqlfuzz.generator import SEQUENCES, VERSION, VIEWS, generate
from tests.oqlfuzz.run import KIT
from tests.oqlfuzz.session import SPARK_SEQUENCES, SPARK_VIEWS, Session

import belvedere as bv

CASES = 1_000
SEEDS_PER_TEST = 2
SEEDS = range(-(-CASES // (VIEWS * SEQUENCES)))
CHUNKS = [SEEDS[n : n + SEEDS_PER_TEST] for n in range(0, len(SEEDS), SEEDS_PER_TEST)]
SEEDS_ON_SPARK = 2


def once_failed() -> list[str]:
    """The seeds of seeds.txt that still mean what they meant when they failed."""
    text = (Path(__file__).parent / "seeds.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [seed for version, seed in lines if int(version) == VERSION]


@pytest.fixture(scope="module")
def in_process() -> Session:
    return Session("duckdb")


@pytest.fixture(scope="module")
def on_spark(spark: Any) -> Session:
    return Session("spark", opener=lambda folder: bv.open(str(folder / "wh"), engine="spark", spark=spark))


def check(session: Session, seed: str) -> int:
    """Run one seed; how many cases it held."""
    case = session.case(seed)
    failure = session.run(case)
    if failure is not None:
        pytest.fail(f"{failure}\nreplay: {KIT.replay_command(failure, Options(session.engine))}", pytrace=False)
    return case.count


def test_the_tier_is_as_large_as_promised() -> None:
    assert sum(generate(str(s)).count for c in CHUNKS for s in c) >= CASES


@pytest.mark.parametrize("seed", once_failed() or ["0"])
def test_seeds_that_once_failed(seed: str, in_process: Session) -> None:
    assert check(in_process, seed) > 0


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda c: f"{c[0]}-{c[-1]}")
def test_random_views(seeds: range, in_process: Session) -> None:
    # A view that the generator could not fill is left out, so a seed may hold one fewer than VIEWS.
    assert sum(check(in_process, str(seed)) for seed in seeds) >= len(seeds) * (VIEWS - 1) * SEQUENCES


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(SEEDS_ON_SPARK))
def test_random_views_on_spark(seed: int, on_spark: Session) -> None:
    assert check(on_spark, str(10_000 + seed)) >= (SPARK_VIEWS - 1) * SPARK_SEQUENCES
