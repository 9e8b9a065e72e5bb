"""The examples run, each in a process of its own, and so does the program that the README prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(directory: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def readme_program() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(import belvedere as bv\n.*?)```", text, re.S)
    return str(program)


def test_shop_in_process(tmp_path: Path) -> None:
    said = run(tmp_path, str(ROOT / "examples" / "shop.py"), "--no-spark", "--in", "shop")
    assert "19.00" in said
    assert (tmp_path / "shop" / "catalog.db").exists()


def test_objects(tmp_path: Path) -> None:
    said = run(tmp_path, str(ROOT / "examples" / "objects.py"), "--in", "company")
    assert "Record(dept='sales', cost=120, staff=['Ann'])" in said
    assert "payroll: incremental on duckdb" in said
    assert "onModifyAttr Employee.salary" in said


def test_airlines(tmp_path: Path) -> None:
    said = run(tmp_path, str(ROOT / "examples" / "airlines.py"), "--in", "travel")
    assert "BERLIN\n  {'Type': 'Economy', 'BA': None, 'LH': 610}" in said
    assert "cities: incremental on duckdb" in said
    assert "LH is called Lufthansa now: metadata only" in said


def test_restaurants(tmp_path: Path) -> None:
    said = run(tmp_path, str(ROOT / "examples" / "restaurants.py"), "--in", "town", "--restaurants", "100", "--edits", "10")
    assert "all three equal recomputation" in said
    assert "'incremental'" in said


@pytest.mark.spark
def test_shop_on_spark(tmp_path: Path) -> None:
    said = run(tmp_path, str(ROOT / "examples" / "shop.py"))
    assert re.search(r"\|\s+7\|19\.00\|", said)


@pytest.mark.spark
def test_the_readme_program_runs_as_printed(tmp_path: Path) -> None:
    said = run(tmp_path, "-c", readme_program())
    assert re.search(r"\|\s+7\|19\.00\|", said)
