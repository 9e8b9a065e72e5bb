"""The SQL of each operator in both dialects, as written down. `pytest tests/engines/test_golden.py --regold` rewrites it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.cases import CASES, TABLES

from belvedere.algebra.node import OPERATORS
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.spark import SparkEngine

GOLDEN = Path(__file__).parent.parent / "golden" / "engines" / "lowering"
NAMES = (
    "get", "get_empty", "get_hostile_names", "filter_over_computed", "project_swaps_names", "join", "cross_join", "left_join",
    "full_join", "semi_join", "anti_join_null_aware", "union_all", "negate_aggregate", "scale", "consolidate_maps", "positive",
    "share_joined_with_itself", "values", "values_none", "keys", "tally", "distinct", "count_sum_avg", "sum_of_doubles",
    "min_max", "distinct_aggregates", "variance", "collect", "posexplode_outer", "explode_map", "top_k_cuts_a_weight",
    "row_number", "running_sum_of_peers", "first_last_of_peers", "window_average_of_doubles",
    "closure_in_a_union",
)  # fmt: skip
CHOSEN = [c for c in CASES if c.name in NAMES]


def text(name: str) -> str:
    node = next(c for c in CHOSEN if c.name == name).node()
    plan = "\n".join(f"-- {line}" for line in str(node).splitlines())
    parts = [f"-- {e.name}\n{e.sql(node, TABLES)}\n" for e in (DuckDBEngine(), SparkEngine())]
    return plan + "\n\n" + "\n".join(parts)


@pytest.mark.parametrize("name", NAMES)
def test_sql_is_as_written_down(name: str, regold: bool) -> None:
    path = GOLDEN / f"{name}.sql"
    if regold:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        path.write_text(text(name), encoding="utf-8")
    assert text(name) == path.read_text(encoding="utf-8")


def test_every_operator_is_written_down() -> None:
    used = {type(n) for c in CHOSEN for n in c.node().walk()}
    assert {op for op in OPERATORS if op.__module__.startswith("belvedere.algebra.ops")} <= used
    assert {p.stem for p in GOLDEN.glob("*.sql")} == set(NAMES)
