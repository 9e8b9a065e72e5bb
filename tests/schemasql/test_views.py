"""SchemaSQL views, kept: the papers' views end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import AIRLINES, UNIVERSITIES, opened
from tests.schemasql.texts import AIRLINE, QUERIES
from tests.schemasql.views import Replayed, assert_right, content

from belvedere.errors import BelvedereError, UnknownName

BERLIN = {"Destination": "BERLIN", "Business": 1400, "Economy": 610}


@pytest.fixture
def airlines_wh(tmp_path: Path) -> Any:
    with opened(tmp_path / "wh", AIRLINES) as wh:
        yield wh


@pytest.fixture
def universities_wh(tmp_path: Path) -> Any:
    with opened(tmp_path / "wh", UNIVERSITIES) as wh:
        yield wh


def test_the_papers_example(airlines_wh: Any) -> None:
    """Figures 1 and 10: a tuple for Berlin is a new relation in the view."""
    wh = airlines_wh
    view = wh.create_view("fares", AIRLINE, language="schemasql")
    assert view.relations() == ["LONDON", "PARIS"]
    assert view.relation("PARIS").rows() == [{"Type": "Economy", "BA": 600, "LH": 700}]
    before, follower = wh.epoch, Replayed(view)
    with wh.transaction() as tx:
        tx.insert("LH", BERLIN)
    assert view.status == "stale"
    assert view.refresh(strategy="incremental").strategy == "incremental"
    changes = view.changes(before)
    assert changes == [
        {"change": "add-relation", "name": "BERLIN", "new": None, "columns": ["Type", "BA", "LH"]},
        {"change": "tuple", "relation": "BERLIN", "row": {"Type": "Economy", "BA": None, "LH": 610}, "_w": 1},
    ]
    follower.apply(changes)
    assert follower.equals(view)
    assert_right(wh, view)
    assert view.relations(epoch=before) == ["LONDON", "PARIS"]
    assert view.relation("PARIS", epoch=before).rows() == [{"Type": "Economy", "BA": 600, "LH": 700}]


def test_an_airline_comes_is_renamed_and_goes(airlines_wh: Any) -> None:
    wh = airlines_wh
    view = wh.create_view("fares", AIRLINE, language="schemasql")
    follower, before = Replayed(view), wh.epoch

    def follow() -> None:
        nonlocal before
        assert view.refresh(strategy="incremental").strategy == "incremental"
        follower.apply(view.changes(before))
        before = wh.epoch
        assert follower.equals(view)
        assert_right(wh, view)

    with wh.transaction() as tx:
        tx.add_relation("AF", "Destination string, Business int, Economy int")
        tx.insert("AF", {"Destination": "PARIS", "Business": 900, "Economy": 90})
    follow()
    assert view.columns == ("Type", "AF", "BA", "LH")
    with wh.transaction() as tx:
        tx.rename_relation("AF", "KL")
    follow()
    assert view.columns == ("Type", "BA", "KL", "LH")
    with wh.transaction() as tx:
        tx.drop_relation("BA")
        tx.insert("LH", BERLIN)
    follow()
    assert view.columns == ("Type", "KL", "LH")
    told = [(h["change"], h["name"], h["new"]) for h in view.schema_history()[5:]]
    assert told == [
        ("add-attribute", "AF", None), ("rename-attribute", "AF", "KL"), ("add-relation", "BERLIN", None),
        ("delete-attribute", "BA", None),
    ]  # fmt: skip


@pytest.mark.parametrize("number", [1, 2, 3, 6, 7, 8, 9, 10])
def test_the_ten_queries_follow_the_data(universities_wh: Any, number: int) -> None:
    wh = universities_wh
    view = wh.create_view("v", QUERIES[number], language="schemasql")
    assert_right(wh, view)
    with wh.transaction() as tx:
        tx.insert("univ-A.salInfo", [{"dept": "law", "category": "Prof", "salFloor": 90}])
        tx.insert("univ-B.salInfo", [{"category": "Tech", "cs": 12, "math": 99}])
        tx.update("univ-C.cs", {"salFloor": 10}, where="category = 'Prof'")
        tx.delete("univ-A.salInfo", where="dept = 'bio'")
    wh.refresh()
    assert_right(wh, view)


def test_reading_says_what_to_do(universities_wh: Any) -> None:
    wh = universities_wh
    many = wh.create_view("many", QUERIES[8], language="schemasql")
    with pytest.raises(BelvedereError, match=r"read one of them, such as view.relation\('bio'\)"):
        many.rows()
    with pytest.raises(UnknownName, match="has no relation 'cS'; did you mean 'cs'"):
        many.relation("cS")
    one = wh.create_view("one", QUERIES[7], language="schemasql")
    assert sorted(one.rows(), key=repr) == content(one)["salInfo"]
    wh.create_view("plain", "select category from `univ-C`.cs")
    with pytest.raises(BelvedereError, match="is in sql, which makes one relation"):
        wh.view("plain").relations()
    assert "SPLIT" in many.explain()
    assert wh.query(QUERIES[7], language="schemasql").rows()
