"""The programs of docs/lorel.md run as printed, one after the other, and say what is printed below them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "lorel.md"
#: a program, and what it prints if the page says so
BLOCK = re.compile(r"```python\n(.*?)```\n(?:```\n(.*?)```\n)?", re.S)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) >= 7
    for program, expected in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(program, str(PAGE), "exec"), known)
        assert said.getvalue() == expected, program
