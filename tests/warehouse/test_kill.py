"""kill -9 at every named point: the last published epoch is there, whole, and nothing else.

The scenarios of crash.py run in processes that die at a point. What they leave is opened again here.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.warehouse import crash
from tests.warehouse.helpers import files, known

import belvedere as bv
from belvedere.store.faults import STORE

#: where each scenario passes; together they must be all points
SCENARIOS: dict[str, tuple[str, ...]] = {
    "transaction": ("commit.marker", "commit.file", "commit.file:2", "commit.staged", "commit.sql", "commit.published",
                    "commit.finished", "iceberg.metadata"),
    "refresh": ("commit.marker", "commit.file", "commit.staged", "commit.sql", "commit.published", "commit.finished"),
    "recompute": ("commit.marker", "commit.file", "commit.staged", "commit.sql", "commit.published", "commit.finished"),
    "rollback": ("rollback.files",),
    "many": ("compact.written", "compact.sql", "compact.committed", "iceberg.metadata:3", "gc.moved", "gc.unlinked",
             "gc.cleared"),
}  # fmt: skip
CREATING = ("create.directory", "create.catalog")
RECOVERING = ("recover.found", "recover.unlinked")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """(where the warehouse is, a copy of it). Iceberg's metadata holds whole paths, so it must stay where it was made."""
    path = tmp_path_factory.mktemp("kill") / "wh"
    assert not crash.in_process(path, "prepare")
    shutil.copytree(path, path.with_name("copy"))
    yield path, path.with_name("copy")
    shutil.rmtree(path.parent)


@pytest.fixture
def path(prepared: tuple[Path, Path]) -> Path:
    path, copy = prepared
    shutil.rmtree(path)
    shutil.copytree(copy, path)
    return path


def epoch_of(path: Path) -> int:
    with bv.open(path, engine="duckdb") as wh:
        return wh.epoch


def check(path: Path, *, epochs: range) -> None:
    """Exactly one of the epochs; every view verifies and can be brought up to date; one more commit leaves no orphan."""
    with bv.open(path, engine="duckdb") as wh:
        assert wh.epoch in epochs
        for view in wh.views():
            assert view.verify().ok, view.name
        assert wh.view("totals").status == "fresh"
        crash.transaction(wh)
        assert files(wh.path) == known(wh.core.store)
        wh.refresh()
        for view in wh.views():
            assert (view.status, view.verify().ok) == ("fresh", True), view.name
        assert files(wh.path) == known(wh.core.store)


def test_the_scenarios_pass_every_point() -> None:
    named = {p.partition(":")[0] for points in SCENARIOS.values() for p in points}
    assert named | {*CREATING, *RECOVERING} == set(STORE)  # tests/sources/test_kill.py has the others


IN_FILES = [(w, p, True) for w, points in SCENARIOS.items() for p in points]
IN_CATALOG = [(w, p, False) for w, p, _ in IN_FILES if w != "recompute" and not p.startswith(("commit.marker", "gc.unlinked"))]


@pytest.mark.parametrize(("what", "point", "in_files"), [*IN_FILES, *IN_CATALOG])
def test_killed_at(path: Path, what: str, point: str, in_files: bool) -> None:
    before = epoch_of(path)
    assert crash.in_process(path, what, point, in_files=in_files), f"{what} never passes {point}"
    if what == "many":
        check(path, epochs=range(before, before + 49))
    elif point in ("commit.published", "commit.finished"):
        check(path, epochs=range(before + 1, before + 2))
    else:
        check(path, epochs=range(before, before + 1))


@pytest.mark.parametrize("point", CREATING)
def test_killed_while_the_warehouse_is_made(place: Path, point: str) -> None:
    assert crash.in_process(place / "wh", "nothing", point)
    with bv.open(place / "wh", engine="duckdb") as wh:
        assert wh.epoch == 0
        wh.create_table("t", "x int")
        assert wh.tables() == ["t"]


@pytest.mark.parametrize("dead", ["commit.file", "commit.sql", "commit.published", "compact.written"])
@pytest.mark.parametrize("point", RECOVERING)
def test_killed_while_recovering(path: Path, point: str, dead: str) -> None:
    """A process dies, the next one dies cleaning up after it, a third one finishes."""
    before = epoch_of(path)
    assert crash.in_process(path, "many" if dead.startswith("compact") else "transaction", dead, in_files=True)
    assert crash.in_process(path, "nothing", point), f"recovery never passes {point}"
    check(path, epochs=range(before, before + 49))
