"""Views that random testing once found wrong, made small by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv

#: aggregates over distinct values beside others that nobody reads, or that have to be read again
DISTINCT = [
    "select n from (select sum(distinct i) as n, count(distinct f, i) as m from t group by i)",
    "select s, sum(distinct i) as a, avg(i) as b from t group by s",
    "select a from (select s, avg(distinct i) as a, avg(f) as b from t group by s)",
    "select s, sum(distinct i) as a, avg(i) as b, stddev(f) as c from t group by s",
]


@pytest.mark.parametrize("query", DISTINCT)
def test_distinct_aggregates_beside_others(tmp_path: Path, query: str) -> None:
    wh = bv.open(tmp_path / "wh", engine="duckdb")
    wh.create_table("t", "i int, f double, s string")
    v = wh.create_view("v", query)
    for change in (
        lambda tx: tx.insert("t", [{"i": None, "f": 0.5, "s": "b"}]),
        lambda tx: tx.insert("t", [{"i": 1, "f": 0.5, "s": "b"}, {"i": 2, "f": 0.5, "s": "a"}]),
        lambda tx: tx.delete("t", where="i = 1"),
    ):
        with wh.transaction() as tx:
            change(tx)
        v.refresh(strategy="incremental")
        assert v.verify().ok
    if "group by i" in query:
        assert sorted(v.rows(), key=str) == [{"n": 2}, {"n": None}]
