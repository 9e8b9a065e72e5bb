"""A view with more relations than its outline lists reads, changes and tells its history as one with few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.schemasql.support import opened

import belvedere as bv
from belvedere.warehouse.schemas import counts, settle

PLACES = {
    "air.LH": ("city string, price int", [{"city": c, "price": n} for n, c in enumerate(("Bern", "Oslo", "Rome", "Wien"))]),
    "air.BA": ("city string, price int", [{"city": c, "price": n} for n, c in enumerate(("Oslo", "Paris"), 10)]),
}
TEXT = "create view C(price, R) as select T.price, T.price from air-> R, air::R T, T.city C"


@pytest.fixture(params=[(1000, 1024), (2, -1), (0, -1)], ids=["listed", "from two", "never listed"])
def wh(tmp_path: Any, request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[bv.Warehouse]:
    many, few = request.param
    monkeypatch.setattr(settle, "MANY", many)
    monkeypatch.setattr(counts, "FEW", few)
    with opened(tmp_path / "wh", PLACES) as made:
        yield made


def told(view: bv.View) -> list[tuple[str, str]]:
    return [(c["change"], c["name"]) for c in view.schema_history()]


def test_relations_come_and_go(wh: bv.Warehouse) -> None:
    view = wh.create_view("flights", TEXT, language="schemasql")
    assert view.relations() == ["Bern", "Oslo", "Paris", "Rome", "Wien"]
    epoch, known = wh.epoch, len(told(view))
    with wh.transaction() as tx:
        tx.insert("air.BA", {"city": "Lima", "price": 1})
        tx.delete("air.LH", where="city in ('Bern', 'Oslo')")
    assert view.refresh(strategy="incremental").strategy == "incremental"
    assert view.relations() == ["Lima", "Oslo", "Paris", "Rome", "Wien"]  # BA still flies to Oslo
    assert told(view)[known:] == [("add-relation", "Lima"), ("delete-relation", "Bern")]
    assert view.relations(epoch=epoch) == ["Bern", "Oslo", "Paris", "Rome", "Wien"]
    assert [c["name"] for c in view.changes(since=epoch) if c["change"] == "delete-relation"] == ["Bern"]
    assert view.verify().ok


def test_relations_go_with_an_id_that_has_no_name_any_more(wh: bv.Warehouse) -> None:
    view = wh.create_view("flights", TEXT, language="schemasql")
    with wh.transaction() as tx:
        tx.drop_relation("air.LH")
    report = view.refresh(strategy="incremental")
    assert report.reason.endswith("metadata only")
    assert view.relations() == ["Oslo", "Paris"]
    assert view.verify().ok
    with wh.transaction() as tx:
        tx.delete("air.BA", where="true")
    view.refresh()
    assert view.relations() == []
    with wh.transaction() as tx:
        tx.insert("air.BA", [{"city": c, "price": 1} for c in ("Rom", "Genf", "Nizza")])
    view.refresh(strategy="recompute")
    assert view.relations() == ["Genf", "Nizza", "Rom"]
    assert told(view)[-5:] == [
        ("delete-attribute", "BA"),
        *(("add-relation", n) for n in ("Genf", "Nizza", "Rom")),
        ("add-attribute", "BA"),
    ]
    assert view.verify().ok


def test_null_among_them_makes_the_view_invalid_and_goes_again(wh: bv.Warehouse) -> None:
    view = wh.create_view("flights", TEXT, language="schemasql")
    with wh.transaction() as tx:
        tx.insert("air.BA", {"city": None, "price": 7})
    view.refresh()
    assert view.status == "invalid"
    assert "NULL stands where the name of a relation is expected" in view.reason
    with wh.transaction() as tx:
        tx.delete("air.BA", where="city is null")
    assert view.refresh().strategy == "incremental"
    assert (view.status, len(view.relations())) == ("fresh", 5)


def test_they_are_read_by_name_in_sql_and_by_other_views(wh: bv.Warehouse) -> None:
    view = wh.create_view("flights", TEXT, language="schemasql")
    every = wh.create_view("every", "create view e::every(name) as select R from flights-> R", language="schemasql")
    assert wh.query("select LH from flights.Rome").rows() == [{"LH": 2}]
    assert sorted(r["name"] for r in every.rows()) == ["Bern", "Oslo", "Paris", "Rome", "Wien"]
    with wh.transaction() as tx:
        tx.insert("air.BA", {"city": "Lima", "price": 1})
        tx.delete("air.LH", where="city = 'Bern'")
    wh.refresh()
    assert sorted(r["name"] for r in every.rows()) == ["Lima", "Oslo", "Paris", "Rome", "Wien"]
    assert every.verify().ok
    with pytest.raises(bv.UnknownName, match="has no relation 'Rom'; did you mean 'Rome'"):
        view.relation("Rom")
