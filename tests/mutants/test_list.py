"""The list of planted faults follows the source: `make test` says so, not the next run of `make mutants`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.mutants import faults

SOURCE = Path(__file__).parents[2] / "src"
FAULTS = faults.every()


def test_the_list_is_long_enough_and_fits_the_source() -> None:
    faults.check(FAULTS, SOURCE)
    assert len(FAULTS) >= 100


def test_a_fault_is_still_a_program() -> None:
    """A fault that cannot be compiled would be caught by anything."""
    for fault in FAULTS:
        path, text = fault.planted(SOURCE)
        assert ast.parse(text, str(path)).body, fault.about


def test_a_fault_that_fits_nowhere_is_said(tmp_path: Path) -> None:
    (tmp_path / "belvedere").mkdir()
    (tmp_path / "belvedere" / "x.py").write_text("a = 1\na = 1\n", encoding="utf-8")
    with pytest.raises(faults.Misplaced, match=r"x\.py holds 2 times"):
        faults.Fault("x.py", "a = 1", "a = 2", "twice").planted(tmp_path)
    with pytest.raises(faults.Misplaced, match=r"x\.py holds 0 times"):
        faults.Fault("x.py", "b = 1", "b = 2", "never").planted(tmp_path)
