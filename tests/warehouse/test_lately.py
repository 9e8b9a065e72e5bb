"""The last choice for a small change stands, as long as what was weighed is about the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import belvedere as bv
from belvedere.warehouse import refresh as module

ROWS = 3_000


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The views that were weighed."""
    seen: list[str] = []
    before = module.weigh

    def weigh(*args: object, **kwargs: object) -> object:
        seen.append(args[1].name)  # type: ignore[attr-defined]
        return before(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "weigh", weigh)
    return seen


@pytest.fixture
def view(wh: bv.Warehouse) -> bv.View:
    wh.create_table("t", "id bigint, k bigint", key="id")
    wh.load("t", [{"id": n, "k": n % 7} for n in range(ROWS)])
    return wh.create_view("v", "select k, count(*) n from t group by k")


def changed(wh: bv.Warehouse, rows: int = 4) -> None:
    with wh.transaction() as tx:
        tx.update("t", {"k": "(k + 1) % 7"}, where=f"id < {rows}")


def test_the_same_again_is_not_weighed_again(wh: bv.Warehouse, view: bv.View, weighed: list[str]) -> None:
    reports = []
    for _ in range(4):
        changed(wh)
        reports.append(view.refresh())
        assert view.verify().ok
    assert weighed == ["v"]
    assert len({(r.strategy, r.engine, r.estimate) for r in reports}) == 1
    assert all(r.estimate for r in reports)


@pytest.mark.parametrize(
    "otherwise",
    [
        lambda wh: changed(wh, 100),
        lambda wh: wh.execute("insert into t values (-1, 1)"),
        lambda wh: (wh.load("t", [{"id": n, "k": 1} for n in range(ROWS, 3 * ROWS)]), wh.refresh(), changed(wh)),
        lambda wh: (wh.drop_view("v"), wh.create_view("v", "select k, max(id) n from t group by k"), changed(wh)),
    ],
    ids=["more rows", "another kind of change", "the table has grown", "another view of that name"],
)
def test_something_else_is_weighed(
    wh: bv.Warehouse, view: bv.View, weighed: list[str], otherwise: Callable[[bv.Warehouse], object]
) -> None:
    changed(wh)
    view.refresh()
    otherwise(wh)
    weighed.clear()
    report = wh.view("v").refresh()
    assert weighed == ["v"]
    assert report.estimate
    assert wh.view("v").verify().ok


def test_a_wish_counts(wh: bv.Warehouse, view: bv.View) -> None:
    for strategy in ("auto", "recompute", "auto", "incremental", "auto"):
        changed(wh)
        assert view.refresh(strategy=strategy).strategy in (("incremental", "recompute") if strategy == "auto" else (strategy,))
        assert view.verify().ok


def test_what_was_learned_is_weighed(wh: bv.Warehouse, view: bv.View, weighed: list[str]) -> None:
    for _ in range(3):
        changed(wh)
        view.refresh()
    wh.core._model = None  # as it is after some epochs
    changed(wh)
    view.refresh()
    assert weighed == ["v", "v"]
