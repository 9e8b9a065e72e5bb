"""The pages in docs/ speak of what there is: every command, every option they name, and code that runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from belvedere.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"


def commands() -> dict[str, set[str]]:
    """`view create` and the like → its option names."""
    found: dict[str, set[str]] = {}

    def walk(command: object, name: str) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[name] = {o for p in getattr(command, "params", []) for o in (*p.opts, *p.secondary_opts)}
            return
        for key, value in inner.items():
            walk(value, f"{name} {key}".strip())

    walk(get_command(app), "")
    return found


def test_every_command_is_on_the_page_and_every_option_exists() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    known = commands()
    named = set(re.findall(r"`belvedere ((?:view |oem )?[a-z]+)", page))
    assert named == set(known)
    options = set(re.findall(r"`(--[a-z]+)", page))
    assert options <= set().union(*known.values())
    assert {"--warehouse", "--engine", "--json"} <= options


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("getting-started.md", "by_nation incremental duckdb"),
        ("objects.md", "payroll: incremental on duckdb"),
        ("schemasql.md", "13 delete-attribute LH"),
        ("sources.md", "totals incremental 2 rows in"),
    ],
)
def test_code_on_a_page_runs(page: str, said: str, tmp_path: Path) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
