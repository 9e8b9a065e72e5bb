"""Variables and names that differ only in case: what is written just so counts first."""

from __future__ import annotations

from pathlib import Path

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
