"""The parts of the tour that need no warehouse: its data, its report, its look for Java."""

from __future__ import annotations

import dataclasses
import io
import re
import stat
from pathlib import Path

import pytest
from rich.console import Console

from belvedere.cli.demo import report
from belvedere.cli.demo.shop import TELLS, VIEWS, Batch, Sizes
from belvedere.cli.demo.tour import BATCHES, Line, Tour
from belvedere.engines.spark.java import java_problem

LINE = Line("revenue", 1000, "incremental", "duckdb", 4321, 0.02, 3.0, True)


def stretch(condition: str) -> range:
    low, high = (int(n) for n in re.findall(r"\d+", condition))
    return range(low, high)


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.001])
def test_batches_do_not_meet(scale: float) -> None:
    """No row is changed twice and none is changed after it went, so every batch has the size it says."""
    sizes = Sizes.at(scale)
    batches = [Batch(n, min(size, sizes.items // 4), sizes) for n, size in enumerate(BATCHES)]
    items = [stretch(c) for b in batches for c in (b.changed_items(), b.gone_items())]
    orders = [stretch(b.changed_orders()) for b in batches]
    for parts, table in ((items, "items"), (orders, "orders")):
        assert len(set().union(*parts)) == sum(len(p) for p in parts)
        assert max(p.stop for p in parts) <= sizes.of(table)
    for table in ("items", "orders"):
        ids = [r["id"] for b in batches for r in (b.new_items() if table == "items" else b.new_orders())]
        assert len(set(ids)) == len(ids)
        assert min(ids) >= sizes.of(table)


def test_a_batch_has_its_size() -> None:
    sizes = Sizes.at(1)
    for size in BATCHES:
        b = Batch(0, size, sizes)
        rows = len(b.new_orders()) + len(b.new_items())
        rows += sum(len(stretch(c)) for c in (b.changed_orders(), b.changed_items(), b.gone_items()))
        assert rows == size


def test_the_largest_tour_is_millions_of_rows() -> None:
    assert Sizes.at(1).items == 3_000_000


def test_every_view_is_told() -> None:
    assert list(TELLS) == list(VIEWS)


def text_of(tour: Tour) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    report.show(console, tour, recomputed_on="Spark")
    return re.sub(r"\s+", " ", console.export_text())


def test_the_report_of_a_good_tour() -> None:
    tour = Tour(5, (LINE, dataclasses.replace(LINE, batch=10, seconds=4.0)), 61.2)
    said = text_of(tour)
    assert tour.ok
    assert "revenue 1,000 incremental duckdb 4,321 20 ms 3.0 s 150.0× verified" in said
    assert "Every view equals its recomputation" in said
    assert "Not faster than recomputing: revenue (10 rows, incremental)." in said


def test_a_view_that_feels_nothing() -> None:
    said = text_of(Tour(5, (LINE, dataclasses.replace(LINE, view="buyers", strategy="none", engine="none")), 61.2))
    assert "1 refresh, 61 s" in said
    assert "1 time a batch could not matter" in said
    assert "buyers 1,000 not touched 4,321" in said


def test_a_slow_tour_says_so() -> None:
    said = text_of(Tour(5, (dataclasses.replace(LINE, seconds=6.0),), 61.2))
    assert "a refresh took 2.0 times as long as recomputing on Spark" in said


def test_the_report_of_a_bad_tour() -> None:
    tour = Tour(5, (LINE, dataclasses.replace(LINE, view="buyers", verified=False)), 1.0)
    said = text_of(tour)
    assert not tour.ok
    assert "1 DIFFER from their recomputation: buyers after 1,000 changes" in said
    assert "Every view equals" not in said


def test_a_tour_of_nothing_is_not_ok() -> None:
    assert not Tour(0, (), 0.0).ok


def fake_java(directory: Path, version: str) -> None:
    java = directory / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(("version", "fine"), [("17.0.1", True), ("21", True), ("11.0.2", False), ("1.8.0_392", False)])
def test_java_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fine: bool) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    problem = java_problem()
    assert (problem is None) == fine
    assert fine or "openjdk-17-jre-headless" in str(problem)


def test_a_java_that_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, "17.0.1")
    (tmp_path / "bin" / "java").chmod(0o644)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "does not run" in str(java_problem())


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no java on the PATH" in str(java_problem())
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert "has no bin/java" in str(java_problem())
