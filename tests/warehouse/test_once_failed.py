"""Views that random testing once found wrong, made small by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


#: a disjunction that is pushed down, or put in the place of a column, keeps its parentheses
DISJUNCTIONS = [
    "select x.a from (select a, b from t where a > 1 union all select a, cast(-1.5 as double) from t where a > 1) x "
    "where x.a in (select a from t) or x.b is not null",
    "select not p as q from (select a, a = 1 or b > 0 as p from t) where not p",
    "select a from (select a, a = 1 or b > 0 as p, a > 0 or b is null as r from t) where p and r",
]


@pytest.mark.parametrize("query", DISJUNCTIONS)
def test_disjunctions_stay_together(tmp_path: Path, query: str) -> None:
    check_disjunctions(bv.open(tmp_path / "wh", engine="duckdb"), query)


@pytest.mark.spark
@pytest.mark.parametrize("query", DISJUNCTIONS)
def test_disjunctions_stay_together_on_spark(tmp_path: Path, spark: Any, query: str) -> None:
    check_disjunctions(bv.open(tmp_path / "wh", engine="spark", spark=spark), query)


def check_disjunctions(wh: bv.Warehouse, query: str) -> None:
    wh.create_table("t", "a int, b double")
    rows = [(a, b) for a in (0, 1, 2, None) for b in (-1.0, 1.0, None)]
    v = wh.create_view("v", query)
    with wh.transaction() as tx:
        tx.insert("t", [{"a": a, "b": b} for a, b in rows])
    v.refresh(strategy="incremental")

    def more(a: int | None) -> bool:
        return a is not None and a > 1

    def either(x: bool | None, y: bool | None) -> bool | None:
        return True if x or y else None if x is None or y is None else False

    def p(a: int | None, b: float | None) -> bool | None:
        return either(None if a is None else a == 1, None if b is None else b > 0)

    expected = [
        [{"a": a} for a, _ in rows if more(a) for _ in range(2)],
        [{"q": True} for a, b in rows if p(a, b) is False],
        [{"a": a} for a, b in rows if p(a, b) and either(None if a is None else a > 0, b is None)],
    ][DISJUNCTIONS.index(query)]
    assert sorted(map(repr, v.rows())) == sorted(map(repr, expected))
