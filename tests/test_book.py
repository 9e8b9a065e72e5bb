"""The benchmark book holds every program, calls it with options that it has, and shows what it said."""

from __future__ import annotations

import doctest
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from benchmarks.book import plot, sheet
from benchmarks.book.chapters import CHAPTERS, Chapter
from benchmarks.book.pages import page
from benchmarks.book.pictures import pictures
from benchmarks.book.plot import Line, Mark, draw
from benchmarks.book.run import Ran
from benchmarks.book.sheet import Sheet, save

PROGRAMS = Path(__file__).resolve().parents[1] / "benchmarks"


def test_every_program_is_in_the_book() -> None:
    there = {p.name for p in PROGRAMS.glob("*.py")} - {"book.py"}
    assert {c.program for c in CHAPTERS} == there


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda c: c.name)
def test_programs_have_the_options_that_they_are_called_with(chapter: Chapter) -> None:
    text = (PROGRAMS / chapter.program).read_text()
    for option in (*chapter.ordinary, *chapter.large, *(["--json"] if chapter.json else [])):
        assert not option.startswith("--") or f'"{option}"' in text


@pytest.mark.parametrize("module", [plot, sheet], ids=lambda m: m.__name__)
def test_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_a_picture_is_well_formed_and_has_its_lines_and_marks() -> None:
    lines = [Line("a < b", [(0.01, 3.0), (100, 400.0)]), Line("flat", [(0.01, 5.0), (100, 5.0)])]
    root = ET.fromstring(draw("times & sizes", "across", "up", lines, [Mark(1.0, "break-even")]))
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "flat", "times & sizes", "break-even"} <= set(texts)


def test_pictures_are_drawn_of_what_was_saved(tmp_path: Path) -> None:
    assert pictures(tmp_path) == {}
    ways = {"incremental": [0.001, 0.003], "recompute": [0.002], "auto": [0.001]}
    points = [{"kind": "delete", "view": "joined", "part": p, "seconds": ways} for p in (0.00001, 1.0)]
    (tmp_path / "breakeven.json").write_text(json.dumps(points))
    grown = Sheet("growth", [{"view": "joined", "rows": n, "incremental ms": 3.0, "recompute ms": n / 10} for n in (100, 1000)])
    save(tmp_path / "growth.json", "growth", [grown])
    drawn = pictures(tmp_path)
    assert [p.name for p in drawn["breakeven"]] == ["breakeven-joined-delete.svg"]
    assert [p.name for p in drawn["growth"]] == ["growth-joined.svg"]


def test_a_page_says_what_was_met_what_not_and_what_was_left_out(tmp_path: Path) -> None:
    ran = [
        Ran(CHAPTERS[0], "python a", "10 ms", True, 60, "2026-01-02"),
        Ran(CHAPTERS[1], "python b", "20 ms", False, 6, "2026-01-02"),
    ]
    text = page(ran, {CHAPTERS[1].name: [tmp_path / "results" / "b.svg"]}, tmp_path, ["On Spark"], False)
    assert f"| [{CHAPTERS[0].title}](#{CHAPTERS[0].name}) | all met | 1.0 | 2026-01-02 |" in text
    assert f"| [{CHAPTERS[1].title}](#{CHAPTERS[1].name}) | **not all met** | 0.1 | 2026-01-02 |" in text
    assert "| On Spark | not run | | |" in text
    assert "![b](results/b.svg)" in text
    assert "```text\n20 ms\n```" in text


def test_a_page_of_some_programs_keeps_the_others(tmp_path: Path) -> None:
    first = [Ran(c, f"python {c.name}", f"{c.name} took long", True, 60, "2026-01-02") for c in CHAPTERS[:3]]
    before = page(first, {}, tmp_path, [], False)
    again = Ran(CHAPTERS[1], "python again", "it is short now", False, 6, "2026-03-04")
    text = page([again], {}, tmp_path, [], False, before)
    assert page([], {}, tmp_path, [], False, before) == before
    assert [line.split(" | ")[-1] for line in text.splitlines() if "](#" in line] == [
        "2026-01-02 |", "2026-03-04 |", "2026-01-02 |",
    ]  # fmt: skip
    assert text.count("took long") == 2
    assert text.index(CHAPTERS[0].name) < text.index("it is short now") < text.rindex(f"{CHAPTERS[2].name} took long")
