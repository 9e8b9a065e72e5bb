"""A view that cannot be computed holds up itself and what reads it, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import belvedere as bv
from belvedere.cli.main import app


def made(wh: bv.Warehouse) -> bv.Warehouse:
    wh.create_table("t", "k int, x int, s string", key="k")
    with wh.transaction() as tx:
        tx.insert("t", [{"k": 1, "x": 1, "s": "1"}, {"k": 2, "x": 2, "s": "2"}])
    return wh


@pytest.fixture
def wh(tmp_path: Path) -> bv.Warehouse:
    return made(bv.open(tmp_path / "wh", engine="duckdb"))


def add(wh: bv.Warehouse, k: int, x: int, s: str = "0") -> None:
    with wh.transaction() as tx:
        tx.insert("t", [{"k": k, "x": x, "s": s}])


def files(wh: bv.Warehouse) -> set[Path]:
    return set((Path(wh.path) / "data").rglob("*.parquet"))


def several(wh: bv.Warehouse) -> None:
    """A failing one between others, and one that reads it."""
    wh.create_view("a", "select sum(x) as s from t")
    wh.create_view("f", "select x, sum(100 / x) as q from t group by x")
    wh.create_view("g", "select sum(q) as q from f join t using (x)")
    wh.create_view("n", "select sum(cast(s as int)) as n from t")
    wh.create_view("z", "select count(*) as c from t")
    before = {n: wh.view(n).rows() for n in ("f", "g")}
    add(wh, 3, 0)
    epoch = wh.epoch
    with pytest.raises(bv.RefreshFailed, match=r"(?i)^view 'f' cannot be refreshed: .*division by zero") as failed:
        wh.refresh()
    reports = {r.view: r for r in failed.value.reports}
    assert wh.epoch == epoch + 1
    assert {n: (r.held, r.epoch == wh.epoch) for n, r in reports.items()} == {
        "a": (False, True), "f": (True, False), "g": (True, False), "n": (False, True), "z": (False, True),
    }  # fmt: skip
    assert "division by zero" in reports["f"].reason.lower()
    assert reports["g"].reason == "view 'f', which it reads, could not be refreshed"
    assert {n: wh.view(n).status for n in "afgnz"} == {"a": "fresh", "f": "stale", "g": "stale", "n": "fresh", "z": "fresh"}
    assert {n: wh.view(n).rows() for n in before} == before
    assert all(wh.view(n).verify().ok for n in "afgnz")
    add(wh, 4, 4, "four")
    with pytest.raises(bv.RefreshFailed) as failed:
        wh.refresh()
    assert str(failed.value).count("cannot be refreshed") == 2, "both are told"
    with wh.transaction() as tx:
        tx.delete("t", where="x = 0 or s = 'four'")
    wh.refresh()
    for n in "afgnz":
        assert wh.view(n).status == "fresh"
        assert wh.view(n).verify().ok


def test_the_others_go_on(wh: bv.Warehouse) -> None:
    several(wh)
    assert wh.core.store.maintain(wh.core.duckdb) is not None


@pytest.mark.spark
def test_the_others_go_on_on_spark(tmp_path: Path, spark: Any) -> None:
    several(made(bv.open(tmp_path / "wh", engine="spark", spark=spark)))


def test_nothing_of_it_is_left(wh: bv.Warehouse) -> None:
    """Two stages; the first is written before the second fails."""
    wh.create_view("f", "select sum(100 / s) as q from (select k % 2 as g, sum(x) as s from t group by k % 2)")
    view = wh.view("f")
    assert len(view.definition.stage_names) > 1
    before = files(wh)
    add(wh, 3, -1)
    new = files(wh) - before
    epoch = wh.epoch
    with pytest.raises(bv.RefreshFailed, match="view 'f'") as failed:
        view.refresh(strategy="incremental")
    assert [r.held for r in failed.value.reports] == [True]
    assert (wh.epoch, files(wh)) == (epoch, before | new), "nothing is published, and no file stays"
    wh.create_view("ok", "select count(*) as c from t")
    add(wh, 5, 8)
    with wh.transaction() as tx:
        tx.update("t", {"x": -5}, where="k = 3")
    wh.refresh()
    assert view.verify().ok
    assert view.status == "fresh"


def test_element_of_two(wh: bv.Warehouse) -> None:
    wh.odl("class person (extent people) { attribute string name; attribute long age; };")
    with wh.transaction() as tx:
        tx.new("person", name="ann", age=1)
    one = wh.create_view("one", "select element(select q.name from q in people) from p in people where p.age = 1", language="oql")
    every = wh.create_view("every", "select p.name from p in people", language="oql")
    with wh.transaction() as tx:
        bob = tx.new("person", name="bob", age=2)
    with pytest.raises(bv.RefreshFailed, match="view 'one' cannot be refreshed: element"):
        wh.refresh()
    assert (list(one.objects()), one.status) == (["ann"], "stale")
    assert sorted(every.objects()) == ["ann", "bob"]
    with wh.transaction() as tx:
        tx.delete_object(bob)
    wh.refresh()
    assert (list(one.objects()), one.status) == (["ann"], "fresh")


def test_named_views_too(wh: bv.Warehouse) -> None:
    wh.create_view("a", "select sum(x) as s from t")
    wh.create_view("f", "select sum(100 / x) as q from t")
    wh.create_view("other", "select count(*) as c from t")
    add(wh, 3, 0)
    with pytest.raises(bv.RefreshFailed, match="view 'f'") as failed:
        wh.refresh("f", "a")
    assert [(r.view, r.held) for r in failed.value.reports] == [("f", True), ("a", False)]
    assert [wh.view(n).status for n in ("a", "f", "other")] == ["fresh", "stale", "stale"]


def test_what_a_view_reads_is_kept_when_it_fails(wh: bv.Warehouse) -> None:
    wh.create_view("a", "select x, count(*) as c from t group by x")
    f = wh.create_view("f", "select sum(100 / x) as q from a")
    add(wh, 3, 0)
    with pytest.raises(bv.RefreshFailed, match="view 'f'"):
        f.refresh()
    assert (wh.view("a").status, f.status) == ("fresh", "stale")
    assert wh.view("a").verify().ok


def test_a_transaction_fails_with_its_immediate_view(wh: bv.Warehouse) -> None:
    f = wh.create_view("f", "select sum(100 / x) as q from t", mode="immediate")
    epoch = wh.epoch
    with pytest.raises(bv.EngineError, match=r"(?i)view 'f' cannot be refreshed: .*division by zero"):
        add(wh, 3, 0)
    assert wh.epoch == epoch
    assert wh.query("select count(*) as c from t").rows() == [{"c": 2}]
    assert f.status == "fresh"


def test_an_immediate_view_holds_back_what_it_would_follow(wh: bv.Warehouse) -> None:
    wh.create_view("d", "select x, count(*) as c from t group by x")
    wh.create_view("over_d", "select sum(c) as c from d")
    now = wh.create_view("now", "select sum(100 / x) as q from d", mode="immediate")
    wh.create_view("a", "select sum(x) as s from t")
    add(wh, 3, 0)
    with pytest.raises(bv.RefreshFailed, match="view 'now' cannot be refreshed") as failed:
        wh.refresh()
    reports = {r.view: r for r in failed.value.reports}
    assert {n for n, r in reports.items() if r.held} == {"d", "over_d"}
    assert reports["d"].reason.startswith("a view that follows it at once fails: view 'now' cannot")
    assert wh.view("a").rows() == [{"s": 3}]
    assert {r["x"] for r in wh.view("d").rows()} == {1, 2}
    assert now.rows() == [{"q": 150.0}], "what it reads is as it was"
    assert now.verify().ok
    with wh.transaction() as tx:
        tx.delete("t", key=3)
    wh.refresh()
    assert {v.status for v in wh.views()} == {"fresh"}


def test_an_immediate_view_does_not_wait_for_one_that_failed(wh: bv.Warehouse) -> None:
    wh.create_view("f", "select sum(100 / x) as q from t")
    wh.create_view("d", "select sum(x) as s from t")
    now = wh.create_view("now", "select q, s from f cross join d", mode="immediate")
    add(wh, 3, 0)
    add(wh, 4, 10)
    with pytest.raises(bv.RefreshFailed, match="view 'f'"):
        wh.refresh()
    assert now.rows() == [{"q": 150.0, "s": 13}]
    assert now.status == "stale", "f is"


def test_a_lazy_view_fails_when_read(wh: bv.Warehouse) -> None:
    wh.create_view("a", "select x, count(*) as c from t group by x", mode="lazy")
    f = wh.create_view("f", "select sum(100 / x) as q from a", mode="lazy")
    add(wh, 3, 0)
    with pytest.raises(bv.EngineError, match="view 'f' cannot be refreshed"):
        f.rows()
    assert len(wh.view("a").rows()) == 3
    with wh.transaction() as tx:
        tx.delete("t", key=3)
    assert f.rows() == [{"q": 150.0}]


def test_a_published_table_that_fails(wh: bv.Warehouse) -> None:
    """Its head is made on reading, so the view fails where it is published."""
    f = wh.create_view("f", "select k, 100 / x as q from t")
    f.publish()
    wh.create_view("a", "select sum(x) as s from t")
    add(wh, 3, 0)
    with pytest.raises(bv.RefreshFailed, match=r"view 'f' cannot be (published|refreshed)"):
        wh.refresh()
    assert (f.status, wh.view("a").rows()) == ("stale", [{"s": 3}])
    assert len(f.rows()) == 2


def test_the_command_says_both(wh: bv.Warehouse) -> None:
    wh.create_view("f", "select sum(100 / x) as q from t")
    wh.create_view("a", "select sum(x) as s from t")
    add(wh, 3, 0)
    path = wh.path
    wh.close()
    for options in ([], ["--strategy", "recompute"]):
        done = CliRunner().invoke(app, ["refresh", "-w", path, *options])
        assert done.exit_code == 1
        assert "f was not refreshed: " in done.stderr
        assert "division by zero" in done.stderr.lower()
        assert "recompute" in done.stdout or "incremental" in done.stdout
