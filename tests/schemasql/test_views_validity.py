"""SchemaSQL views that their data or the catalog make invalid, and how they come back."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import UNIVERSITIES, opened
from tests.schemasql.texts import QUERIES
from tests.schemasql.views import assert_right

from belvedere.errors import InvalidView
from belvedere.warehouse.schemas import validity


@pytest.fixture
def wh(tmp_path: Path) -> Any:
    with opened(tmp_path / "wh", UNIVERSITIES) as warehouse:
        yield warehouse


def change(wh: Any, **rows: Any) -> None:
    with wh.transaction() as tx:
        tx.insert("univ-A.salInfo", {"dept": "cs", "category": "Prof", "salFloor": 1, **rows})


def undo(wh: Any, where: str) -> None:
    with wh.transaction() as tx:
        tx.delete("univ-A.salInfo", where=where)
    wh.refresh()


def test_two_values_for_one_cell(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[7], language="schemasql")
    reader = wh.create_view("reader", "select cs from `AtoB`.salInfo where cs is not null")
    change(wh, salFloor=70)
    view.refresh()
    assert view.status == "fresh"  # the same value twice is one value
    change(wh, salFloor=71)
    wh.refresh()
    assert view.status == "invalid"
    assert view.reason == "one cell has more than one value: category='Prof', column='cs': 70, 71"
    with pytest.raises(InvalidView, match="category='Prof', column='cs': 70, 71"):
        view.rows()
    assert reader.status == "invalid"
    assert "view 'v', which it reads, is invalid" in reader.reason
    assert view.verify().ok
    undo(wh, "salFloor = 71")
    assert (view.status, reader.status) == ("fresh", "fresh")
    assert_right(wh, view)
    assert sorted(r["cs"] for r in reader.rows()) == [60, 70]


def test_null_is_a_value_of_a_cell_and_no_name(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[7], language="schemasql")
    split = wh.create_view("s", QUERIES[8], language="schemasql")
    change(wh, salFloor=None)
    wh.refresh()
    assert view.reason == "one cell has more than one value: category='Prof', column='cs': 70, NULL"
    undo(wh, "salFloor is null")
    change(wh, dept=None, category="Dean")
    wh.refresh()
    assert {"category": "Dean", "bio": None, "cs": None, "math": None} in view.rows()
    assert split.reason.startswith("NULL stands where the name of a relation is expected: category='Dean', salFloor=1")
    undo(wh, "dept is null")
    assert_right(wh, view)
    assert_right(wh, split)


def test_a_value_that_is_called_like_a_fixed_attribute(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[7], language="schemasql")
    change(wh, dept="category")
    view.refresh()
    assert view.status == "invalid"
    assert "the column 'category' comes from the data and is a fixed attribute" in view.reason
    undo(wh, "dept = 'category'")
    change(wh, dept="Category")
    view.refresh()
    assert_right(wh, view)


def test_a_used_attribute_goes_and_comes_back(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[10], language="schemasql")
    with wh.transaction() as tx:
        tx.drop_attribute("univ-C.cs", "salFloor")
    assert view.status == "invalid"
    assert "univ-C::cs" in view.reason
    with pytest.raises(InvalidView):
        view.rows()
    with wh.transaction() as tx:
        tx.add_attribute("univ-C.cs", "salFloor", "int")
        tx.update("univ-C.cs", {"salFloor": 7})
    assert view.refresh(strategy="incremental").strategy == "incremental"
    assert_right(wh, view)


def test_a_lazy_view_that_was_invalid_looks_again_when_read(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[7], language="schemasql", mode="lazy")
    change(wh, salFloor=71)
    with pytest.raises(InvalidView):
        view.rows()
    with wh.transaction() as tx:
        tx.delete("univ-A.salInfo", where="salFloor = 71")
    assert len(view.rows()) == 3


RANGES = {
    "rows of all relations": "select count(*) n from `AtoB`-> R, `AtoB`::R T",
    "an attribute of all": "create view I::out(R, c) as select R, T.category from `AtoB`-> R, `AtoB`::R T",
    "names of attributes": "select R, A from `AtoB`-> R, `AtoB`::R-> A",
}


@pytest.mark.parametrize("text", RANGES.values(), ids=RANGES)
def test_a_range_over_relations_of_an_invalid_view_is_not_empty(wh: Any, text: str) -> None:
    wh.create_view("v", QUERIES[7], language="schemasql")
    over = wh.create_view("over", text, language="schemasql")
    before = over.relation(over.relations()[0]).rows()
    change(wh, salFloor=71)
    wh.refresh()
    assert over.status == "invalid"
    assert "view 'v', which it reads, is invalid: one cell has more than one value" in over.reason
    with pytest.raises(InvalidView, match="more than one value"):
        wh.query(text.partition(" as ")[2] or text, language="schemasql").rows()
    with pytest.raises(InvalidView, match="more than one value"):
        wh.query("select * from `AtoB`.salInfo")
    undo(wh, "salFloor = 71")
    assert over.status == "fresh"
    assert sorted(over.relation(over.relations()[0]).rows(), key=repr) == sorted(before, key=repr)


def test_a_few_examples_of_many_violations_are_fetched_and_all_counted(wh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    view = wh.create_view("v", QUERIES[7], language="schemasql")
    with wh.transaction() as tx:
        many = [{"dept": "cs", "category": f"k{k:03}", "salFloor": v} for k in range(200) for v in range(50)]
        tx.insert("univ-A.salInfo", many)
        tx.insert("univ-A.salInfo", {"dept": "cs", "category": "k001", "salFloor": None})
    fetched = []
    real = validity._rows
    monkeypatch.setattr(validity, "_rows", lambda *a: fetched.extend(real(*a)) or real(*a))
    view.refresh()
    assert view.reason == (
        "one cell has more than one value: category='k000', column='cs': 0 … 49 (50 values); "
        "category='k001', column='cs': 0 … 49, NULL (51 values); category='k002', column='cs': 0 … 49 (50 values) (and 197 more)"
    )
    assert 0 < len(fetched) < 10
    undo(wh, "category like 'k%'")
    assert_right(wh, view)


def test_what_is_told_of_dates_texts_and_several_values(wh: Any) -> None:
    wh.create_table("odd.t", "k string, p string, d date, s string, a array<int>")
    views = {
        c: wh.create_view(f"of_{c}", f"create view o{c}::r(k, P) as select T.k, T.{c} from odd::t T, T.p P", language="schemasql")
        for c in "dsa"
    }
    with wh.transaction() as tx:
        for day, text, numbers in ((1, "x", [1]), (2, "it's", [2]), (3, None, None)):
            tx.insert("odd.t", {"k": None, "p": "p", "d": dt.date(2024, 1, day), "s": text, "a": numbers})
    wh.refresh()
    told = {c: v.reason.partition("value: ")[2] for c, v in views.items()}
    assert told == {
        "d": "k=NULL, column='p': 2024-01-01 … 2024-01-03 (3 values)",
        "s": "k=NULL, column='p': \"it's\", 'x', NULL",
        "a": "k=NULL, column='p': [1], [2], NULL",
    }
