"""The random tier of every test run: fixed seeds, each a database, views and a change sequence, against recomputation.

A case is one view × one change sequence. More of them: `make fuzz CASES=100000`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.generator import SEQUENCES, VIEWS, once_failed
from tests.fuzz.run import Options, replay_command
from tests.fuzz.session import SPARK_SEQUENCES, SPARK_VIEWS, Session

import belvedere as bv

CASES = 3_000
SEEDS_PER_TEST = 2
SEQUENCES_ON_SPARK = 25
SEEDS = range(-(-CASES // (VIEWS * SEQUENCES)))
CHUNKS = [SEEDS[n : n + SEEDS_PER_TEST] for n in range(0, len(SEEDS), SEEDS_PER_TEST)]
ONCE_FAILED = once_failed((Path(__file__).parent / "fuzz" / "seeds.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def in_process() -> Iterator[Session]:
    with Session("duckdb") as session:
        yield session


@pytest.fixture(scope="module")
def on_spark(spark: Any) -> Iterator[Session]:
    def opened(folder: Path) -> bv.Warehouse:
        return bv.open(str(folder / "wh"), engine="spark", spark=spark)

    with Session("spark", opener=opened) as session:
        yield session


def check(session: Session, seed: str) -> int:
    """Run one seed; how many cases it held."""
    case = session.case(seed)
    failure = session.run(case)
    if failure is not None:
        pytest.fail(f"{failure}\nreplay: {replay_command(failure, Options(session.engine))}", pytrace=False)
    return case.count


def test_the_tier_is_as_large_as_promised() -> None:
    assert sum(len(c) for c in CHUNKS) * VIEWS * SEQUENCES >= CASES
    assert len({s for c in CHUNKS for s in c}) == len(SEEDS)


@pytest.mark.parametrize("seed", ONCE_FAILED or ["0"])
def test_seeds_that_once_failed(seed: str, in_process: Session) -> None:
    assert check(in_process, seed) > 0


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda c: f"{c[0]}-{c[-1]}")
def test_random_views(seeds: range, in_process: Session) -> None:
    # A view that the generator could not fill is left out, so a seed may hold one or two fewer than VIEWS.
    assert sum(check(in_process, str(seed)) for seed in seeds) >= len(seeds) * (VIEWS - 1) * SEQUENCES


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(SEQUENCES_ON_SPARK // SPARK_SEQUENCES))
def test_random_views_on_spark(seed: int, on_spark: Session) -> None:
    assert check(on_spark, str(10_000 + seed)) >= SPARK_VIEWS * SPARK_SEQUENCES
