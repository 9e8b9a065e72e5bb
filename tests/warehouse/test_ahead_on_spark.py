"""Several views refreshed together on Spark: what each of them needs first is worked on at the same time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import belvedere as bv
from belvedere.warehouse.ahead import Ahead

pytestmark = pytest.mark.spark

VIEWS = {
    "sums": "select k, sum(x) s, count(*) n from t group by k",
    "most": "select k, max(x) m from t group by k",
    "joined": "select t.id, u.name from t join u on t.k = u.k",
    "above": "select id from t where x > (select avg(x) from t)",
    "over": "select sum(s) total from sums where n > 0",
    "top": "select id, x from t order by x desc, id limit 5",
    "quotient": "select k, sum(100 / x) q from t group by k",
}


@pytest.fixture
def wh(tmp_path: Path, spark: Any) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="spark", spark=spark) as wh:
        wh.create_table("t", "id bigint, k bigint, x bigint", key="id")
        wh.create_table("u", "k bigint, name string")
        with wh.transaction() as tx:
            tx.insert("t", [{"id": i, "k": i % 5, "x": i % 9 + 1} for i in range(60)])
            tx.insert("u", [{"k": k, "name": f"n{k}"} for k in range(4)])
        for name, text in VIEWS.items():
            wh.create_view(name, text)
        yield wh


def test_all_at_once_and_each_equals_recomputation(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    begin = Ahead.begin

    def noted(self: Ahead, target: str, *rest: Any) -> None:
        begun.append(target)
        begin(self, target, *rest)

    monkeypatch.setattr(Ahead, "begin", noted)
    for turn in range(3):
        wh.execute(f"update t set x = x + 1 where id % 7 = {turn}")
        wh.execute(f"insert into t values ({100 + turn}, {turn}, 3)")
        wh.execute(f"delete from t where id = {turn * 11}")
        wh.execute(f"update t set x = {(turn + 1) * 20} where id = {turn + 30}")  # into the top, and out of it again
        wh.execute(f"update t set x = 0 - x where id = {turn + 29}")
        begun.clear()
        reports = {r.view: r for r in wh.refresh_views(None, "incremental", None)}
        # what reads another of them waits for it, and what comes after that with it
        assert begun == ["above$1", "joined$1", "most$1", "sums$1", "over$1", "quotient$1", "top$1"]
        assert all(reports[n].engine == "spark" for n in VIEWS if n != "over")
        alone = {"sums", "joined", "quotient"}  # each has a job to do if it is refreshed alone
        assert sum(reports[n].jobs for n in alone) < len(alone), "several views share a job"
        assert sum(r.jobs for r in reports.values()) >= 1, "which is told once"
        assert all(wh.view(n).verify().ok for n in VIEWS), turn
    silenced = ("ignore", None, Warning, None, 0)
    assert silenced not in list(warnings.filters), "what was silenced while Spark worked is heard again"


def test_one_that_fails_holds_up_itself_only(wh: bv.Warehouse) -> None:
    before = wh.view("quotient").rows()
    wh.execute("insert into t values (200, 1, 0)")
    with pytest.raises(bv.RefreshFailed, match=r"(?i)^view 'quotient' cannot be refreshed: .*division by zero"):
        wh.refresh()
    assert wh.view("quotient").rows() == before
    assert {n: wh.view(n).status for n in VIEWS} == {n: "stale" if n == "quotient" else "fresh" for n in VIEWS}
    wh.execute("delete from t where id = 200")
    wh.refresh()
    assert all(wh.view(n).verify().ok for n in VIEWS)


def test_stages_of_one_view_that_do_not_read_each_other_are_one_job(wh: bv.Warehouse) -> None:
    """A sum of each group and a sum of everything both follow from the tables; what compares them comes after."""
    text = "select t.k, sum(x) s from t join u on t.k = u.k group by t.k having sum(x) * 3 > (select sum(x) from t)"
    wh.create_view("share", text)
    for turn in range(3):
        wh.execute(f"update t set x = x + {turn + 1} where id % 9 = {turn}")
        report = wh.view("share").refresh(strategy="incremental")
        assert [s.name for s in report.steps] == ["share$1", "share$2", "share$3"]
        assert [s.jobs for s in report.steps[1:2]] == [0]  # it came with the first
        assert wh.view("share").verify().ok
