"""Lorel's meaning, one clause at a time, over a small guide."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv
from belvedere.algebra.node import Node
from belvedere.errors import ParseError, UnknownName, Unsupported
from belvedere.languages.lorel import bind_update
from belvedere.warehouse.names import CurrentNames
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.result import Result

GUIDE = """
&g {
  Restaurant: &thai {Name: &n1 "Thai City", Rating: &r1 4, Zip: &z1 "94301", Near: &cafe, Address: {City: &c1 "Palo Alto"}},
  Restaurant: &cafe {Name: &n2 "Cafe_1", Name: &n3 "Das Cafe", Rating: &r2 "3", Near: &bar, Address: &a2 "Emerson"},
  Bar: &bar {Name: &n4 "Bar 2", Rating: &r4 2.5, Near: &thai, Open: &o1 true, Since: &s1 date '1999-12-31'},
  Zip: &z2 94301
}
"""


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> bv.Warehouse:
    wh = bv.open(tmp_path_factory.mktemp("guide"), engine="duckdb")
    wh.load_oem("Guide", GUIDE)
    return wh


def oids(wh: bv.Warehouse, text: str) -> set[str]:
    return {r["oid"] for r in wh.query(text, language="lorel").rows()}


R = "select r from Guide.Restaurant r where "
X = "select x from Guide.% x where "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # paths
        ("select Guide.Restaurant", {"&thai", "&cafe"}),
        ("select Guide.R%", {"&thai", "&cafe"}),
        ("select Guide.%.Name", {"&n1", "&n2", "&n3", "&n4"}),
        ("select Guide(.Restaurant|.Bar).Rating", {"&r1", "&r2", "&r4"}),
        ("select Guide.Bar(.Near)?", {"&bar", "&thai"}),
        ("select Guide.Bar(.Near)*.Name", {"&n1", "&n2", "&n3", "&n4"}),
        ("select Guide.Bar(.Near.Near)+", {"&cafe", "&thai", "&bar"}),
        ("select Guide.Restaurant(.Address.City|.Zip)", {"&c1", "&z1"}),
        ("select Guide.#.Zip", {"&z1", "&z2"}),
        ("select Guide.#.City", {"&c1"}),
        ("select &bar.Near", {"&thai"}),
        ("select &nowhere.Near", set()),
        ("select &nowhere", set()),
        ("select &bar", {"&bar"}),
        ("select Guide.nothing", set()),
        # variables in paths
        ("select r from Guide.Restaurant{r}.Near.Open x", {"&cafe"}),
        ('select x from Guide.%@L x where L = "Bar"', {"&bar"}),
        ('select x from Guide.%@L x where L like "%r%"', {"&thai", "&cafe", "&bar"}),
        ("select x from Guide.%@L x, Guide.Bar.%@M y where L = y", set()),
        # omitted from, ranges without a variable
        ("select Guide.Restaurant.Name, Guide.Restaurant.Zip where Guide.Restaurant.Rating > 3", {"&n1", "&z1"}),
        ("select Guide.Restaurant.Name where Guide.Restaurant.Rating > 3", {"&n1", "&n2", "&n3"}),
        ("select Guide.Restaurant.Name from Guide.Restaurant where Guide.Restaurant.Rating > 3", {"&n1"}),
        # comparisons under coercion
        (R + "r.Rating >= 3", {"&thai", "&cafe"}),
        (R + 'r.Rating = "4"', {"&thai"}),
        (R + 'r.Rating = "3.0"', set()),
        (X + "x = 94301", {"&z2"}),
        (X + "x = Guide.Restaurant.Zip", {"&z2"}),
        (X + "x.Open = true", {"&bar"}),
        (X + 'x.Open = "true"', set()),
        (X + "x.Since < date '2000-01-01'", {"&bar"}),
        (X + "x.Address = x.Address", {"&cafe"}),
        (X + "x.Address != 5", set()),
        (R + 'r.Name like "%_%"', {"&cafe"}),
        (R + 'not r.Name like "%Cafe%"', {"&thai"}),
        ("select x from Guide.# x where x == &bar", {"&bar"}),
        (R + "r.Name < r.Name", {"&cafe"}),
        # existence
        (R + "r.Zip", {"&thai"}),
        (R + "not exists r.Zip", {"&cafe"}),
        (R + 'exists n in r.Name: (n != "Cafe_1" and n != "Thai City")', {"&cafe"}),
        (R + 'for all n in r.Name: n like "%i%"', {"&thai"}),
        (R + "for all n in r.nothing: n = 1", {"&thai", "&cafe"}),
        (R + "r.Rating > 3 or exists x in r.Near: x.Open = true", {"&thai", "&cafe"}),
        (R + "not (r.Rating > 3 or r.Near.Open = true)", set()),
        (R + "exists (select x from r.Near x where x.Near == r)", set()),
        (X + "exists y in x.Near.Near: y.Near == x", {"&thai", "&cafe", "&bar"}),
        (R + "exists &bar in r.Near: &bar.Open = true", {"&cafe"}),
        # membership
        (R + "r in (select b.Near from Guide.Bar b)", {"&thai"}),
        (R + "r not in Guide.Bar.Near", {"&cafe"}),
        (R + "r.Zip in Guide.Zip", {"&thai"}),
        (R + '"Das Cafe" in r.Name', {"&cafe"}),
        (R + "r.Near in (select x from Guide.% x where x.Rating < 3)", {"&cafe"}),
        # aggregates
        (R + "count(r.Name) = 2", {"&cafe"}),
        (R + "count(r.Zip) = 0", {"&cafe"}),
        (X + "sum(x.nothing) = 0 and x.Rating", {"&thai", "&cafe", "&bar"}),
        (X + "min(x.nothing) < 5 or not max(x.Rating) < 4", {"&thai", "&z2"}),
        (R + "r.Rating > avg(select x.Rating from Guide.% x)", {"&thai"}),
        (R + "count(select x from Guide.% x where x.Rating < r.Rating) = 2", {"&thai"}),
        ("select g from Guide g where count(g.#) = 18", {"&g"}),
        # constants
        (R + "1 = 1.0", {"&thai", "&cafe"}),
        (R + '"a" > 1', set()),
    ],
)
def test_queries(guide: bv.Warehouse, text: str, found: set[str]) -> None:
    assert oids(guide, text) == found


def test_the_rows_of_a_query(guide: bv.Warehouse) -> None:
    rows = guide.query("select r, r.Rating as stars from Guide.Bar r", language="lorel").rows()
    assert sorted(rows, key=lambda r: r["oid"]) == [
        {"oid": "&bar", "label": "Bar", "type": "complex", "text": None},
        {"oid": "&r4", "label": "stars", "type": "real", "text": "2.5"},
    ]


@pytest.mark.parametrize(
    ("text", "label"),
    [("select Guide", "Guide"), ("select x from Guide.Bar x", "Bar"), ("select x from Guide.% x", "x"),
     ("select Guide.#.City", "City"), ("select Guide.#", "object"), ("select Guide.Bar as b", "b"), ("select &bar", "bar")],
)  # fmt: skip
def test_labels_of_items(guide: bv.Warehouse, text: str, label: str) -> None:
    assert {r["label"] for r in guide.query(text, language="lorel").rows()} == {label}


def test_a_name_must_exist(guide: bv.Warehouse) -> None:
    with pytest.raises(UnknownName, match="did you mean 'Guide'"):
        guide.query("select Gide.Bar", language="lorel")


def test_a_query_is_no_view(guide: bv.Warehouse) -> None:
    with pytest.raises(ParseError, match=r"wh\.create_view makes a view of it"):
        guide.query("select Guide.Bar with Guide.Bar.Name", language="lorel")
    with pytest.raises(Unsupported, match="parameters in Lorel"):
        guide.query("select Guide.Bar", language="lorel", parameters={"x": 1})


def test_there_must_be_a_graph(tmp_path_factory: pytest.TempPathFactory) -> None:
    with bv.open(tmp_path_factory.mktemp("none"), engine="duckdb") as wh, pytest.raises(UnknownName, match="load_oem"):
        wh.query("select Guide.Bar", language="lorel")


def found(wh: bv.Warehouse, node: Node | None) -> set[tuple[object, ...]]:
    assert node is not None
    result = Result(wh.core, node, Resolver(wh.core.store, until=wh.epoch), node.schema.names, (), "duckdb", None)
    return {tuple(r.values()) for r in result.rows()}


def test_what_an_update_looks_up(guide: bv.Warehouse) -> None:
    names = CurrentNames(guide.registry)
    update = bind_update("update r.Name := r.Zip from Guide.Restaurant r where r.Rating > 3", names)
    assert update.label == "Name"
    assert found(guide, update.objects) == {("&n1",)}
    assert found(guide, update.parents) == {("&thai",)}
    assert found(guide, update.edges) == {("&thai", "Name", "&n1")}
    assert found(guide, update.pairs) == {("&thai", "&z1")}


def test_an_update_without_from_speaks_of_what_it_changes(guide: bv.Warehouse) -> None:
    names = CurrentNames(guide.registry)
    update = bind_update('update Guide.Restaurant.Name := "x" where Guide.Restaurant.Name = "Das Cafe"', names)
    assert found(guide, update.objects) == {("&n3",)}
    assert found(guide, update.edges) == {("&cafe", "Name", "&n3")}
    added = bind_update("update Guide.Restaurant.Tag += 1 where Guide.Restaurant.Rating < 4", names)
    assert found(guide, added.parents) == {("&cafe",)}
    assert found(guide, added.objects) == set()


def test_a_name_for_what_a_query_gives(guide: bv.Warehouse) -> None:
    update = bind_update("name Best := select r from Guide.Restaurant r where r.Rating > 3", CurrentNames(guide.registry))
    assert found(guide, update.objects) == {("&thai",)}


def test_the_path_of_an_update_binds_nothing(guide: bv.Warehouse) -> None:
    with pytest.raises(ParseError, match="binds no variables"):
        bind_update("update Guide.Restaurant{r}.Name := 5", CurrentNames(guide.registry))


GONE = [
    "&gone", "&gone(.Near)?", "&gone(.Near.Name)*", "&gone.#", "exists x in &gone: x == x", "exists x in &gone(.Near)?: x == x",
    "&gone == &gone", "&gone == &gone.#", "&gone(.Near)? == &gone", "&gone in &gone", "&gone in &gone(.Near)?",
    "r in &gone(.Near)?", "r == &gone", "count(&gone(.Near)?) > 0", "&gone = &gone", "exists x in (select &gone(.Near)?): x == x",
]  # fmt: skip


@pytest.mark.parametrize("condition", GONE)
def test_an_oid_of_nothing_reaches_nothing(guide: bv.Warehouse, condition: str) -> None:
    """Nor does a path from it that need not have an edge."""
    assert oids(guide, f"{R}{condition}") == set()
    assert oids(guide, f"{R}not ({condition})") == {"&thai", "&cafe"}
    there = condition.replace("gone", "bar")
    # two complex objects have no values to compare; the last two ask for r itself
    expected = {"&bar = &bar": set(), "r == &bar": set(), "r in &bar(.Near)?": {"&thai"}}.get(there, {"&thai", "&cafe"})
    assert oids(guide, f"{R}{there}") == expected


@pytest.mark.parametrize("path", ["", "(.b)?", "(.b.c)*", ".#", "(.b)?.#"])
def test_a_view_from_an_object_that_goes(tmp_path: Path, path: str) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.load_oem("Guide", "&g {a: &x {}, a: &y 1}")
        view = wh.create_view("V", f"select r from Guide.a r, &x{path} s", language="lorel")
        assert view.graph().primary == {"&x", "&y"}
        with wh.transaction() as tx:
            tx.remove_edge("&g", "a", "&x")
        view.refresh()
        assert view.graph().primary == set()
        assert view.verify().ok
        wh.load_oem("Other", "&x {}")
        view.refresh()
        assert view.graph().primary == {"&y"}
        assert view.verify().ok
