"""Least and greatest values under deletions: a group is read again only if it may have lost one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import belvedere as bv
from belvedere.algebra.ops import Consolidate, Negate, Positive, Share
from belvedere.engines.duckdb.dialect import DuckDBDialect
from belvedere.engines.sql import Leaf, lower
from belvedere.maintenance.stage_delta import stage_delta

ROWS = 60_000
VIEW = "select k, min(x) low, max(s) high, count(*) n, sum(x) total from t group by k"


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id int, k int, x int, s string", key="id")
        rows = [{"id": i, "k": i % 300, "x": i, "s": f"{i:06d}"} for i in range(ROWS)]
        with wh.transaction() as tx:
            tx.insert("t", [*rows, {"id": ROWS, "k": None, "x": None, "s": None}])
        wh.create_view("v", VIEW)
        yield wh


def refreshed(wh: bv.Warehouse) -> int:
    """The rows that were read."""
    report = wh.view("v").refresh(strategy="incremental")
    assert wh.view("v").verify().ok, report
    return report.rows_read


@pytest.mark.parametrize(
    "change",
    [
        "update t set x = x + 1 where id = 3007",
        "update t set s = '030000' where id = 3007",
        "delete from t where id = 3007",
        "update t set x = NULL, s = NULL where id = 3007",
        "update t set k = 8 where id = 3007",
        "update t set x = -5, s = 'z' where id = 3007",
    ],
)
def test_what_is_no_extreme(wh: bv.Warehouse, change: str) -> None:
    wh.execute(change)
    assert refreshed(wh) < 1_000, "the groups themselves"


@pytest.mark.parametrize(
    "change",
    [
        "delete from t where id = 7",
        "update t set x = 90000 where id = 7",
        "update t set x = NULL where id = 7",
        "delete from t where id = 59707",
        "update t set k = 8 where id = 7",
        "delete from t where k = 7",
        "delete from t where k is null",
        "update t set x = 4, s = 'b' where k is null",
        "delete from t where id in (7, 3007, 59708)",
    ],
)
def test_what_may_be_one(wh: bv.Warehouse, change: str) -> None:
    wh.execute(change)
    refreshed(wh)


def test_one_of_two_that_are_equal(wh: bv.Warehouse) -> None:
    wh.execute("insert into t values (100001, 7, 7, '000000'), (100002, 7, 7, '000000')")
    refreshed(wh)
    for gone in (7, 100001, 100002):
        wh.execute(f"delete from t where id = {gone}")
        refreshed(wh)


def test_a_change_is_summed_up_once_in_what_groups_are_made_of(wh: bv.Warehouse) -> None:
    """What a join compares is no part of it, and what came and went is told by the weight of rows that are summed up already."""
    wh.create_table("u", "k int, j int, l int", key="k")
    wh.execute("insert into u values (7, 1, 1), (8, 2, 1), (9, 2, 2)")
    wh.create_view("v2", "select j, min(x) low from t join u on t.k = u.k and u.l = 1 group by j")
    wh.execute("delete from t where id in (7, 3008)")
    wh.execute("update u set j = 1 where k = 8")
    report = wh.view("v2").refresh(strategy="incremental")
    assert wh.view("v2").verify().ok
    (definition,) = [s for s in wh.registry.definition("v2").plan.stages if s.kind == "aggregate"]
    plan = stage_delta(definition, frozenset({"t", "u"}))
    assert plan is not None
    rows = [n.input for n in plan.node.walk() if isinstance(n, Share) and n.name.startswith("rows")]
    assert {n.schema.names for n in rows if isinstance(n, Consolidate)} == {("x", "j")}
    assert report.rows_out
    change = Share(Consolidate(definition.get().at("delta")), "change")
    text = lower(Positive(Negate(change)), DuckDBDialect(), lambda _: Leaf()).render("duckdb", lambda slot: "")
    assert text.count("GROUP BY") == 1
