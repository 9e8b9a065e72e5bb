"""No plan of maintenance reads a large table whole, whichever single table changes: every such leaf is a lookup."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.tpch.queries import NAMES, query
from benchmarks.tpch.tables import TABLES
from tests.tpch.conftest import SCALE

import belvedere as bv
from belvedere.algebra.ops import Get
from belvedere.maintenance.stage_delta import stage_delta

SMALL = {"nation", "region"}
#: q22 compares every customer with an average over customers: when that moves, any of them may be in or out
WHOLE = {("q22", "customer"): {"customer"}}
#: NOT IN has to look at all rows again when its list becomes empty or stops being so; guarded by the number of rows
GUARDED = {("q16", "supplier"): {"part", "partsupp", "supplier"}}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> bv.Warehouse:
    wh = bv.open(tmp_path_factory.mktemp("plans") / "warehouse", engine="duckdb")
    for table in TABLES.values():
        wh.create_table(table.name, table.ddl, key=table.key)
    return wh


@pytest.mark.parametrize("name", NAMES)
def test_large_tables_are_looked_up(tables: bv.Warehouse, name: str) -> None:
    plan = tables.registry.define(name, query(name, SCALE), "sql", "deferred", {}).plan
    for source in sorted(plan.reads):
        changed = {source}
        for stage in plan.stages:
            made = stage_delta(stage, frozenset(changed), frozenset(changed))
            if made is None:
                continue
            changed.add(stage.name)
            leaves = [n for n in made.node.walk() if isinstance(n, Get) and n.version != "delta" and n.name in TABLES]
            whole = {n.name for n in leaves if not n.by} - SMALL
            allowed = WHOLE.get((name, source), set()) | GUARDED.get((name, source), set())
            assert whole <= allowed, f"a change of {source} makes {stage.name} read {sorted(whole - allowed)} whole"


def test_data_is_generated_at_the_scale(data: Path) -> None:
    assert {p.stem for p in data.glob("*.parquet")} == set(TABLES)
