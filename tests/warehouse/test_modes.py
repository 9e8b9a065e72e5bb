"""When views follow: immediate, deferred, lazy, hybrid, and chains of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv


@pytest.fixture
def wh(tmp_path: Path) -> bv.Warehouse:
    wh = bv.open(tmp_path / "wh", engine="duckdb")
    wh.create_table("t", "k int, g int, x int, tags array<int>", key="k")
    with wh.transaction() as tx:
        tx.insert("t", [{"k": k, "g": k % 2, "x": k, "tags": [k]} for k in range(4)])
    return wh


SUMS = "select g, sum(x) as s from t group by g"


def sums(view: bv.View) -> dict[int, int]:
    return {r["g"]: r["s"] for r in view.rows()}


def refreshes(view: bv.View) -> int:
    return len(view.history())


def test_lazy_is_stale_until_read(wh: bv.Warehouse) -> None:
    v = wh.create_view("v", SUMS, mode="lazy")
    for x in (10, 20, 30):
        with wh.transaction() as tx:
            tx.update("t", {"x": x}, where="k = 1")
    assert (v.status, refreshes(v)) == ("stale", 1)
    assert sums(v) == {0: 2, 1: 33}
    assert (v.status, refreshes(v)) == ("fresh", 2)
    assert v.rows() == v.rows()
    assert refreshes(v) == 2, "reading a fresh view works on nothing"


def test_lazy_is_read_by_queries_and_changes(wh: bv.Warehouse) -> None:
    v = wh.create_view("v", SUMS, mode="lazy")
    before = wh.epoch
    with wh.transaction() as tx:
        tx.delete("t", key=0)
    assert wh.query("select s from v where g = 0").rows() == [{"s": 2}]
    with wh.transaction() as tx:
        tx.delete("t", key=2)
    assert v.changes(since=before) == [{"g": 0, "s": 2, "_w": -1}]


def test_an_earlier_epoch_is_read_as_it_was(wh: bv.Warehouse) -> None:
    v = wh.create_view("v", SUMS, mode="lazy")
    then = wh.epoch
    with wh.transaction() as tx:
        tx.delete("t", key=0)
    assert {r["g"]: r["s"] for r in v.rows(epoch=then)} == {0: 2, 1: 4}
    assert v.status == "stale"


def test_hybrid_delays_values_and_follows_rows(wh: bv.Warehouse) -> None:
    v = wh.create_view("v", SUMS, mode="hybrid")
    with wh.transaction() as tx:
        tx.update("t", {"x": 10}, where="k = 1")
    assert v.status == "stale", "a value alone waits for a reader"
    with wh.transaction() as tx:
        tx.insert("t", [{"k": 9, "g": 1, "x": 5, "tags": []}])
    assert v.status == "fresh", "a row that comes is worked on at once, with what waited"
    assert sums(v) == {0: 2, 1: 18}
    with wh.transaction() as tx:
        tx.update("t", {"x": 11}, where="k = 1")
    assert v.status == "stale"
    assert sums(v) == {0: 2, 1: 19}


@pytest.mark.parametrize(("columns", "status"), [({"tags": "array(1)"}, "fresh"), ({"x": 7}, "stale")])
def test_hybrid_takes_collections_for_elements(wh: bv.Warehouse, columns: dict[str, object], status: str) -> None:
    v = wh.create_view("v", "select k, x, tags from t", mode="hybrid")
    with wh.transaction() as tx:
        tx.update("t", columns, where="k = 1")
    assert v.status == status


def test_a_chain_is_worked_on_once_in_order(wh: bv.Warehouse) -> None:
    a = wh.create_view("a", SUMS, mode="lazy")
    b = wh.create_view("b", "select g, s + 1 as s from a", mode="lazy")
    c = wh.create_view("c", "select sum(b.s + a.s) as n from a join b on a.g = b.g", mode="hybrid")
    with wh.transaction() as tx:
        tx.update("t", {"x": 100}, where="k = 0")
    assert {v.status for v in (a, b, c)} == {"stale"}
    assert c.rows() == [{"n": 2 * 106 + 2}]
    assert [refreshes(v) for v in (a, b, c)] == [2, 2, 2]
    assert all(v.verify().ok for v in (a, b, c))


def test_an_immediate_view_pulls_what_it_reads(wh: bv.Warehouse) -> None:
    wh.create_view("a", SUMS, mode="lazy")
    b = wh.create_view("b", "select sum(s) as n from a", mode="immediate")
    with wh.transaction() as tx:
        tx.update("t", {"x": 100}, where="k = 0")
    assert b.status == "fresh"
    assert b.rows() == [{"n": 106}]


def test_an_unknown_mode_is_refused(wh: bv.Warehouse) -> None:
    with pytest.raises(bv.BelvedereError, match="lazy, hybrid"):
        wh.create_view("v", SUMS, mode="sometimes")
