"""The paper, example by example: the same sets, and where a statement of it can be said in Lorel, that statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lorel.paper import EXAMPLE_1, EXAMPLE_2, FIGURE_1, opened, rows

import belvedere as bv


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with opened(tmp_path / "wh") as made:
        yield made


@pytest.fixture
def view(wh: bv.Warehouse) -> Any:
    return wh.create_view("FavoriteEntrees", EXAMPLE_2, language="lorel")


def asked(wh: bv.Warehouse, text: str) -> set[str]:
    return {r["oid"] for r in wh.query(text, language="lorel").rows()}


def followed(wh: bv.Warehouse, view: Any) -> list[dict[str, Any]]:
    """The view's change by its refresh, which must be incremental; and it is right."""
    since = wh.epoch
    report = view.refresh(strategy="incremental")
    assert report.strategy == "incremental"
    assert view.verify().ok
    return list(view.changes(since=since))


NINE = {("&9", "Name", "&14"), ("&9", "Ingredient", "&15")}


def test_figure_1(wh: bv.Warehouse) -> None:
    found = {(r["label"], r["target"]) for r in wh.query("select label, target from oem.edges where source = '&4'").rows()}
    assert found == {("Entree", "&10"), ("Name", "&11"), ("Rating", "&12"), ("Entree", "&13")}
    assert wh.query("select oid from oem.names where name = 'Guide'").rows() == [{"oid": "&1"}]
    assert wh.query("select type, text from oem.values where oid = '&5'").rows() == [{"type": "string", "text": "Thai City"}]


def test_example_1_the_query(wh: bv.Warehouse) -> None:
    assert asked(wh, EXAMPLE_1) == {"&9"}


def test_example_2_the_view(view: Any) -> None:
    graph = view.graph()
    assert graph.primary == {"&9"}
    assert graph.edges == NINE
    assert graph.values == {"&14": "Beef Stew", "&15": "Mushroom"}


def test_examples_3_and_4_an_edge_is_inserted(wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        tx.add_edge("&10", "Ingredient", "&15")
    statement = """
        select e
        from Guide.Restaurant r, r.Entree e
        where exists x in r.Name: x = "Baghdad Cafe"
        and exists &15 in &10.Ingredient: &15 = "Mushroom"
        and e == &10
    """
    assert asked(wh, statement) == {"&10"}  # the paper's ADDprim
    changes = followed(wh, view)
    assert rows(changes, "primary", 1) == {("&10",)}
    added = {("&10", "Name", "&16"), ("&10", "Ingredient", "&17"), ("&10", "Ingredient", "&15")}
    assert rows(changes, "edge", 1) == added
    assert not [c for c in changes if c["_w"] < 0]
    assert view.graph().primary == {"&9", "&10"}
    assert view.graph().edges == NINE | added


def test_examples_5_and_6_an_edge_is_deleted(wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        tx.remove_edge("&3", "Entree", "&9")
    changes = followed(wh, view)
    assert rows(changes, "primary", -1) == {("&9",)}
    assert rows(changes, "edge", -1) == NINE
    assert not [c for c in changes if c["_w"] > 0]
    assert view.graph().primary == set()
    gone = wh.query("select count(*) n from oem.objects where oid in ('&9', '&14', '&15')").rows()
    assert gone == [{"n": 0}]  # no name reaches them any more


def test_an_object_with_two_reasons_stays(wh: bv.Warehouse, view: Any) -> None:
    """Section 3.3.2: with two mushrooms, one may go."""
    with wh.transaction() as tx:
        tx.add_edge("&9", "Ingredient", tx.add_object(value="Mushroom"))
    view.refresh()
    with wh.transaction() as tx:
        tx.remove_edge("&9", "Ingredient", "&15")
    changes = followed(wh, view)
    assert rows(changes, "primary", -1) == set()
    assert rows(changes, "edge", -1) == {("&9", "Ingredient", "&15")}
    assert view.graph().primary == {"&9"}


def test_example_7_a_value_is_changed(wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        tx.set_value("&7", "Wendy's")
    changes = followed(wh, view)
    assert rows(changes, "primary", -1) == {("&9",)}
    assert rows(changes, "edge", -1) == NINE
    with wh.transaction() as tx:
        tx.set_value("&7", "Baghdad Cafe")
    assert rows(followed(wh, view), "primary", 1) == {("&9",)}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda tx: tx.set_value("&5", "Hunan Wok"), id="a name that fails, before and after"),
        pytest.param(lambda tx: tx.set_value("&12", 5), id="an object that evaluation never meets"),
        pytest.param(lambda tx: tx.add_edge("&9", "Rating", "&12"), id="a label that the view does not know"),
        pytest.param(lambda tx: tx.add_edge("&9", "Restaurant", "&2"), id="a label of the view, at another variable"),
        pytest.param(lambda tx: tx.add_object(value="Baghdad Cafe"), id="an object that nothing reaches"),
    ],
)
def test_section_3_2_what_cannot_matter_runs_no_query(change: Any, wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        change(tx)
    report = view.refresh()
    assert (report.strategy, report.rows_read, list(report.steps)) == ("none", 0, [])
    assert view.status == "fresh"
    assert view.verify().ok


def test_section_3_2_a_value_that_comes_to_satisfy_may_matter(wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        tx.set_value("&5", "Baghdad Cafe")
    assert view.refresh().strategy == "incremental"
    assert view.graph().primary == {"&9"}  # that restaurant has no entrees
    with wh.transaction() as tx:
        tx.add_edge("&2", "Entree", "&13")
        tx.add_edge("&13", "Ingredient", "&15")
    assert rows(followed(wh, view), "primary", 1) == {("&13",)}


def test_a_delegate_shows_a_new_value_that_no_condition_asks_for(wh: bv.Warehouse, view: Any) -> None:
    with wh.transaction() as tx:
        tx.set_value("&14", "Goulash")
    view.refresh()
    assert view.graph().values == {"&14": "Goulash", "&15": "Mushroom"}


FIGURE_19 = "&root {x: &v {p: &o {L: &c 1}, q: &o}}"


def children(wh: bv.Warehouse, sources: set[str], label: str) -> set[str]:
    found = wh.query(f"select source, target from oem.edges where label = '{label}'").rows()
    return {r["target"] for r in found if r["source"] in sources}


def test_example_8_what_recomputation_fetches(wh: bv.Warehouse, view: Any) -> None:
    """The sum over the steps; the adjunct ones are taken from the view's objects alone, and what is shared is fetched once."""
    r = children(wh, {"&1"}, "Restaurant")
    e = children(wh, r, "Entree")
    looked_at = [r, e, children(wh, r, "Name"), children(wh, e, "Ingredient")]
    shown = [children(wh, {"&9"}, "Name"), children(wh, {"&9"}, "Ingredient")]
    total = sum(map(len, [*looked_at, *shown]))
    assert total == 13
    assert view.explain("dict")["lorel"]["fetches"][0] == f"recomputing fetches about {total} objects"


@pytest.mark.parametrize("strategy", ["auto", "incremental"])
def test_example_9_what_an_inserted_edge_fetches(wh: bv.Warehouse, view: Any, strategy: str) -> None:
    """<Ins, &10, Ingredient, &15>: its two ends, then up to a restaurant and its guide, and down to its name. The paper comes
    down from the guide: 3 restaurants with their names, then 4 objects."""
    with wh.transaction() as tx:
        tx.add_edge("&10", "Ingredient", "&15")
    report = view.refresh(strategy=strategy)
    assert report.strategy == "incremental"
    assert report.estimated_fetches == 5 < 3 + 1 + 3 + 1 + 1 + 1
    assert view.graph().primary == {"&9", "&10"}


def test_figure_19_reachable_is_not_enough(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.load_oem("Root", FIGURE_19)
        view = wh.create_view("F", "define view F as F = select v from Root.x v with v.p, v.q.L", language="lorel")
        assert view.graph().edges == {("&v", "p", "&o"), ("&v", "q", "&o"), ("&o", "L", "&c")}
        with wh.transaction() as tx:
            tx.remove_edge("&v", "q", "&o")
        changes = followed(wh, view)
        assert rows(changes, "edge", -1) == {("&v", "q", "&o"), ("&o", "L", "&c")}
        assert view.graph().edges == {("&v", "p", "&o")}
        assert view.graph().values == {}


@pytest.mark.spark
def test_the_view_on_spark(tmp_path: Path, spark: Any) -> None:
    with bv.open(tmp_path / "wh", engine="spark", spark=spark) as wh:
        wh.load_oem("Guide", FIGURE_1)
        view = wh.create_view("FavoriteEntrees", EXAMPLE_2, language="lorel")
        assert view.graph().edges == NINE
        with wh.transaction() as tx:
            tx.add_edge("&10", "Ingredient", "&15")
            tx.remove_edge("&3", "Entree", "&9")
        view.refresh(strategy="incremental")
        assert view.graph().primary == {"&10"}
        assert view.verify().ok
