"""Spark's lookups without Spark: the plan that is left of a random one, run in-process, has the same rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from tests.engines import test_bands, test_narrow
from tests.engines.support import bag

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, gets
from belvedere.algebra.rewrite.empty import without_empty
from belvedere.engines.duckdb import DuckDBEngine, narrow
from belvedere.engines.scan import Scan
from belvedere.engines.spark import lookups
from belvedere.engines.spark.lookups import Lookups, replaced
from belvedere.store import hot_columns

Ask = Callable[[Get], Scan]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    made = DuckDBEngine(threads=1)
    yield made
    made.close()


def looked_up(engine: DuckDBEngine, node: Node, found: dict[str, Scan]) -> tuple[object, list[str]]:
    """The rows, and the leaves of the plan that is left."""

    def run(part: Node, ask: Ask) -> pa.Table:
        return engine.run(part, ask, measured=False)[0]

    def ask(get: Get) -> Scan:
        return found[get.name]

    this = Lookups(ask, run, run, lambda part, scans: engine.narrowed(part, scans)[0])
    plan = without_empty(this(node), lambda get: this.ask(get).is_empty)
    return bag(run(Consolidate(plan), this.ask)), [g.name for g in gets(plan)]


def changing(node: Node) -> Node:
    """The plan with the small leaf as a change."""
    return replaced(node, {g: replace(g, version="delta") for g in gets(node) if g.name == "small"})


@pytest.mark.parametrize("seed", range(60))
def test_random_plans(engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    r = random.Random(seed)
    for _ in range(3):
        node, found = changing(test_narrow.Plans(r).plan(r.randrange(1, 4))), test_narrow.scans(r, tmp_path)
        plain = bag(engine.run(Consolidate(node), lambda get, found=found: found[get.name], measured=False)[0])  # type: ignore[misc]
        with monkeypatch.context() as m:
            m.setattr(lookups, "SMALL_SCAN", 5)
            m.setattr(lookups, "IN_MEMORY", r.choice([5, 1_000]))
            m.setattr(narrow, "NEAR", 0)
            m.setattr(narrow, "WHOLE", 10)
            m.setattr(hot_columns, "READ", r.choice([0, 1]))
            assert looked_up(engine, node, found)[0] == plain, str(node)


@pytest.mark.parametrize("seed", range(20))
def test_rows_in_a_band(engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    r = random.Random(seed)
    near = 0
    for _ in range(8):
        node, found = test_bands.case(r, tmp_path)
        plain = test_narrow.result(engine, node, found)
        with monkeypatch.context() as m:
            m.setattr(lookups, "SMALL_SCAN", 5)
            m.setattr(narrow, "NEAR", 0)
            m.setattr(narrow, "WHOLE", 10)
            m.setattr(hot_columns, "READ", 0)
            rows, leaves = looked_up(engine, node, found)
        assert rows == plain, str(node)
        near += "rows" not in leaves
    assert near, "nothing was looked up"
