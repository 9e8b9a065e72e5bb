"""The tour, small: in-process, on Spark, and when Java is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Shell

from belvedere.cli.demo import tour
from belvedere.cli.demo.shop import VIEWS


def test_a_small_tour_in_process(shell: Shell) -> None:
    said = shell.run("demo", "--engine", "duckdb", "--scale", "0.001")
    assert said.count("verified") == len(VIEWS) * len(tour.BATCHES)
    assert "Every view equals its recomputation" in said


def test_without_java_it_says_so_and_goes_on(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    said = shell.run("demo", "--scale", "0.0005")
    assert "openjdk-17-jre-headless" in said
    assert "Every view equals its recomputation" in said
    assert "openjdk-17-jre-headless" in shell.run("demo", "--engine", "spark", code=1)


def test_a_kept_warehouse_can_be_looked_at(shell: Shell) -> None:
    shell.run("demo", "--engine", "duckdb", "--scale", "0.0005", "--keep", "tour")
    assert [v["view"] for v in shell.json("view", "list", "-w", "tour")] == sorted(VIEWS)


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["auto", "spark"])
def test_a_small_tour_on_spark(shell: Shell, engine: str) -> None:
    said = shell.run("demo", "--engine", engine, "--scale", "0.001")
    assert said.count("verified") == len(VIEWS) * len(tour.BATCHES)
    if engine == "spark":
        assert "duckdb" not in said
