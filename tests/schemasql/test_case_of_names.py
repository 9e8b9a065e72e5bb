"""Variables and names that differ only in case: what is written just so counts first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import belvedere as bv


def test_a_database_of_exactly_that_name_counts_before_a_variable(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        for table, v in (("r.a", 1), ("r.b", 2)):
            wh.create_table(table, "v int")
            with wh.transaction() as tx:
                tx.insert(table, [{"v": v}])
        found = wh.query("select R, T.v from r-> R, r::R T", language="schemasql").rows()
        assert sorted((x["R"], x["v"]) for x in found) == [("a", 1), ("b", 2)]


def test_an_attribute_of_the_header_that_comes_near_a_variable_is_a_name(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "k string, v int")
        with wh.transaction() as tx:
            tx.insert("t", [{"k": "x", "v": 1}])
        fixed = wh.create_view("f", "create view q::Q(n, v) as select N, T.v from t T, T.k N", language="schemasql")
        pivot = wh.create_view("p", "create view q2::Q(v, N) as select T.v, T.v from t T, T.k N", language="schemasql")
        assert fixed.relation("Q").rows() == [{"n": "x", "v": 1}]
        assert pivot.relation("Q").rows() == [{"v": 1, "x": 1}]


def rows(view: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(r.values()) for r in view.rows())


NEAR = "select A, U.v from C-> A, C::A T, C::a U"


def test_a_name_that_is_like_a_variable_but_for_its_case_follows_a_rename(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        for table, v in (("C.a", 1), ("C.b", 2)):
            wh.create_table(table, "v int")
            with wh.transaction() as tx:
                tx.insert(table, [{"v": v}])
        view = wh.create_view("w", NEAR, language="schemasql")
        assert rows(view) == [("a", 1), ("b", 1)]
        with wh.transaction() as tx:
            tx.rename_relation("C.a", "C.z")
        view.refresh()
        assert rows(view) == [("b", 1), ("z", 1)]
        assert view.verify().ok
        with wh.transaction() as tx:
            tx.insert("C.z", [{"v": 5}])
        view.refresh()
        assert rows(view) == [("b", 1), ("b", 5), ("z", 1), ("z", 1), ("z", 5), ("z", 5)]
        with wh.transaction() as tx:
            tx.drop_relation("C.z")
        assert view.status == "invalid"  # the variable is not what was meant
        assert "there is no relation 'a'" in view.reason


def test_a_variable_stays_one_when_something_of_its_name_but_for_case_comes(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        for table, v in (("C.x", 1), ("C.y", 2)):
            wh.create_table(table, "v int")
            with wh.transaction() as tx:
                tx.insert(table, [{"v": v}])
        view = wh.create_view("w", "select A, U.v from C-> A, C::a U", language="schemasql")
        assert rows(view) == [("x", 1), ("y", 2)]
        wh.create_table("C.a", "v int")
        with wh.transaction() as tx:
            tx.insert("C.a", [{"v": 3}])
        view.refresh()
        assert rows(view) == [("a", 3), ("x", 1), ("y", 2)]
        assert view.verify().ok


def test_a_database_that_went_is_not_taken_for_a_variable(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("r.a", "v int")
        with wh.transaction() as tx:
            tx.insert("r.a", [{"v": 1}])
        view = wh.create_view("w", "select S, T.v from r-> R, r-> S, r::S T", language="schemasql")
        assert rows(view) == [("a", 1)]
        wh.drop_table("r.a")
        view.refresh()
        assert (view.status, rows(view)) == ("fresh", [])
