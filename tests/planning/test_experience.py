"""What refreshes of a view took is learned from, also where nobody chose."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import belvedere as bv
from belvedere.planning.cost import CostModel, Line, Work
from belvedere.planning.experience import Experience
from belvedere.store.model import SMALL


def test_what_was_asked_for_is_learned_from(tmp_path: Path) -> None:
    """Both ways have been expected to take something, so that auto knows by how much that was wrong."""
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.load("t", pa.table({"k": range(2 * SMALL), "x": range(2 * SMALL)}), key="k")
        v = wh.create_view("v", "select k, x + 1 as y from t where x > 5")
        for way in ("incremental", "recompute"):
            wh.execute(f"update t set x = x + 1 where k < {SMALL}")
            v.refresh(strategy=way)
        wh.execute("update t set x = x + 1 where k < 10")
        v.refresh(strategy="incremental")
        seen = list(wh.core.experience("v").seen)[-3:]  # before them, its first extent
        assert [s.strategy for s in seen] == ["incremental", "recompute", "incremental"]
        assert [bool(s.expected) for s in seen] == [True, True, False], "of a few rows there is nothing to learn"
        assert v.verify().ok
    with bv.open(tmp_path / "wh", engine="duckdb") as again:
        assert list(again.core.experience("v").seen)[-3:] == seen


def test_the_nearest_sizes_count() -> None:
    """A row of a large delta takes longer than one of half as many."""
    e, model = Experience(), CostModel({"duckdb": Line(0.0, 1e-6, 0.0)})
    for rows, factor in ((50_000, 1.0), (100_000, 1.5), (200_000, 2.5)):
        for _ in range(3):
            e.add("incremental", rows, factor * rows / 1e6, ("duckdb", rows, 0))
    assert [round(e.factor("incremental", rows, model), 9) for rows in (48_000, 104_000, 210_000)] == [1.0, 1.5, 2.5]
    assert round(e.factor("incremental", 380_000, model), 9) == 2.5, "twice as large is near enough where there is nothing nearer"
    assert round(e.factor("incremental", 20_000, model), 9) == 1.0


def test_a_way_that_is_taken_often_is_not_favoured_for_it() -> None:
    """Times vary. The least of many is lower than the least of a few, and says no more of what comes next."""
    e, model = Experience(), CostModel({"duckdb": Line(0.0, 1e-6, 0.0)})
    times = [1.0, 1.3, 0.7, 1.1, 0.9, 1.2]
    for way, often in (("incremental", 3), ("recompute", 1)):
        for seconds in times * often:
            e.add(way, 100_000, seconds, ("duckdb", 1e6, 0))
    e.add("incremental", 100_000, 0.1, ("duckdb", 1e6, 0))  # once, by chance
    assert round(e.factor("incremental", 100_000, model), 9) == round(e.factor("recompute", 100_000, model), 9) == 0.9


def test_noise_does_not_speak_against_a_way() -> None:
    """The first refresh makes plans; for a while the machine has other things to do."""
    e, model = Experience(), CostModel({"duckdb": Line(0.0, 1e-6, 0.0)})
    for seconds in (9.0, 1.0, 1.0, 1.1, 5.0, 6.0, 4.0):
        e.add("incremental", 100_000, seconds, ("duckdb", 1e6, 0))
    assert round(e.factor("incremental", 100_000, model), 9) == 1.1


def test_a_model_that_learns_does_not_change_what_was_seen() -> None:
    e = Experience()
    for _ in range(2):
        e.add("recompute", 10_000, 0.5, ("duckdb", 100_000, 0))
    for per_row in (1e-6, 5e-6, 2e-5):
        model = CostModel({"duckdb": Line(0.0, per_row, 0.0)})
        assert round(e.factor("recompute", 10_000, model) * model.seconds("duckdb", Work(100_000)), 9) == 0.5


def test_who_comes_after_others_tells_less_of_who_comes_first() -> None:
    """What a change is made of has been read by then."""
    e, model = Experience(), CostModel({"duckdb": Line(0.0, 1e-6, 0.0)})
    for _ in range(9):
        e.add("incremental", 100_000, 1.5, ("duckdb", 1e6, 0), later=True)
    assert round(e.factor("incremental", 100_000, model), 9) == 1.5, "better than nothing"
    for _ in range(2):
        e.add("incremental", 100_000, 2.0, ("duckdb", 1e6, 0))
    assert round(e.factor("incremental", 100_000, model), 9) == 2.0
    assert round(e.factor("incremental", 100_000, model, later=True), 9) == 1.5


def test_a_round_knows_who_came_first(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.load("t", pa.table({"k": range(2 * SMALL), "x": range(2 * SMALL)}), key="k")
        for name in ("a", "b"):
            wh.create_view(name, "select k, x + 1 as y from t where x > 5 order by k limit 10")
        wh.execute("update t set x = x + 1 where k < 7")
        wh.refresh()
        wh.execute("update t set x = x + 1 where k < 7")
        for name in ("b", "a"):
            wh.view(name).refresh()
        counts = {n: (len(wh.core.experience(n).seen), len(wh.core.experience(n).later)) for n in ("a", "b")}
        assert counts == {"a": (3, 0), "b": (2, 1)}, "the first extent counts as well"
