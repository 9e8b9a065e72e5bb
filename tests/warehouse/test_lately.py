"""The last choice for a small change stands, as long as what was weighed is about the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import belvedere as bv
from belvedere.warehouse import lately as module_lately
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


def test_the_ways_are_looked_at_again_now_and_then(
    wh: bv.Warehouse, view: bv.View, weighed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    estimated: list[str] = []
    before = module.Refresher._estimate

    def estimate(self: module.Refresher, d: object, *args: object) -> object:
        estimated.append("v")
        return before(self, d, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(module.Refresher, "_estimate", estimate)
    for _ in range(module_lately.AGAIN + 2):
        changed(wh)
        view.refresh()
        assert view.verify().ok
        wh.core._model = None
    assert len(weighed) == module_lately.AGAIN + 2
    assert len(estimated) == 2


def test_what_a_view_reads_is_counted_again_when_enough_has_changed(wh: bv.Warehouse, view: bv.View) -> None:
    changed(wh)
    view.refresh()
    d, lately = wh.registry.definition("v"), wh.core.lately
    assert lately.whole(d, 1, lambda: 0) > 0, "counted at the refresh"
    assert lately.whole(d, ROWS, lambda: 17) == 17
    assert [lately.whole(d, 0, lambda: 18) for _ in range(module_lately.TIMES)] == [17] * (module_lately.TIMES - 1) + [18]
    lately.forget("v")
    assert lately.whole(d, 0, lambda: 19) == 19


def test_views_of_one_epoch_share_what_is_found_for_them(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    wh.create_table("t", "id bigint, k bigint", key="id")
    wh.load("t", [{"id": n, "k": n % 7} for n in range(ROWS)])
    names = [f"v{n}" for n in range(4)]
    for n, name in enumerate(names):
        wh.create_view(name, f"select k, count(*) n, max(id) m from t where id % 5 <> {n} group by k")
    changed(wh)
    wh.view("v3").refresh()
    changed(wh, 40)
    made: list[int | None] = []
    before = module.Resolver
    monkeypatch.setattr(module, "Resolver", lambda *a, **k: made.append(k["since"]) or before(*a, **k))
    wh.refresh(*names)
    assert len(made) == len(set(made)) <= len(names)
    marks = {wh.core.store.doc("pin", n, wh.epoch)["epoch"] for n in names}
    assert len(marks) == 1
    changed(wh, 40)
    made.clear()
    wh.refresh(*names)
    assert made == [*marks]
    assert all(wh.view(n).verify().ok for n in names)
