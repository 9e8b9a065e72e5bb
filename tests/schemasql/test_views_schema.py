"""Changes of the catalog under SchemaSQL views: each of the nine kinds, what it costs, and views that follow at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import UNIVERSITIES, opened
from tests.schemasql.texts import QUERIES
from tests.schemasql.views import Replayed, assert_right

from belvedere.errors import NotIncremental

Steps = dict[str, Callable[[Any], object]]

NINE: Steps = {
    "add-tuple": lambda tx: tx.insert("univ-C.cs", {"category": "New", "salFloor": 51}),
    "delete-tuple": lambda tx: tx.delete("univ-B.salInfo", where="category = 'Assoc'"),
    "update-tuple": lambda tx: tx.update("univ-B.salInfo", {"math": 1}, where="category = 'Prof'"),
    "add-attribute": lambda tx: (
        tx.add_attribute("univ-B.salInfo", "bio", "int"), tx.update("univ-B.salInfo", {"bio": 3})
    ),
    "rename-attribute": lambda tx: tx.rename_attribute("univ-B.salInfo", "cs", "computing"),
    "delete-attribute": lambda tx: tx.drop_attribute("univ-B.salInfo", "math"),
    "add-relation": lambda tx: (
        tx.add_relation("univ-C.bio", "salFloor int, category string"),
        tx.insert("univ-C.bio", {"category": "Prof", "salFloor": 80}),
    ),
    "rename-relation": lambda tx: tx.rename_relation("univ-C.math", "univ-C.maths"),
    "delete-relation": lambda tx: tx.drop_relation("univ-C.cs"),
}  # fmt: skip


@pytest.fixture
def wh(tmp_path: Path) -> Any:
    with opened(tmp_path / "wh", UNIVERSITIES) as warehouse:
        yield warehouse


@pytest.mark.parametrize("number", [2, 3, 5, 6, 9, 10])
def test_the_nine_changes(wh: Any, number: int) -> None:
    view = wh.create_view("v", QUERIES[number], language="schemasql")
    follower, before = Replayed(view), wh.epoch
    for change in NINE.values():
        with wh.transaction() as tx:
            change(tx)
        assert view.refresh(strategy="incremental").strategy in ("incremental", "none")
        assert_right(wh, view)
        follower.apply(view.changes(before))
        before = wh.epoch
        assert follower.equals(view)


def test_names_alone_cost_nothing(wh: Any) -> None:
    """Columns as data, columns as columns, relations as columns: a rename or a drop is a line of metadata."""
    views = {n: wh.create_view(f"v{n}", QUERIES[n], language="schemasql") for n in (6, 10)}
    for kind in ("rename-attribute", "delete-attribute", "rename-relation", "delete-relation"):
        with wh.transaction() as tx:
            NINE[kind](tx)
        for number, view in views.items():
            if (number == 6) == kind.endswith("attribute"):
                report = view.refresh(strategy="incremental")
                assert report.reason.endswith("metadata only")
                assert (report.rows_read, report.bytes_read, report.bytes_written) == (0, 0, 0)
                assert_right(wh, view)


def test_what_a_dropped_relation_alone_named_goes_with_it(wh: Any) -> None:
    """The columns come from names, the relations from data: both are counted without reading a fragment."""
    text = "create view C(R, n) as select T.salFloor, 1 from univ-C-> R, univ-C::R T, T.category C"
    view = wh.create_view("v", text, language="schemasql")
    assert view.relations() == ["Assoc", "Prof", "Tech"]
    follower, before = Replayed(view), wh.epoch
    with wh.transaction() as tx:
        tx.drop_relation("univ-C.cs")
    report = view.refresh(strategy="incremental")
    assert (report.rows_read, report.bytes_written) == (4, 0), "four counts of names, and nothing else"
    assert_right(wh, view)
    assert (view.relations(), view.columns) == (["Prof", "Tech"], ("math", "n"))
    follower.apply(view.changes(before))
    assert follower.equals(view)


def test_a_name_that_leaves_the_range_and_comes_back(wh: Any) -> None:
    text = "create view x::y(category, R) as select T.category, T.salFloor from univ-C-> R, univ-C::R T where R <> 'hidden'"
    view = wh.create_view("v", text, language="schemasql")
    for old, new in (("math", "hidden"), ("hidden", "math")):
        with wh.transaction() as tx:
            tx.rename_relation(f"univ-C.{old}", f"univ-C.{new}")
            tx.insert(f"univ-C.{new}", {"category": new, "salFloor": 1})
        view.refresh(strategy="incremental")
        assert_right(wh, view)


def test_a_new_table_under_an_old_name_is_another(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[10], language="schemasql")
    with wh.transaction() as tx:
        tx.rename_relation("univ-C.cs", "univ-C.computing")
        tx.add_relation("univ-C.cs", "category string, salFloor int")
        tx.insert("univ-C.cs", {"category": "Prof", "salFloor": 1})
    view.refresh(strategy="incremental")
    assert_right(wh, view)
    assert view.columns == ("category", "computing", "cs", "math")


def test_another_type_is_computed_anew(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[6], language="schemasql")
    with wh.transaction() as tx:
        tx.add_attribute("univ-B.salInfo", "big", "bigint")
    with pytest.raises(NotIncremental, match="types of what it ranges over have changed"):
        view.refresh(strategy="incremental")
    report = view.refresh()
    assert (report.strategy, report.reason) == ("recompute", "the types of what it ranges over have changed")
    assert_right(wh, view)


def test_an_immediate_view_follows_in_the_same_epoch(wh: Any) -> None:
    view = wh.create_view("v", QUERIES[10], language="schemasql", mode="immediate")
    for kind in ("add-relation", "rename-relation", "delete-relation"):
        with wh.transaction() as tx:
            NINE[kind](tx)
        assert view.status == "fresh"
        assert_right(wh, view)


def test_a_database_without_relations(wh: Any) -> None:
    text = "create view e::all(relation, n) as select R, T.n from empty-> R, empty::R T"
    view = wh.create_view("v", text, language="schemasql")
    assert view.relations() == ["all"]
    assert view.rows() == []
    with wh.transaction() as tx:
        tx.add_relation("empty.one", "n int")
        tx.insert("empty.one", {"n": 1})
    view.refresh()
    assert view.rows() == [{"relation": "one", "n": 1}]
    with wh.transaction() as tx:
        tx.drop_relation("empty.one")
    assert (view.status, view.reason) == ("stale", "nothing is left for T to range over")
    assert view.refresh().reason == "nothing is left for T to range over, so that it has no types"
    assert view.rows() == []
    with wh.transaction() as tx:
        tx.add_relation("empty.two", "n int")
    assert view.refresh().reason == "T had nothing to range over, and so no types, and now it has"


def test_a_table_in_the_place_of_another_has_columns_of_its_own(wh: Any) -> None:
    wh.create_table("r.t", "k int, p string")
    view = wh.create_view("v", "create view q::Q(k, p) as select T.k, T.p from r::t T", language="schemasql")
    with wh.transaction() as tx:
        tx.drop_relation("r.t")
        tx.add_relation("r.t", "p string, k int")
        tx.insert("r.t", {"k": 2, "p": "y"})
    view.refresh()
    assert view.rows() == [{"k": 2, "p": "y"}]


def test_a_table_in_the_place_of_another_that_changes_before_anybody_looked(wh: Any) -> None:
    wh.create_table("r.tab", "k string, a int, b int")
    text = "create view q::Q(k, name, n) as select T.k, A, T.A from r::tab T, r::tab-> A where A <> 'k'"
    view = wh.create_view("v", text, language="schemasql")
    with wh.transaction() as tx:
        tx.drop_relation("r.tab")
    with wh.transaction() as tx:
        tx.add_relation("r.tab", "k string, a int, b int")
        tx.insert("r.tab", {"k": "x", "a": 1, "b": 2})
    assert view.status == "stale"
    with wh.transaction() as tx:
        tx.drop_attribute("r.tab", "b")
    view.refresh()
    assert view.rows() == [{"k": "x", "name": "a", "n": 1}]
