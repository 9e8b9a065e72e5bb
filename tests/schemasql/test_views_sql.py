"""SQL over the relations of SchemaSQL views, and names that no SQL text would have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import UNIVERSITIES, opened
from tests.schemasql.texts import QUERIES
from tests.schemasql.views import assert_right

HOSTILE = [
    "a`b", 'c"d', "e'f", "", "two words", "drop table x; --", "\\", "ß☃", "A", "a", "select", "_W", "x" * 300, "a.b", "g\nh",
    "g\n  h", "i\r\nj", "k\u2028l", "it's\n\"m\" `n`\\",
]  # fmt: skip


@pytest.fixture
def wh(tmp_path: Path) -> Any:
    with opened(tmp_path / "wh", UNIVERSITIES) as warehouse:
        yield warehouse


def add(wh: Any, *depts: str) -> None:
    with wh.transaction() as tx:
        tx.insert("univ-A.salInfo", [{"dept": d, "category": "Prof", "salFloor": i} for i, d in enumerate(depts)])


def test_a_sql_view_over_a_pivoted_relation(wh: Any) -> None:
    wh.create_view("v", QUERIES[7], language="schemasql")
    total = wh.create_view("total", "select sum(cs) n from `AtoB`.salInfo")
    every = wh.create_view("every", "select * from `AtoB`.salInfo")
    assert total.rows() == [{"n": 130}]
    with wh.transaction() as tx:
        tx.insert("univ-A.salInfo", {"dept": "cs", "category": "Dean", "salFloor": 100})
        tx.insert("univ-A.salInfo", {"dept": "art", "category": "Dean", "salFloor": 1})
    reports = {r.view: r.strategy for r in wh.refresh()}
    assert reports["total"] == "incremental"
    assert total.rows() == [{"n": 230}]
    assert every.columns == ("category", "art", "bio", "cs", "math")
    assert every.verify().ok
    assert wh.query("select art from `AtoB`.`salInfo` where art is not null").rows() == [{"art": 1}]
    with wh.transaction() as tx:
        tx.delete("univ-A.salInfo", where="dept = 'cs'")
    wh.refresh()
    assert total.status == "invalid"
    assert "'cs'" in total.reason
    assert every.columns == ("category", "art", "bio", "math")


def test_a_reader_feels_a_rename_that_moved_no_row(wh: Any) -> None:
    wh.create_view("v", QUERIES[6], language="schemasql")
    reader = wh.create_view("reader", "select distinct dept from `BtoA`.salInfo")
    text = "create view up::t(category, D) as select T.category, T.salFloor from BtoA::salInfo T, T.dept D"
    above = wh.create_view("above", text, language="schemasql")
    with wh.transaction() as tx:
        tx.rename_attribute("univ-B.salInfo", "cs", "computing")
    wh.refresh()
    assert sorted(r["dept"] for r in reader.rows()) == ["computing", "math"]
    assert above.columns == ("category", "computing", "math")
    assert above.verify().ok


def test_hostile_names(wh: Any) -> None:
    columns = wh.create_view("v", QUERIES[7], language="schemasql")
    split = wh.create_view("s", QUERIES[8], language="schemasql")
    add(wh, *HOSTILE)
    wh.refresh()
    assert_right(wh, columns)
    assert_right(wh, split)
    assert split.relation("drop table x; --").rows() == [{"category": "Prof", "salFloor": HOSTILE.index("drop table x; --")}]
    with wh.transaction() as tx:
        tx.delete("univ-A.salInfo", where="dept in ('', 'A')")
    wh.refresh()
    assert "A" not in columns.columns
    assert "a" in columns.columns
    assert_right(wh, columns)
    assert_right(wh, split)


def test_a_view_over_all_relations_leaves_out_what_reads_it(wh: Any) -> None:
    wh.create_table("one", "n int")
    wh.create_table("two", "n int")
    names = wh.create_view("names", "select R, count(*) c from -> R, R T group by R", language="schemasql")
    wh.create_view("reader", "select * from names")
    wh.create_view("other", "select n from one")
    with wh.transaction() as tx:
        tx.insert("one", [{"n": 1}, {"n": 2}])
    wh.refresh()
    assert sorted((r["R"], r["c"]) for r in names.rows()) == [("one", 2), ("other", 2)]
    assert names.verify().ok


def test_a_reader_follows_another_type(wh: Any) -> None:
    wh.create_table("r.a", "x int")
    wh.create_table("r.b", "x double")
    with wh.transaction() as tx:
        tx.insert("r.a", {"x": 1})
    wh.create_view("v", "create view q::Q(x) as select T.x from r-> N, r::N T", language="schemasql")
    reader = wh.create_view("reader", "select x from q.Q")
    with wh.transaction() as tx:
        tx.drop_relation("r.b")
    wh.refresh()
    assert reader.rows() == [{"x": 1}]
    assert reader.verify().ok
