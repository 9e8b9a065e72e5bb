"""Relations that data names like something that is there: the view is invalid, and is back once one of both is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.views import assert_right

import belvedere as bv
from belvedere.errors import BelvedereError, InvalidView, UnknownName

SPLIT = "create view `shop`::C(v) as select T.v from base T, T.city C"


@pytest.fixture
def wh(tmp_path: Path) -> Any:
    with bv.open(tmp_path / "wh", engine="duckdb") as warehouse:
        warehouse.create_table("base", "city string, v int")
        warehouse.create_table("shop.paris", "v int")
        put(warehouse, london=1, rome=2)
        yield warehouse


def put(wh: Any, **cities: int) -> None:
    with wh.transaction() as tx:
        tx.insert("base", [{"city": c, "v": v} for c, v in cities.items()])


def take(wh: Any, city: str) -> None:
    with wh.transaction() as tx:
        tx.delete("base", where=f"city = '{city}'")


def test_a_table_of_that_name_makes_it_invalid_until_the_data_goes(wh: Any) -> None:
    view = wh.create_view("v", SPLIT, language="schemasql")
    put(wh, paris=3)
    assert view.refresh().strategy == "incremental"
    assert view.status == "invalid"
    assert view.reason == (
        "its relation 'paris' and a table are both called 'shop.paris'; rename or drop the table, or leave the relation out by a "
        "condition"
    )
    for read in (view.relations, lambda: view.relation("london"), lambda: wh.query("select * from shop.london")):
        with pytest.raises(InvalidView, match=r"both called 'shop\.paris'"):
            read()
    assert wh.query("select * from shop.paris").rows() == []  # the table's name is the table's
    assert view.verify().ok
    take(wh, "paris")
    assert view.refresh().strategy == "incremental"
    assert_right(wh, view)


@pytest.mark.parametrize("way", ["rename", "drop"])
def test_it_is_valid_again_once_the_table_is_out_of_the_way(wh: Any, way: str) -> None:
    view = wh.create_view("v", SPLIT, language="schemasql")
    reader = wh.create_view("reader", "select v from shop.london", mode="immediate")
    ranging = wh.create_view("ranging", "select R, T.v from `shop`-> R, `shop`::R T", language="schemasql")
    put(wh, paris=3)
    wh.refresh()
    assert (view.status, reader.status, ranging.status) == ("invalid",) * 3
    assert "both called 'shop.paris'" in reader.reason
    assert "both called 'shop.paris'" in ranging.reason
    put(wh, london=9)
    wh.refresh()
    with wh.transaction() as tx:
        tx.rename_relation("shop.paris", "shop.other") if way == "rename" else tx.drop_relation("shop.paris")
    assert view.status == "fresh"  # nothing of it has to be done again
    assert wh.query("select * from shop.paris").rows() == [{"v": 3}]
    assert reader.status == "fresh"  # it follows at once
    assert sorted(r["v"] for r in reader.rows()) == [1, 9]
    wh.refresh()
    assert sorted((r["R"], r["v"]) for r in ranging.rows()) == [("london", 1), ("london", 9), ("paris", 3), ("rome", 2)]
    assert_right(wh, view)


def test_a_range_over_the_table_and_the_relation_of_its_name_is_refused(wh: Any) -> None:
    for city in ("london", "rome"):
        take(wh, city)
    put(wh, paris=3)
    view = wh.create_view("v", SPLIT, language="schemasql")
    assert view.status == "invalid"
    with pytest.raises(InvalidView, match=r"both called 'shop\.paris'"):
        wh.query("select R, T.v from `shop`-> R, `shop`::R T", language="schemasql").rows()
    assert wh.query("select T.v from `shop`::paris T", language="schemasql").rows() == []


def test_a_view_of_that_name(wh: Any) -> None:
    wh.create_view("shop.oslo", "select 1 one from base")
    view = wh.create_view("v", SPLIT, language="schemasql")
    put(wh, oslo=4)
    view.refresh()
    assert view.status == "invalid"
    assert "a view are both called 'shop.oslo'" in view.reason
    wh.drop_view("shop.oslo")
    assert view.status == "fresh"
    assert wh.query("select v from shop.oslo").rows() == [{"v": 4}]


def test_two_views_whose_data_brings_one_name_are_both_invalid(wh: Any) -> None:
    wh.create_table("more", "city string, v int")
    view = wh.create_view("v", SPLIT, language="schemasql")
    other = wh.create_view("w", SPLIT.replace("base", "more"), language="schemasql")
    assert (view.status, other.status) == ("fresh", "fresh")
    with wh.transaction() as tx:
        tx.insert("more", {"city": "rome", "v": 7})
    wh.refresh()
    assert (view.status, other.status) == ("invalid", "invalid")
    assert "its relation 'rome' and a relation of view 'w' are both called 'shop.rome'" in view.reason
    assert "its relation 'rome' and a relation of view 'v' are both called 'shop.rome'" in other.reason
    take(wh, "rome")
    wh.refresh()
    assert (view.status, other.status) == ("fresh", "fresh")
    assert wh.query("select v from shop.rome").rows() == [{"v": 7}]


def test_a_constant_name_stands_and_a_name_from_data_gives_way(wh: Any) -> None:
    constant = wh.create_view("c", "create view `shop`::oslo(v) as select T.v from base T", language="schemasql")
    view = wh.create_view("v", SPLIT, language="schemasql")
    put(wh, oslo=4)
    wh.refresh()
    assert (constant.status, view.status) == ("fresh", "invalid")
    assert "a relation of view 'c' are both called 'shop.oslo'" in view.reason
    wh.drop_view("c")
    assert view.status == "fresh"


def test_dots_in_names_are_no_way_round(wh: Any) -> None:
    wh.create_table("shop.a.b", "v int")
    view = wh.create_view("v", SPLIT, language="schemasql")
    assert view.status == "fresh"
    with wh.transaction() as tx:
        tx.insert("base", {"city": "a.b", "v": 5})
    view.refresh()
    assert "both called 'shop.a.b'" in view.reason
    with pytest.raises(InvalidView, match=r"both called 'shop\.a\.b'"):
        wh.query("select R, T.v from `shop`-> R, `shop`::R T where R like 'a%'", language="schemasql").rows()


def test_parts_of_a_view_in_lorel_are_not_to_be_had_twice(wh: Any) -> None:
    wh.load_oem("Guide", {"restaurant": [{"name": "Blue"}]})
    view = wh.create_view("g", "create view `Fav`::C(v) as select T.v from base T, T.city C", language="schemasql")
    wh.create_view("Fav", "select r from Guide.restaurant r", language="lorel")
    put(wh, edges=6)
    view.refresh()
    assert "a part of a view in Lorel are both called 'Fav.edges'" in view.reason
    other = SPLIT.replace("`shop`", "`Best`")
    wh.create_view("b", other, language="schemasql")
    with pytest.raises(BelvedereError, match=r"there is a relation 'Best\.edges' already"):
        wh.create_view("Best", "select r from Guide.restaurant r", language="lorel")


def test_names_that_differ_in_case_must_be_written_as_they_are(wh: Any) -> None:
    wh.create_view("v", SPLIT, language="schemasql")
    put(wh, Rome=5)
    wh.refresh()
    assert wh.query("select v from shop.Rome").rows() == [{"v": 5}]
    assert wh.query("select v from shop.rome").rows() == [{"v": 2}]
    with pytest.raises(UnknownName, match=r"'shop\.ROME' can be each of 'shop\.Rome', 'shop\.rome'"):
        wh.query("select v from shop.ROME")


def test_immediate_views_follow_a_view_that_comes_goes_or_was_in_the_way(wh: Any) -> None:
    wh.create_view("v", SPLIT, language="schemasql", mode="immediate")
    names = wh.create_view("names", "select R from `shop`-> R", language="schemasql", mode="immediate")
    count = wh.create_view("count", "select count(*) n from names", mode="immediate")
    reader = wh.create_view("reader", "select v from shop.london", mode="immediate")
    wh.create_view("shop.oslo", "select 1 one from base")
    assert sorted(r["R"] for r in names.rows()) == ["london", "oslo", "paris", "rome"]
    assert (names.status, count.status, count.rows()) == ("fresh", "fresh", [{"n": 4}])
    put(wh, oslo=4)
    assert reader.status == "invalid"
    put(wh, london=5)
    wh.drop_view("shop.oslo")
    assert sorted(r["R"] for r in names.rows()) == ["london", "oslo", "paris", "rome"]
    assert (names.status, count.status, reader.status) == ("fresh", "fresh", "fresh")
    assert sorted(r["v"] for r in reader.rows()) == [1, 5]
