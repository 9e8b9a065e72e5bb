"""Plans in steps, against recomputation in one statement: every collection counts as large here, so every lookup is a step."""

from __future__ import annotations

import pytest
from tests.maintenance.random_trees import Trees
from tests.maintenance.test_random_rewrites import Twisted
from tests.maintenance.test_random_rules import run_case

from belvedere.engines.duckdb import DuckDBEngine, steps

CASES = 60
BATCH = 20


@pytest.mark.parametrize("batch", range(CASES // BATCH))
@pytest.mark.parametrize("kind", [Trees, Twisted])
def test_steps(monkeypatch: pytest.MonkeyPatch, batch: int, kind: type[Trees]) -> None:
    monkeypatch.setattr(steps, "LARGE", -1)
    engine = DuckDBEngine(threads=1)
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        run_case(engine, 1_000 + seed, kind)
