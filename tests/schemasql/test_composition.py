"""SchemaSQL beside the other languages and over a database that lives elsewhere: each stands on the other, and follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.views import content
from tests.servers.sites import SQLiteSite

import belvedere as bv

GUIDE = {"restaurant": [
    {"&id": "&blue", "entree": [
        {"&id": "&stew", "dish": "Stew", "price": {"&id": "&nine", "$value": 9}}, {"dish": "Soup", "price": 5}]},
    {"&id": "&red", "entree": {"dish": "Stew", "price": 11}},
]}  # fmt: skip
#: an entree is an object of the Lorel view; SQL puts its parts beside each other, SchemaSQL makes a column of each dish
ENTREES = "select e from Guide.restaurant.entree e with e.dish, e.price"
DISHES = """
    select o.oid id, d.text dish, p.integer price
    from Entrees.objects o
    join Entrees.edges a on a.source = o.oid and a.label = 'dish' join Entrees.`values` d on d.oid = a.target
    join Entrees.edges b on b.source = o.oid and b.label = 'price' join Entrees.`values` p on p.oid = b.target
"""
MENU = "create view menu::prices(D) as select max(T.price) from dishes T, T.dish D group by D"
PARTS = "select A, count(*) n from Entrees-> R, Entrees::R-> A group by A"


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[Any]:
    with bv.open(tmp_path / "wh", engine="duckdb") as warehouse:
        yield warehouse


def right(wh: Any, *names: str) -> None:
    for name in names or [v.name for v in wh.views()]:
        view = wh.view(name)
        assert (view.status, view.verify().ok) == ("fresh", True), f"{name}: {view.reason}"


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_sql_over_schemasql_over_sql_over_lorel(wh: Any, mode: str) -> None:
    wh.load_oem("Guide", GUIDE)
    wh.create_view("Entrees", ENTREES, language="lorel", mode=mode)
    wh.create_view("dishes", DISHES, mode=mode)
    menu = wh.create_view("m", MENU, language="schemasql", mode=mode)
    top = wh.create_view("top", "select Stew + 1 more from menu.prices", mode=mode)
    parts = wh.create_view("parts", PARTS, language="schemasql", mode=mode)
    assert (menu.rows(), top.rows()) == ([{"Soup": 5, "Stew": 11}], [{"more": 12}])
    assert {"A": "oid", "n": 2} in parts.rows()

    def change(*steps: Any) -> None:
        with wh.transaction() as tx:
            for step in steps:
                step(tx)
        if mode == "deferred":
            wh.refresh()
        right(wh)

    def fish(tx: Any) -> None:
        e = tx.add_object()
        tx.add_edge(e, "dish", tx.add_object(value="Fish"))
        tx.add_edge(e, "price", tx.add_object(value=20))
        tx.add_edge("&red", "entree", e)

    change(fish)
    assert (menu.rows(), menu.columns) == ([{"Fish": 20, "Soup": 5, "Stew": 11}], ("Fish", "Soup", "Stew"))
    change(lambda tx: tx.set_value("&nine", 15))
    assert (menu.rows(), top.rows()) == ([{"Fish": 20, "Soup": 5, "Stew": 15}], [{"more": 16}])
    change(lambda tx: tx.remove_edge("&blue", "entree", "&stew"))
    assert top.rows() == [{"more": 12}]
    assert [c["change"] for c in menu.schema_history()][-1] == "add-attribute"


def test_sql_over_one_relation_of_several(wh: Any) -> None:
    wh.create_table("base", "city string, kind string, v int")
    rows = [("paris", "a", 1), ("paris", "b", 2), ("rome", "a", 3)]
    with wh.transaction() as tx:
        tx.insert("base", [dict(zip(("city", "kind", "v"), r, strict=True)) for r in rows])
    view = wh.create_view("c", "create view C(K) as select T.v from base T, T.city C, T.kind K", language="schemasql")
    reader = wh.create_view("r", "select a + b total from c.paris")
    over = wh.create_view("rr", "select count(*) n from r where total > 0")
    assert (reader.rows(), over.rows()) == ([{"total": 3}], [{"n": 1}])
    with wh.transaction() as tx:  # a column of the reader's relation changes, and another comes that it does not read
        tx.update("base", {"v": 10}, where="city = 'paris' and kind = 'a'")
        tx.insert("base", {"city": "rome", "kind": "z", "v": 7})
    wh.refresh()
    assert (view.columns, reader.rows(), over.rows()) == (("a", "b", "z"), [{"total": 12}], [{"n": 1}])
    right(wh)
    with wh.transaction() as tx:
        tx.delete("base", where="city = 'paris'")
    wh.refresh()
    assert view.relations() == ["rome"]
    assert "has no relation 'paris' now" in reader.reason
    with wh.transaction() as tx:
        tx.insert("base", [{"city": "paris", "kind": k, "v": v} for k, v in (("a", 5), ("b", 6))])
    wh.refresh()
    assert (reader.rows(), over.rows()) == ([{"total": 11}], [{"n": 1}])
    right(wh)


FLIGHTS = """
    create view CITY(Type, A) as select P, F.P from air-> A, air::A F, air::A-> P, F.city CITY
    where P <> 'city' and P <> 'id'
"""


@pytest.fixture
def site(tmp_path: Path) -> SQLiteSite:
    made = SQLiteSite(str(tmp_path))
    for airline in ("ba", "lh"):
        made.execute(f"create table {airline} (id integer primary key, city text, business int, economy int)",
                     f"insert into {airline} values (1, 'paris', 1200, 600), (2, 'london', 1100, 475)")  # fmt: skip
    return made


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_over_an_attached_source_under_changes_of_data_and_schema_there(wh: Any, site: SQLiteSite, mode: str) -> None:
    wh.attach("air", site.url, mirror=True)
    view = wh.create_view("cities", FLIGHTS, language="schemasql", mode=mode)
    reader = wh.create_view("paris", "select Type, ba from cities.paris", mode=mode)
    names = wh.create_view("names", "select A from air-> A", language="schemasql", mode=mode)

    def follow(*statements: str) -> set[str]:
        site.execute(*statements)
        if mode == "immediate":
            wh.sync()
        else:
            wh.refresh("cities", "names")
            wh.refresh()
        right(wh, *(v.name for v in wh.views() if v.status != "invalid"))
        return {wh.view(n).history()[-1]["strategy"] for n in ("cities", "names")}

    assert content(view)["paris"] == [
        {"Type": "business", "ba": 1200, "lh": 1200}, {"Type": "economy", "ba": 600, "lh": 600}]  # fmt: skip
    follow("insert into lh values (3, 'berlin', 1400, 610)")
    assert view.history()[-1]["strategy"] == "incremental"
    assert content(view)["berlin"] == [
        {"Type": "business", "ba": None, "lh": 1400}, {"Type": "economy", "ba": None, "lh": 610}]  # fmt: skip
    # a table that is new there is a relation that is new here, and a column of the view
    new = "create table af (id integer primary key, city text, business int, economy int)"
    assert follow(new, "insert into af values (1, 'rome', 9, 8)") == {"incremental"}
    assert (view.columns, view.relations()) == (("Type", "af", "ba", "lh"), ["berlin", "london", "paris", "rome"])
    assert sorted(r["A"] for r in names.rows()) == ["af", "ba", "lh"]
    assert ("add-attribute", "af") in [(c["change"], c["name"]) for c in view.schema_history()]
    # a column that is new there is a row here
    follow("alter table ba add column first int", "update ba set first = 3000 where id = 1")
    assert {"Type": "first", "af": None, "ba": 3000, "lh": None} in content(view)["paris"]
    # a renamed column is a renamed row, a renamed table a column that went and one that came
    follow("alter table ba rename column first to suite")
    assert {"Type": "suite", "af": None, "ba": 3000, "lh": None} in content(view)["paris"]
    follow("alter table lh rename to dlh")
    assert view.columns == ("Type", "af", "ba", "dlh")
    follow("drop table ba")
    assert view.columns == ("Type", "af", "dlh")
    assert reader.status == "invalid"
    assert "ba" in reader.reason


def test_only_the_tables_that_were_asked_for_are_ranged_over(wh: Any, site: SQLiteSite) -> None:
    wh.attach("air", site.url, tables=["ba", "lh"], mirror=True)
    names = wh.create_view("names", "select A from air-> A", language="schemasql")
    site.execute("create table af (id integer primary key, city text)")
    names.refresh()
    assert sorted(r["A"] for r in names.rows()) == ["ba", "lh"]


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_names_of_the_columns_of_a_view_are_followed(wh: Any, mode: str) -> None:
    """Nothing is read but names, so nothing but the names tells that there is something to do."""
    for line in ("ba", "lh"):
        wh.create_table(f"air.{line}", "city string, v int")
        with wh.transaction() as tx:
            tx.insert(f"air.{line}", {"city": "paris", "v": 1})
    text = "create view o::all(city, A) as select T.city, T.v from air-> A, air::A T"
    wh.create_view("w", text, language="schemasql", mode=mode)
    names = wh.create_view("n", "select A from o-> R, o::R-> A", language="schemasql", mode=mode)

    def after(change: Any) -> list[str]:
        with wh.transaction() as tx:
            change(tx)
        if mode == "deferred":
            wh.refresh()
        right(wh)
        return sorted(r["A"] for r in names.rows())

    assert after(lambda tx: tx.rename_relation("air.ba", "air.kl")) == ["city", "kl", "lh"]  # metadata only, for the view below
    assert after(lambda tx: tx.truncate("air.lh")) == ["city", "kl"]
    assert after(lambda tx: tx.insert("air.lh", {"city": "rome", "v": 2})) == ["city", "kl", "lh"]
