"""The figures of the first paper, as it prints them, and the calculus behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.oql.support import FIG_1, NESTED, WORKS_FOR, NoNames, model_of, seen

from belvedere.languages.oql import ast
from belvedere.languages.oql.derived import oid_projecting, oids_for
from belvedere.languages.oql.events import Event, specify_events_to_monitor
from belvedere.languages.oql.monoid_algebra import classify, show
from belvedere.languages.oql.parser import parse
from belvedere.languages.oql.plans import CHOICE, chosen, maintenance_plans
from belvedere.languages.oql.show import show as show_term
from belvedere.objects.model import ObjectModel


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ObjectModel:
    return model_of(FIG_1, Path(tmp_path_factory.mktemp("fig1")))


def tight(text: str) -> str:
    return re.sub(r"\s+", "", text)


FIG_3_TOP = """reduce(bag,
  join(bag,
    get(bag, Employees, e, and()),
    get(bag, Departments, d, and()),
    and(eq(e.dept, d)),
    none),
  X1,
  struct(bind(E, e.name), bind(D, d.name)),
  and())"""
FIG_3_BOTTOM = """reduce(bag,
  nest(bag,
    unnest(bag,
      get(bag, Employees, e, and()),
      c,
      project(e, dependents),
      and(),
      true),
    X2,
    project(c, name),
    vars(e),
    and()),
  X1,
  struct(bind(E, e.name), bind(Dep, X2)),
  and())"""


@pytest.mark.parametrize(("source", "expected"), [(WORKS_FOR, FIG_3_TOP), (NESTED, FIG_3_BOTTOM)])
def test_fig_3(source: str, expected: str, model: ObjectModel) -> None:
    assert show(seen(source, model).algebra) == expected


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("select e.name from e in Employees where e.age > 3", "ReduceGet"),
        (WORKS_FOR, "ReduceGetJoin"),
        ("select c.name from e in Employees, c in e.dependents", "Unnest"),
        ("select distinct e.name from e in Employees where exists c in e.dependents: c.age > 3", "Unnest"),
        (NESTED, "Nest"),
        ("select a, count(*) from e in Employees group by a: e.age", "Nest"),
    ],
)
def test_fig_10_the_rightmost_class_wins(source: str, kind: str, model: ObjectModel) -> None:
    assert classify(seen(source, model).algebra) == kind


def view(source: str) -> ast.Define | ast.Expr:
    program = parse(source)
    found = program.query if program.query is not None else program.definitions[0]
    assert isinstance(found, (ast.Define, ast.Expr))
    return found


def test_fig_5_derived_views(model: ObjectModel) -> None:
    names = NoNames()
    assert oids_for("worksFor", view(WORKS_FOR), names, model).text == (  # type: ignore[arg-type]
        "define OIDs_for_worksFor() as select struct(EO: e, DO: d, VO: struct(E: e.name, D: d.name)) "
        "from e in Employees, d in Departments where e.dept = d"
    )
    assert oid_projecting("worksFor", view(WORKS_FOR), names, model).text == (  # type: ignore[arg-type]
        "define OID_projecting_worksFor() as select distinct struct(EO: e, DO: d, E: e.name, D: d.name) "
        "from e in Employees, d in Departments where e.dept = d"
    )


def test_oids_for_holds_objects_in_the_middle_of_paths(model: ObjectModel) -> None:
    made = oids_for("v", view("select e.dept.name from e in Employees"), NoNames(), model)  # type: ignore[arg-type]
    assert "E_deptO: e.dept" in made.text


FIG_6_TOP = """reduce(set, join(set, get(set, ΔonInsert Employees, e, and()), get(set, Departments, d, and()),
  and(eq(e.dept, d)), none), X1, struct(bind(EO,e),bind(DO,d),bind(E,e.name),bind(D,d.name)), and())"""
FIG_6_BOTTOM = """reduce(set, join(set, get(set, OIDs_for_worksFor, mat_oids, and()),
  get(set, ΔonModifyAttr person.name, δ, and()), and(eq(mat_oids.EO, δ)), none),
  X1, struct(bind(mat_obj,mat_oids.VO),bind(E,δ.name)), and())"""


@pytest.mark.parametrize(
    ("event", "expected"),
    [(Event("onInsertTo", "Employees"), FIG_6_TOP), (Event("onModifyAttr", "person", "name"), FIG_6_BOTTOM)],
)
def test_fig_6(event: Event, expected: str, model: ObjectModel) -> None:
    (plan,) = maintenance_plans("worksFor", view(WORKS_FOR), event, NoNames(), model)  # type: ignore[arg-type]
    assert tight(show(plan.algebra)) == tight(expected)


def test_fig_9_events(model: ObjectModel) -> None:
    derived = oid_projecting("worksFor", view(WORKS_FOR), NoNames(), model)  # type: ignore[arg-type]
    assert [str(e) for e in specify_events_to_monitor(seen(derived.text, model).term, model)] == [
        "onInsertTo Departments",
        "onInsertTo Employees",
        "onDeleteTo Departments",
        "onDeleteTo Employees",
        "onInsertElementIn department.employees",
        "onDeleteElementIn department.employees",
        "onModifyAttr department.name",
        "onModifyAttr employee.dept",
        "onModifyAttr person.name",
    ]


def test_events_of_a_collection_of_objects(model: ObjectModel) -> None:
    found = {str(e) for e in specify_events_to_monitor(seen(NESTED, model).term, model)}
    assert {"onInsertElementIn employee.dependents", "onModifyAttrInElement employee.dependents.name"} <= found
    assert not any("inverse" in e for e in found)
    assert Event("onModifyAttr", "person", "name").fires_for("employee", model)
    assert not Event("onModifyAttr", "employee", "dept").fires_for("person", model)


PAPER = {  # Fig 11, rows 1 to 8
    ("onInsertTo", False): ("plant new", "plant new", "plant new"),
    ("onInsertElementIn", False): ("plant new", "join new", "plant new"),
    ("onDeleteTo", False): ("plant old", "join old", "plant old"),
    ("onDeleteElementIn", False): ("plant old", "join old", "plant old"),
    ("onModifyAttr", False): ("plant new", "join new", "plant new"),
    ("onModifyAttrInElement", False): ("plant new", "join new", "plant new"),
    ("onModifyAttr", True): ("plant old, plant new", "join old, plant new", "plant old, plant new"),
    ("onModifyAttrInElement", True): ("plant old, plant new", "join old, plant new", "plant old, plant new"),
}


@pytest.mark.parametrize(("kind", "condition"), list(PAPER))
def test_fig_11(kind: str, condition: bool) -> None:
    event = Event(kind, "x", "y")  # type: ignore[arg-type]
    for name, expected in zip(("ReduceGet", "ReduceGetJoin", "Unnest"), PAPER[kind, condition], strict=True):
        assert ", ".join(f"{a} {s}" for a, s in chosen(event, name, condition=condition)) == expected
    assert set(CHOICE) == set(PAPER)


def test_inserting_into_a_relationship_of_a_condition_is_a_change_of_a_condition_attribute(model: ObjectModel) -> None:
    event = Event("onInsertElementIn", "department", "employees")
    plans = maintenance_plans("worksFor", view(WORKS_FOR), event, NoNames(), model)  # type: ignore[arg-type]
    assert [(p.action, p.state) for p in plans] == [("join", "old"), ("plant", "new")]


def test_a_member_of_a_nested_collection_is_planted_at_its_owners(model: ObjectModel) -> None:
    event = Event("onModifyAttrInElement", "employee", "dependents", "name")
    (plan,) = maintenance_plans("v", view(NESTED), event, NoNames(), model)  # type: ignore[arg-type]
    assert plan.target == "c"
    assert "ΔonModifyAttrInElement employee.dependents.name" in show(plan.algebra)


@pytest.mark.parametrize(
    ("source", "normal"),
    [
        ("select x.a from x in (select a: e.name, b: e.dept from e in Employees) where x.b != nil",
         "bag{e.name | e←Employees, e.dept ≠ nil}"),  # rules 8, 1, 3
        ("select distinct e.name from e in Employees where exists x in e.dependents: x.age > 3",
         "set{e.name | e←Employees, x←e.dependents, x.age > 3}"),  # rule 9
        ("select e.name from e in Employees where exists x in e.dependents: x.age > 3",
         "bag{e.name | e←Employees, or{x.age > 3 | x←e.dependents}}"),  # its guard
        ("select x from x in (select distinct e.age from e in Employees)", "bag{x | x←set{e.age | e←Employees}}"),  # guard of 8
        ("sum(select sum(select c.age from c in e.dependents) from e in Employees)",
         "sum{c.age | e←Employees, c←e.dependents}"),  # rule 10
        ("select x.name from x in ((select e from e in Employees) union (select f from f in Employees))",
         "bag{e.name | e←Employees} ⊎ bag{f.name | f←Employees}"),  # rule 7
        ("select y from e in Employees, y in set(e.age)", "bag{e.age | e←Employees}"),  # rule 6
        ("count(set())", "cast(0)"),  # rule 5
        ("flatten(select e.dependents from e in Employees)", "set{x | e←Employees, x←e.dependents}"),
    ],
)  # fmt: skip
def test_normalization(source: str, normal: str, model: ObjectModel) -> None:
    assert re.sub(r"_\d+", "", show_term(seen(source, model).normal)) == normal
