"""Lorel's updates as text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.graphs.model import stored

import belvedere as bv
from belvedere.warehouse.graphs import statements

DATA = {
    "&id": "&g",
    "R": [
        {"&id": "&1", "Name": "Saigon", "Price": 10, "Rating": "3"},
        {"&id": "&2", "Name": "Cafe", "Price": "10.0", "Owner": {"&id": "&o", "Name": "Ann"}},
        {"&id": "&3", "Name": "Diner", "Price": [12, {"low": 1}], "Owner": {"$ref": "&o"}},
    ],
}


@pytest.fixture
def guide(wh: bv.Warehouse) -> bv.Warehouse:
    wh.load_oem("Guide", DATA)
    return wh


def shown(wh: bv.Warehouse, oid: str) -> dict[str, list[Any]]:
    """The edges of an object: label → values, or oids of complex objects."""
    g = stored(wh)
    out: dict[str, list[Any]] = {}
    for s, label, t in sorted(g.edges):
        if s == oid:
            out.setdefault(label, []).append(g.values.get(t, t))
    return {label: sorted(v, key=repr) for label, v in out.items()}


def test_values_are_set(guide: bv.Warehouse) -> None:
    assert guide.execute('update r.Price := 11 from Guide.R r where r.Name = "Cafe"') == 1
    assert shown(guide, "&2")["Price"] == [11]
    assert guide.execute("update Guide.R.Rating := 4") == 1
    assert shown(guide, "&1")["Rating"] == [4]
    assert guide.execute("update Guide.R.Stars := 4") == 0
    guide.execute("update &1.Rating += 5")
    assert guide.execute("update Guide.R.Rating := 1 where Guide.R.Rating = 4") == 1
    assert shown(guide, "&1")["Rating"] == [1, 5]
    with pytest.raises(bv.BelvedereError, match="a complex object"):
        guide.execute('update r.Price := 1 from Guide.R r where r.Name = "Diner"')


def test_edges_come(guide: bv.Warehouse) -> None:
    assert guide.execute('update r.Stars += 5 from Guide.R r where r.Name = "Cafe" or r.Name = "Diner"') == 2
    assert (shown(guide, "&2")["Stars"], shown(guide, "&3")["Stars"]) == ([5], [5])
    stars = [t for _, label, t in stored(guide).edges if label == "Stars"]
    assert len(set(stars)) == 2
    text = 'update r.Entree += {Name: "Stew", Cook: &o, Side: {Name: "Rice"}, Best: &7 {x: 1}, Again: &7} from Guide.R r'
    assert guide.execute(text) == 3
    [entree] = shown(guide, "&1")["Entree"]
    assert shown(guide, entree)["Cook"] == ["&o"]
    assert shown(guide, entree)["Best"] == shown(guide, entree)["Again"] == ["&7"]
    assert shown(guide, "&7") == {"x": [1]}
    assert guide.execute("update r.Near += &1 from Guide.R r") == 3
    assert guide.execute("update r.Near += &1 from Guide.R r") == 0
    assert guide.execute("update r.Friend += (select o.Name from r.Owner o) from Guide.R r") == 2
    assert shown(guide, "&3")["Friend"] == ["Ann"]
    assert guide.execute("update &o.Owns += select r from Guide.R r where r.Owner == &o") == 2
    assert shown(guide, "&o")["Owns"] == ["&2", "&3"]


def test_edges_go(guide: bv.Warehouse) -> None:
    assert guide.execute("update Guide.R.Price -= 10") == 2
    assert shown(guide, "&2").keys() == {"Name", "Owner"}
    assert guide.execute('update r.Owner -= &o from Guide.R r where r.Name = "Cafe"') == 1
    assert "&o" in stored(guide).objects
    assert guide.execute("update Guide.R.Owner -= Guide.R.Owner") == 1
    assert "&o" not in stored(guide).objects
    assert guide.execute("update Guide.% -= &1") == 1
    assert "&1" not in stored(guide).objects


def test_edges_are_replaced(guide: bv.Warehouse) -> None:
    assert guide.execute('update r.Price := {low: 1, high: 2} from Guide.R r where r.Name = "Diner"') == 3
    [price] = shown(guide, "&3")["Price"]
    assert shown(guide, price) == {"low": [1], "high": [2]}
    assert guide.execute("update Guide.R := &2") == 2
    assert stored(guide).objects >= {"&2", "&o"}
    assert not stored(guide).objects & {"&1", "&3"}
    assert guide.execute("update Guide.R := select r from Guide.R r where r.Name = 'none'") == 1
    assert shown(guide, "&g") == {}


def test_names(guide: bv.Warehouse) -> None:
    guide.execute("name Ann := &o")
    guide.execute('name Best := select r from Guide.R r where r.Name = "Saigon"')
    guide.execute("name Limit := 5")
    guide.execute('name Town := &town {Name: "X", Guide: &g, Self: &town}')
    g = stored(guide)
    assert (g.names["Ann"], g.names["Best"], g.values[g.names["Limit"]], g.names["Town"]) == ("&o", "&1", 5, "&town")
    assert shown(guide, "&town") == {"Name": ["X"], "Guide": ["&g"], "Self": ["&town"]}
    guide.execute("drop name Guide")
    assert "&g" in stored(guide).objects
    guide.execute("drop name Town")
    assert stored(guide).objects & {"&g", "&1", "&2", "&3"} == {"&1"}
    guide.execute("name Best := {}")
    assert "&1" not in stored(guide).objects


def test_the_first_graph_can_be_named_by_text(wh: bv.Warehouse) -> None:
    wh.execute('name X := {a: {b: 1}, c: "x"}')
    assert wh.export_oem("X") == {"a": {"b": 1}, "c": "x"}


BAD = [
    ("name Many := select r from Guide.R r", "gives 3 objects"),
    ("name None_ := Guide.Nothing", "gives no object"),
    ("name X := &404", "there is no object &404"),
    ("drop name Giude", "did you mean 'Guide'"),
    ("update Guide.R.Price += &404", "there is no object &404"),
    ("update Giude.R.Price += 1", "did you mean 'Guide'"),
    ("update Guide.R.Name.x += 1", "is atomic"),
    ("update Guide += 1", "a single object"),
    ("update Guide -= 1", "a single object"),
    ("update Guide.R.# += 1", "must end in one label"),
    ("update Guide.R.N% += 1", "must end in one label"),
    ("update Guide.R.Owner -= {a: 1}", "-= takes away"),
    ("update Guide.R.Owner += &1 {a: 1}", "an object &1 already"),
    ("update Guide.R.Owner += &_1 {a: 1}", "given by the system"),
    ("update Guide.R.Owner += {a: &x {}, b: &x {}}", "written out twice"),
    ("update Guide.R.Owner += {a: &404}", "there is no object &404"),
    ("update Guide.R.Owner +=", "(?s)expected.*line 1"),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=range(len(BAD)))
def test_bad_statements(guide: bv.Warehouse, text: str, said: str) -> None:
    epoch = guide.epoch
    with pytest.raises(bv.BelvedereError, match=said):
        guide.execute(text)
    assert guide.epoch == epoch


def test_sql_is_still_sql(guide: bv.Warehouse) -> None:
    guide.execute("create table t (a int, name string)")
    guide.execute("insert into t values (1, ':=')")
    assert guide.execute("update t set name = '+=' where name = ':='") == 1
    guide.execute("drop table t")


def test_what_is_taken_away_is_looked_for_among_edges(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand parents and a thousand objects that go make a million pairs, and a thousand edges."""
    wh.load_oem("Guide", [{"Name": f"r{n}", "Entree": [{"Name": "Dal"}, {"Name": "Soup"}]} for n in range(1_000)], label="R")
    seen: list[int] = []
    rows = statements._Update._rows

    def counted(self: statements._Update, node: Any) -> list[tuple[Any, ...]]:
        found = rows(self, node)
        seen.append(len(found))
        return found

    monkeypatch.setattr(statements._Update, "_rows", counted)
    assert wh.execute('update Guide.R.Entree -= e from Guide.R.Entree e where e.Name = "Dal"') == 1_000
    assert seen == [1_000]
    assert wh.query("select count(*) n from oem.edges where label = 'Entree'").rows() == [{"n": 1_000}]


def test_objects_that_others_lead_to_are_taken_away(wh: bv.Warehouse) -> None:
    """From the same parent, and not from another one."""
    wh.load_oem(
        "Guide",
        """&g {R: &r1 {Entree: &a {Like: &b}, Entree: &b {Like: &c}, Entree: &d {}},
               R: &r2 {Entree: &a, Entree: &c {Like: &d}, Entree: &d}}""",
    )
    assert wh.execute("update Guide.R.Entree -= Guide.R.Entree.Like") == 2
    found = wh.query("select source, target from oem.edges where label = 'Entree' order by source, target").rows()
    assert [(r["source"], r["target"]) for r in found] == [("&r1", "&a"), ("&r1", "&d"), ("&r2", "&a"), ("&r2", "&c")]


REMOVALS = [
    ("", "Guide.a", "select x from Guide.# x where x.v = 1", "update Guide.a.b -= select x from Guide.# x where x.v = 1"),
    ("r", "Guide(.a|.b) r", "r.a(.b)?", "update r.b -= r.a(.b)? from Guide(.a|.b) r"),
    ("r", "Guide.# r", "select x from r.b x where x.v < 2", "update r.b -= select x from r.b x where x.v < 2 from Guide.# r"),
    ("", "Guide.a.a", "Guide.b.b", "update Guide.a.a.b -= Guide.b.b"),
]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("which", range(len(REMOVALS)))
def test_random_removals(wh: bv.Warehouse, seed: int, which: int) -> None:
    """An edge goes if it leads from a parent to what is on the right for that parent, asked one parent at a time."""
    variable, parents, right, text = REMOVALS[which]
    r = random.Random(f"{seed} {which}")
    names = [f"&o{n}" for n in range(8)]
    links = {n: [(r.choice("ab"), r.choice(names)) for _ in range(r.randrange(2, 7))] for n in names}
    data = [{"&id": n, "v": r.randrange(3), "a": [], "b": []} for n in names]
    for row in data:
        for label, target in links[row["&id"]]:
            row[label].append({"$ref": target})
    wh.load_oem("Pool", data, label="o")
    wh.execute("name Guide := &o0")

    def oids(query: str) -> set[str]:
        return {str(x["oid"]) for x in wh.query(query, language="lorel").rows()}

    def given(parent: str) -> set[str]:
        asked = right.replace("r.", f"{parent}.") if variable else right
        return oids(asked if asked.startswith("select") else f"select {asked}")

    before = stored(wh).edges
    found = oids(f"select r from {parents}" if variable else f"select {parents}")
    expected = {(p, "b", t) for p in found for t in given(p)} & before
    assert wh.execute(text) == len(expected)
    assert stored(wh).edges == before - expected
