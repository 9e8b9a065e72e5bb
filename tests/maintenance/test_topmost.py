"""The first rows in an order: from the first rows as they were and the change, and from all rows only if others may move up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.maintenance.statements import change

import belvedere as bv
from belvedere.engines.duckdb import steps
from belvedere.planning import estimate

ORDERS = (
    "a desc limit 3",
    "a, b desc limit 2",
    "f desc nulls last, s limit 4",
    "s desc, f limit 1",
    "b nulls last limit 5",
    "a desc limit 0",
    "a limit 100",
    "b desc limit 2 offset 1",
)
VALUES = {
    "a": ["0", "1", "2", "3", "4", "null"],
    "b": ["0", "1", "2", "null"],
    "f": ["0.0D", "-0.0D", "1.5D", "double('nan')", "null"],
    "s": ["''", "'x'", "'y'", "'X'", "null"],
}


@pytest.fixture
def asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of a few rows are taken for large ones."""
    monkeypatch.setattr(steps, "MAYBE", 0)
    monkeypatch.setattr(steps, "LARGE", 0)
    monkeypatch.setattr(estimate, "ASKED", 0)


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "a bigint, b int, f double, s string")
        yield wh


def changed(wh: bv.Warehouse, rng: random.Random) -> None:
    """One to four statements."""
    for _ in range(rng.randint(1, 4)):
        column = rng.choice(list(VALUES))
        change(wh, rng, "t", VALUES, f"{column} <=> {rng.choice(VALUES[column])}")


@pytest.mark.usefixtures("asked_first")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(4))
def test_equals_recomputation(wh: bv.Warehouse, order: str, seed: int) -> None:
    rng = random.Random(f"{order}{seed}")
    wh.create_view("rows", f"select * from t order by {order}")
    wh.create_view("some", f"select a, b, f, s from t where b > 0 order by {order}")
    wh.create_view("sums", f"select a, max(b) b, max(f) f, max(s) s from t group by a order by {order}")
    wh.create_view("over", "select count(*) n, sum(a) total from rows")
    for turn in range(12):
        changed(wh, rng)
        wh.refresh_views(None, "incremental", None)
        for view in wh.views():
            found = view.verify()
            assert found.ok, f"{view.name} after change {turn} of {order}, seed {seed}: {found}"


def test_the_others_are_read_only_if_one_may_move_up(wh: bv.Warehouse) -> None:
    with wh.transaction() as tx:
        tx.insert("t", [{"a": i, "b": i % 7, "f": None, "s": None} for i in range(30_000)])
    view = wh.create_view("top", "select a, count(*) n from t group by a order by a desc limit 10")

    def read() -> int:
        report = view.refresh(strategy="incremental")
        assert view.verify().ok
        return next(s.rows_read for s in report.steps if s.name == "top$2")

    wh.execute("insert into t values (17, 1, null, null)")
    assert read() < 200, "below the top"
    wh.execute("delete from t where a = 20")
    assert read() < 200, "one below the top goes"
    wh.execute("insert into t values (40000, 1, null, null)")
    assert read() < 200, "a new first"
    wh.execute("insert into t values (29999, 1, null, null)")
    assert read() < 200, "a change within the top"
    wh.execute("delete from t where a = 29995")
    assert read() > 20_000, "one of the top goes, and another moves up"
