"""Views that join databases which are not mirrored: what is asked, what is kept, what is forgotten, what is said."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.remote.shops import JOIN, TOTALS, attach, counted, entries, joined, rows

import belvedere as bv
from belvedere.warehouse.sources.bring import Bringing

MIXED = [("sqlite", "sqlite"), ("postgres", "mariadb"), ("mariadb", "postgres")]


@pytest.mark.parametrize("systems", MIXED)
def test_a_join_of_two_databases(wh: bv.Warehouse, make_site: MakeSite, systems: tuple[str, str]) -> None:
    sales, crm = map(make_site, systems)
    attach(wh, sales, crm)
    assert wh.tables() == ["crm.customers", "sales.orders"]
    v, totals = wh.create_view("v", JOIN), wh.create_view("totals", TOTALS)
    assert rows(v) == joined(sales, crm)
    assert rows(totals) == [("Bonn", 20, 1), ("Ulm", 15, 2)]
    sales.execute("insert into orders values (6, 'bob', 1), (7, 'zoe', 3)", "delete from orders where id = 1")
    crm.execute("insert into customers values ('eve', 'Ulm')", "update customers set city = 'Köln' where name = 'bob'")
    assert v.refresh(strategy="incremental").strategy == "incremental"
    assert totals.refresh(strategy="grouping").queries == {"crm": 1, "sales": 1}
    assert rows(v) == joined(sales, crm) == [(2, "Köln", 20), (3, "Ulm", 5), (5, "Ulm", 7), (6, "Köln", 1)]
    assert rows(totals) == [("Köln", 21, 2), ("Ulm", 12, 2)]
    assert v.verify().ok
    assert totals.verify().ok
    assert all(r.strategy == "none" for r in wh.refresh()), "nothing counts twice"
    assert (entries(sales), entries(crm)) == (0, 0), "what was read is forgotten"
    wh.drop_view("v")
    wh.drop_view("totals")
    wh.detach("sales")
    assert (sales.objects(), wh.tables()) == ([], ["crm.customers"])


def chain(wh: bv.Warehouse, make_site: MakeSite, size: int, shape: str) -> tuple[list[Site], bv.View]:
    """Databases t0 … whose tables are equal in v along a chain, around a star, or in a circle."""
    sites = [make_site("sqlite") for _ in range(size)]
    for i, site in enumerate(sites):
        site.execute("create table items (id integer primary key, v integer)", "insert into items values (1, 77), (2, 5)")
        wh.attach(f"s{i}", site.url)
    names = [f"t{i}" for i in range(size)]
    edges = [("t0", n) for n in names[1:]] if shape == "star" else list(pairwise(names))
    edges += [(names[-1], names[0])] if shape == "cycle" else []
    where = " and ".join(f"{a}.v = {b}.v" for a, b in edges)
    view = wh.create_view("v", f"select t0.v from {', '.join(f's{i}.items t{i}' for i in range(size))} where {where}")
    for site in sites:
        site.execute("insert into items values (3, 77)")
    return sites, view


@pytest.mark.parametrize(("shape", "size"), [("chain", 2), ("chain", 4), ("star", 4), ("cycle", 5)])
def test_the_number_of_questions_is_the_papers(wh: bv.Warehouse, make_site: MakeSite, shape: str, size: int) -> None:
    """n(n-1) for batch, 2(n-1) for grouping, counted where the statements arrive."""
    sites, view = chain(wh, make_site, size, shape)
    with counted() as asked:
        report = view.refresh(strategy="batch")
    assert len(asked) == size * (size - 1) == sum(report.queries.values())
    assert report.queries == {f"s{i}": size - 1 for i in range(size)}
    assert len(view.rows()) == 2**size + 1
    for site in sites:
        site.execute("delete from items where id = 3")
    if shape == "star":
        with pytest.raises(bv.BelvedereError, match=r"grouping is not possible.*use another strategy"):
            view.refresh(strategy="grouping")
        return
    with counted() as asked:
        report = view.refresh(strategy="grouping")
    assert len(asked) == 2 * (size - 1) == sum(report.queries.values())
    assert len(view.rows()) == 2
    assert view.verify().ok


def test_a_source_forgets_what_all_have_read(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    a, b = wh.create_view("a", JOIN), wh.create_view("b", "select count(*) n, sum(amount) s from sales.orders")
    sales.execute("insert into orders values (6, 'bob', 1)")
    a.refresh()
    assert entries(sales) == 1, "b has not read it"
    sales.execute("insert into orders values (7, 'bob', 1)")
    b.refresh()
    assert entries(sales) == 1, "a has not read the last one"
    assert rows(b) == [(7, 44)]
    a.refresh()
    assert entries(sales) == 0
    assert rows(a) == joined(sales, crm)
    sales.execute("insert into orders values (8, 'ann', 1)")
    wh.drop_view("b")
    a.refresh()
    assert entries(sales) == 0, "who is gone holds nothing back"


def test_what_nobody_reads_does_not_pile_up(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("postgres")
    attach(wh, sales, crm)
    crm.execute("insert into customers values ('x', 'y')")
    sales.execute("insert into orders values (9, 'x', 1)")
    assert (entries(sales), entries(crm)) == (1, 1)
    assert sorted((s.source, s.total) for s in wh.sync()) == [("crm", 1), ("sales", 1)]
    assert (entries(sales), entries(crm)) == (0, 0)
    epoch = wh.epoch
    wh.sync()
    assert wh.epoch == epoch, "without changes there is no new epoch"


def test_sync_brings_what_views_ask_for(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    deferred, at_once = wh.create_view("deferred", TOTALS), wh.create_view("at_once", TOTALS, mode="immediate")
    crm.execute("delete from customers where name = 'ann'")
    wh.sync()
    assert (deferred.status, at_once.status) == ("stale", "fresh")
    assert rows(at_once) == [("Bonn", 20, 1)]
    assert deferred.refresh().queries == {}
    assert rows(deferred) == rows(at_once)


def test_a_lost_log_is_read_anew_and_said(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    a, b = wh.create_view("a", JOIN), wh.create_view("b", TOTALS)
    for name in sales.objects():
        if name.endswith("_ai"):
            sales.execute(f"drop trigger {name}")
    sales.execute("insert into orders values (6, 'bob', 1)")
    with pytest.raises(bv.NotIncremental, match="dropped its triggers"):
        a.refresh(strategy="incremental")
    report = a.refresh()
    assert report.strategy == "recompute"
    assert "somebody removed it, emptied it or dropped its triggers" in report.reason
    assert rows(a) == joined(sales, crm)
    sales.execute("insert into orders values (7, 'bob', 1)")
    late = b.refresh()
    assert (late.strategy, "newer than what was read before" in late.reason) == ("recompute", True)
    assert rows(b) == [("Bonn", 22, 3), ("Ulm", 15, 2)]
    assert a.refresh(strategy="incremental").strategy == "incremental"  # what is cheaper depends on how busy the machine was
    assert rows(a) == joined(sales, crm)
    assert wh.view("a").history()[-1]["asked"][0]["strategy"] in ("batch", "grouping", "sequential")


def test_what_was_learned_is_kept(tmp_path: Path, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    with bv.open(tmp_path / "kept", engine="duckdb") as wh:
        attach(wh, sales, crm)
        v = wh.create_view("v", JOIN)
        sales.execute("insert into orders values (6, 'bob', 1)")
        v.refresh(strategy="batch")
        before = v.explain("dict")["remote"]
    with bv.open(tmp_path / "kept", engine="duckdb") as wh:
        v = wh.view("v")
        assert v.explain("dict")["remote"] == before
        sales.execute("insert into orders values (7, 'bob', 1)")
        assert "first plan" not in v.refresh(strategy="batch").asked[0].reason
        assert rows(v) == joined(sales, crm)


def test_explain(wh: bv.Warehouse, make_site: MakeSite) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    attach(wh, sales, crm)
    v = wh.create_view("v", TOTALS)
    sales.execute("insert into orders values (6, 'bob', 1)")
    v.refresh(strategy="batch")
    said = v.explain()
    for part in ("remote join v$remote1", "view graph:", "sales.orders in sales: 6 rows",
                 "crm.customers → sales.orders: join factor", "plan: ", "runners-up:", "mirror: 0 queries", "measured: 1 queries",
                 "crm.customers: 1 rows of"):  # fmt: skip
        assert part in said, part
    [remote] = v.explain("dict")["remote"]
    assert remote["tables"] == ["sales.orders", "crm.customers"]
    assert remote["plan"]["queries"]
    drawn = v.explain("svg")
    assert drawn.startswith("<svg")
    assert "sales.orders" in drawn
    alone = wh.create_view("alone", "select count(*) n from sales.orders")
    assert "its changes are enough" in alone.explain()
    assert alone.explain("svg").startswith("<svg")


def test_strategies_are_for_who_asks(wh: bv.Warehouse, make_site: MakeSite) -> None:
    wh.create_table("t", "a int")
    v = wh.create_view("v", "select a from t")
    with pytest.raises(bv.NotIncremental, match="'v' reads nothing but what is kept here"):
        v.refresh(strategy="grouping")
    with pytest.raises(bv.NotIncremental, match="is not known"):
        v.refresh(strategy="clever")


def test_a_view_is_made_while_another_is_refreshed(
    tmp_path: Path, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the other lets be forgotten may be what the new one has not read: one of the two must begin again."""
    sales, crm = make_site("sqlite"), make_site("sqlite")
    first = Bringing.first
    with bv.open(tmp_path / "two", engine="duckdb") as wh, bv.open(tmp_path / "two", engine="duckdb") as other:
        attach(wh, sales, crm)
        wh.create_view("a", JOIN)

        def overtaken(self: Bringing, *given: object) -> object:
            sales.execute("insert into orders values (6, 'bob', 1)")
            other.refresh("a")
            assert entries(sales) == 0
            return first(self, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(Bringing, "first", overtaken)
        with pytest.raises(bv.Conflict):
            wh.create_view("b", JOIN)
        monkeypatch.undo()
        b = wh.create_view("b", JOIN)
        assert rows(b) == rows(wh.view("a")) == joined(sales, crm)
