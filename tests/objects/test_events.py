"""Every cell of the first paper's table of plans, carried out: kinds of events × classes of views, against recomputation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

import belvedere as bv

#: class of view → a query in which name decides nothing and age does
VIEWS = {
    "ReduceGet": "select struct(E: e.name, A: e.salary) from e in Employees where e.age >= 2",
    "ReduceGetJoin": "select struct(E: e.name, D: d.name) from e in Employees, d in Departments where e.dept = d and e.age >= 2",
    "Unnest": "select struct(D: d.name, E: e.name) from d in Departments, e in d.employees where e.age >= 2",
    "Nest": "select struct(D: d.name, Es: (select e.name from e in d.employees where e.age >= 2)) from d in Departments",
}
Staff = dict[str, Any]
Event = Callable[[Any, Staff], Any]
EVENTS: dict[str, Event] = {
    "onInsertTo": lambda tx, s: tx.new("employee", name="x", age=3, salary=1, dept=s["d"][1]),
    "onInsertElementIn": lambda tx, s: tx.insert_element(s["d"][0], "employees", s["e"][4]),
    "onDeleteTo": lambda tx, s: tx.delete_object(s["e"][2]),
    "onDeleteTo (other end)": lambda tx, s: tx.delete_object(s["d"][0]),
    "onDeleteElementIn": lambda tx, s: tx.remove_element(s["d"][0], "employees", s["e"][3]),
    "onModifyAttr": lambda tx, s: tx.modify(s["e"][3], name="y"),
    "onModifyAttrInElement": lambda tx, s: tx.modify(s["d"][0], name="z"),
    "onModifyAttr (condition)": lambda tx, s: [tx.modify(s["e"][3], age=0), tx.modify(s["e"][0], age=4)],
    "onModifyAttrInElement (condition)": lambda tx, s: tx.modify(s["e"][3], dept=s["d"][1]),
    "nil": lambda tx, s: tx.modify(s["e"][3], dept=None),
}


def staff(wh: bv.Warehouse) -> Staff:
    with wh.transaction() as tx:
        d = [tx.new("department", name=f"d{i}") for i in range(3)]
        e = [tx.new("employee", name=f"e{i % 4}", age=i % 5, salary=i, dept=d[i % 2] if i != 4 else None) for i in range(8)]
    return {"d": d, "e": e}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("distinct", ["", "distinct"])
def test_every_event(company: bv.Warehouse, event: str, distinct: str) -> None:
    people = staff(company)
    for name, query in VIEWS.items():
        company.create_view(name, query.replace("select", f"select {distinct}", 1), language="oql")
    with company.transaction() as tx:
        EVENTS[event](tx, people)
    for name in VIEWS:
        view = company.view(name)
        before = sorted(map(repr, view.rows()))
        report = view.refresh(strategy="incremental")
        assert report.strategy in ("incremental", "none")
        if report.strategy == "none":
            assert sorted(map(repr, view.rows())) == before
        assert view.verify().ok, name


@pytest.mark.parametrize(("kind", "number"), [("d", 0), ("e", 3)])
def test_what_decides_nothing_reads_no_extent(company: bv.Warehouse, kind: str, number: int) -> None:
    """Each over a view that was just made: later its files hold rows that were taken back, too, until they are merged."""
    people = staff(company)
    view = company.create_view("v", VIEWS["ReduceGetJoin"], language="oql")
    with company.transaction() as tx:
        tx.modify(people[kind][number], name="z")
    (step,) = view.refresh().steps
    assert "new values" in step.rule
    assert step.rows_read <= len(view.rows()) + 2, "the view's own rows, and the two of the delta"
    assert view.verify().ok


def test_other_events_cost_nothing(company: bv.Warehouse) -> None:
    people = staff(company)
    view = company.create_view("v", VIEWS["ReduceGetJoin"], language="oql")
    with company.transaction() as tx:
        tx.modify(people["e"][3], salary=99)
        tx.modify(people["d"][0], address="elsewhere")
    assert view.status == "fresh"
    report = view.refresh()
    assert (report.strategy, report.rows_read, report.steps) == ("none", 0, ())


def test_explain_names_events_and_plans(company: bv.Warehouse) -> None:
    staff(company)
    view = company.create_view("v", VIEWS["ReduceGetJoin"], language="oql")
    facts = view.explain("dict")["oql"]
    plans = {e["event"]: (e["plan"], e["condition"]) for e in facts["events"]}
    assert facts["class"] == "ReduceGetJoin"
    assert plans["onModifyAttr person.name"] == ("OIDs_for_v ⋈ Δnew", False)
    assert plans["onModifyAttr employee.dept"] == ("OIDs_for_v ⋈ Δold and plant Δnew", True)
    assert "onModifyAttr employee.salary" not in plans
    assert set(facts["derived"]) == {"OIDs_for_v", "OID_projecting_v"}
    assert "onInsertTo Employees" in view.explain()


def test_explain_shows_both_plans_with_their_costs(company: bv.Warehouse) -> None:
    people = staff(company)
    view = company.create_view("v", VIEWS["ReduceGetJoin"], language="oql")
    with company.transaction() as tx:
        tx.modify(people["e"][3], name="y")
    (stage,) = view.explain("dict")["stages"]
    assert [w.split(":")[0] for w in stage["ways"]] == ["support", "plant"]
    assert all("rows" in w for w in stage["ways"])


@pytest.mark.usefixtures("in_files")
def test_explain_shows_plans_and_derived_views_as_sql(company: bv.Warehouse) -> None:
    """And it is SQL that runs as it stands."""
    people = staff(company)
    view = company.create_view("v", VIEWS["ReduceGetJoin"], language="oql")
    with company.transaction() as tx:
        tx.modify(people["e"][3], name="y")
        tx.modify(people["d"][2], name="empty")
    facts = view.explain("dict")
    derived = {n: duckdb.sql(text).to_arrow_table().to_pylist() for n, text in facts["oql"]["derived_sql"].items()}
    new = {(r["E"], r["D"]) for r in company.query(VIEWS["ReduceGetJoin"], language="oql").rows()}
    assert {(r["vo"]["E"], r["vo"]["D"]) for r in derived["OIDs_for_v"] if r["_w"] > 0} >= new
    assert {(r["e"], r["d"]) for r in derived["OID_projecting_v"] if r["_w"] > 0} >= new
    plans = {p["number"]: p for p in facts["oql"]["plans"]}
    (event,) = [e for e in facts["oql"]["events"] if e["event"] == "onModifyAttr person.name"]
    ((support, plant),) = [r["ways"] for r in event["runs"]]
    assert (support["way"], support["taken"], plant["way"], plant["taken"]) == ("support", True, "plant", False)
    found = [_weights(plans[n]["sql"]) for n in (support["plan"], plant["plan"])]
    assert found[0] == found[1]
    assert sorted(found[0].values()) == [-1, 1], "the employee's row with the old name and with the new one"
    assert f"plan {support['plan']} of v$1, support:" in view.explain()


def _weights(sql: str) -> Counter[str]:
    rows = duckdb.sql(sql).to_arrow_table().to_pylist()
    return Counter({repr(sorted(r.items())): r["_w"] for r in rows})


def test_explain_of_a_view_with_definitions_and_parameters(company: bv.Warehouse) -> None:
    staff(company)
    text = "define old(long a) as select e from e in Employees where e.age > a; select e.name from e in old($1) order by e.age+$2"
    view = company.create_view("v", text, language="oql", parameters={"1": 2, "2": 1})
    facts = view.explain("dict")["oql"]
    assert set(facts["derived_sql"]) == {"OIDs_for_v", "OID_projecting_v"}
    assert {e["event"] for e in facts["events"]} >= {"onInsertTo Employees", "onModifyAttr person.name"}
