"""The cost of a refresh: fitted to what was read and written, merges counted by the part that a delta causes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import belvedere as bv
from belvedere.planning.choice import choose
from belvedere.planning.cost import FIRST, CostModel, Line, Work, fit
from belvedere.store.model import Run
from belvedere.warehouse.writing import merging

ROWS = 40_000


def record(engine: str, read: float, written: float, seconds: float) -> dict[str, object]:
    return {"engine": engine, "rows_read": read, "rows_written": written, "seconds": seconds}


def test_without_a_history_the_first_figures_stand_in() -> None:
    assert CostModel.learn([]).lines == FIRST


def test_a_history_is_learned_per_engine() -> None:
    slow = Line(0.5, 1e-5, 4e-5)
    works = [Work(0), Work(1000), Work(50_000, 100), Work(200_000, 50_000), Work(1000, 80_000)] * 60
    model = CostModel.learn(record("duckdb", w.read, w.written, slow.seconds(w)) for w in works)
    for w in works[:5]:
        assert model.seconds("duckdb", w) == pytest.approx(slow.seconds(w), rel=0.05)
    assert model.lines["spark"] == FIRST["spark"]


def test_records_that_do_not_know_what_was_written_are_left_out() -> None:
    assert CostModel.learn([{"engine": "duckdb", "rows_read": 10, "seconds": 9.0}]).lines == FIRST


def test_one_slow_refresh_does_not_turn_everything() -> None:
    line = fit([(Work(10), 3.0)], FIRST["duckdb"])
    assert line.seconds(Work(1e6)) < 2 * FIRST["duckdb"].seconds(Work(1e6))


def test_more_never_costs_less() -> None:
    line = fit([(Work(1e6), 0.01), (Work(0), 1.0), (Work(0, 1e6), 0.02)] * 50, FIRST["duckdb"])
    assert min(line.fixed, line.per_row, line.per_written) >= 0


def test_what_is_written_decides_between_equal_reads() -> None:
    engines = {"incremental": ["duckdb"], "recompute": ["duckdb"]}
    model = CostModel(FIRST)
    both = {"incremental": Work(1e6, 1e6), "recompute": Work(1e6, 2e5)}
    assert choose(both, engines, model).chosen.strategy == "recompute"
    assert choose(dict.fromkeys(both, Work(1e6)), engines, model).chosen.strategy == "incremental"


def run(n: int, rows: int, deletes: int = 0) -> Run:
    return Run(n, 1, f"f{n}", rows, deletes, rows, n, None, False, None)


def test_a_delta_pays_for_the_merge_that_it_causes() -> None:
    base = [run(1, 1_000_000)]
    assert merging(base, 1000, 0, beside=False) == Work(0)
    assert merging(base, 400_000, 400_000, beside=False) == Work(1_400_000, 600_000)
    assert merging([], 1000, 0, beside=False) == Work(0)


def test_a_large_merge_is_done_beside_and_costs_the_refresh_nothing() -> None:
    assert merging([run(1, 1_000_000)], 400_000, 400_000, beside=True) == Work(0)
    assert merging([run(1, 20_000)], 8_000, 8_000, beside=True) == Work(28_000, 12_000)


def test_the_delta_that_makes_a_merge_due_pays_for_all_of_it() -> None:
    """It takes that time now, and a recomputation would spare all of it."""
    nearly_due = [run(1, 1_000_000), run(2, 299_500)]
    assert merging(nearly_due, 400, 0, beside=False) == Work(0)
    assert merging(nearly_due, 1000, 0, beside=False) == Work(1_300_500, 1_300_500)


@pytest.fixture
def wh(tmp_path: Path) -> bv.Warehouse:
    wh = bv.open(tmp_path / "w", engine="duckdb")
    wh.create_table("t", "id bigint, x bigint", key=["id"])
    wh.load("t", pa.table({"id": range(ROWS), "x": [n % 7 for n in range(ROWS)]}))
    wh.create_view("v", "select id, x + 1 as y from t where x < 6")
    return wh


def test_most_rows_deleted_is_a_recomputation_and_says_so(wh: bv.Warehouse) -> None:
    wh.execute(f"delete from t where id < {ROWS * 8 // 10}")
    expected = wh.view("v").explain("dict")["strategy"]
    report = wh.view("v").refresh()
    assert report.strategy == expected == "recompute"
    assert "next best incremental" in report.reason
    assert wh.view("v").verify().ok


def test_few_rows_deleted_are_propagated(wh: bv.Warehouse) -> None:
    wh.execute(f"delete from t where id < {ROWS // 100}")
    report = wh.view("v").refresh()
    assert report.strategy == "incremental"
    assert wh.view("v").verify().ok
