"""The rooms of ARCHITECTURE.md import downwards only, and each heavy library stays in the room that owns it.

The table in ARCHITECTURE.md is read, not copied, so the page and the code cannot part ways.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

OWNERS = {
    "pyspark": ("engines/spark",),
    "duckdb": ("engines/duckdb", "sources/duckdb_file"),
    "pymysql": ("sources/mysql",),
    "psycopg": ("sources/postgres",),
    "pyiceberg": ("store",),
    "sqlglot": ("engines", "languages", "algebra", "sources"),
    "lark": ("languages",),
    "typer": ("cli",),
    "rich": ("cli",),
}


@dataclass(frozen=True)
class Import:
    """One import statement's target, as a dotted module name."""

    file: Path
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def parse_rooms(text: str) -> dict[str, tuple[str, ...]]:
    """Room → module prefixes it may import, from the markdown table, outermost room first."""
    rows = re.findall(r"^\| `([^`]+)` \|[^|]*\| ([^|]+) \|$", text, re.M)
    names = [name.split("/")[0] for name, _ in rows]
    allowed: dict[str, tuple[str, ...]] = {}
    for index, (name, (_, cell)) in enumerate(zip(names, rows, strict=True)):
        below = tuple(names[index + 1 :])
        if cell.strip() in ("everything", "all below"):
            allowed[name] = below
        else:
            words = re.findall(r"[a-z_.]+", cell)
            allowed[name] = tuple(w for w in words if w.split(".")[0] in below)
        if "errors" in below:
            allowed[name] += ("errors",)
    return allowed


def imports_of(file: Path, source: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                yield Import(file, node.lineno, f"{base}.{alias.name}" if is_module(base, alias.name) else base)


def is_module(package: str, name: str) -> bool:
    """Whether `from package import name` imports a module of ours rather than something in one."""
    place = SOURCE.joinpath(*package.split("."), name)
    return package.startswith("belvedere") and (place.is_dir() or place.with_suffix(".py").is_file())


def room_of(file: Path) -> str:
    """The room of a file given relative to src/belvedere; the package itself stands above all rooms."""
    return "" if file == Path("__init__.py") else Path(file.parts[0]).stem


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def complaint(found: Import, rooms: dict[str, tuple[str, ...]]) -> str | None:
    """What is wrong with an import, or None."""
    room = room_of(found.file)
    top = found.module.split(".")[0]
    if top in OWNERS:
        place = found.file.parent.as_posix()
        if not any(place == owner or place.startswith(owner + "/") for owner in OWNERS[top]):
            return f"{found}: {top} belongs to {', '.join(OWNERS[top])}"
    if found.module.startswith("."):
        return f"{found}: write absolute imports"
    if top != "belvedere" or room == "":
        return None
    target = found.module.removeprefix("belvedere").lstrip(".")
    if room not in rooms:
        return f"{found}: ARCHITECTURE.md knows no room '{room}'"
    if room == "cli" or within(target, room):
        return None
    if not any(target and within(target, prefix) for prefix in rooms[room]):
        return f"{found}: {room} may import {', '.join(rooms[room]) or 'nothing'}"
    return None


ROOMS = parse_rooms((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
FILES = sorted((SOURCE / "belvedere").rglob("*.py"))


def test_the_table_is_read() -> None:
    assert next(iter(ROOMS)) == "cli"
    assert list(ROOMS)[-1] == "errors"
    assert ROOMS["errors"] == ()
    assert "store" in ROOMS["warehouse"]
    assert ROOMS["changes"] == ("algebra.types", "errors")
    assert len(FILES) > 15


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(SOURCE).as_posix())
def test_imports_point_downwards(file: Path) -> None:
    relative = file.relative_to(SOURCE / "belvedere")
    found = imports_of(relative, file.read_text(encoding="utf-8"))
    assert [c for c in (complaint(i, ROOMS) for i in found) if c] == []


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(SOURCE).as_posix())
def test_a_file_holds_one_thing(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= 450, f"{lines} lines: split the file"


@pytest.mark.parametrize(
    ("place", "source", "expected"),
    [
        ("algebra/a.py", "import belvedere.store", "algebra may import errors"),
        ("changes/a.py", "from belvedere.algebra.ops import join", "changes may import algebra.types, errors"),
        ("changes/a.py", "from belvedere.algebra.types import Schema", None),
        ("changes/a.py", "from belvedere.algebra import types as T", None),
        ("changes/a.py", "from belvedere.algebra import ops", "changes may import algebra.types, errors"),
        ("store/a.py", "import duckdb", "duckdb belongs to engines/duckdb, sources/duckdb_file"),
        ("engines/spark/a.py", "from pyspark.sql import SparkSession", None),
        ("engines/duckdb/a.py", "from pyspark.sql import SparkSession", "pyspark belongs to engines/spark"),
        ("maintenance/a.py", "def f():\n    from belvedere import warehouse", "maintenance may import algebra, errors"),
        ("planning/a.py", "from . import cost", "write absolute imports"),
        ("planning/a.py", "from belvedere import errors", None),
        ("cli/a.py", "import belvedere as bv", None),
        ("store/a.py", "import belvedere as bv", "store may import algebra.types, changes, errors"),
        ("attic/a.py", "import belvedere.errors", "knows no room 'attic'"),
    ],
)
def test_the_check_itself(place: str, source: str, expected: str | None) -> None:
    said = [c for c in (complaint(i, ROOMS) for i in imports_of(Path(place), source)) if c]
    if expected is None:
        assert said == []
    else:
        assert len(said) == 1
        assert expected in said[0]
