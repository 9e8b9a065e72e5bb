"""The first paper's schema (Fig 1), a handful of objects, and ways to ask about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import belvedere as bv
from belvedere.languages.oql.binding import Understood, understand
from belvedere.languages.sql.catalog import Relation
from belvedere.objects.model import ObjectModel

FIG_1 = """
class person
  ( extent Persons ){
    attribute string name;
    attribute unsigned short age;
    attribute string address;};
class department
  ( extent Departments ){
    attribute string name;
    attribute string address;
    relationship set<employee> employees
      inverse employee::dept;};
class employee extends person
  ( extent Employees ) {
    attribute unsigned long salary;
    attribute set<person> dependents;
    relationship department dept
      inverse department::employees;
    attribute employee manager;};
"""
#: what the paper's schema lacks: literals in collections, a list of objects, n:m, structs, enums
MORE = """
enum Colour { red, green };
struct Place { string city; long zip; };
class project ( extent Projects ) {
    attribute string title;
    attribute Colour colour;
    attribute Place place;
    attribute date start;
    attribute list<long> scores;
    attribute bag<long> marks;
    attribute set<string> tags;
    attribute dictionary<string, long> counts;
    attribute list<person> reviewers;
    relationship set<person> members inverse person2::projects;};
class person2 extends person ( extent People2 ) { relationship set<project> projects inverse project::members; };
"""
WORKS_FOR = "define worksFor() as select struct(E:e.name, D:d.name) from e in Employees, d in Departments where e.dept = d;"
NESTED = "select struct(E:e.name, Dep:( select c.name from c in e.dependents )) from e in Employees"


class NoNames:
    """No tables, no views, no functions: classes are enough."""

    def relation(self, name: str) -> Relation | None:
        return None

    def relation_names(self) -> list[str]:
        return []

    def udf(self, name: str) -> None:
        return None


def model_of(odl: str, folder: Path) -> ObjectModel:
    with bv.open(str(folder / "model"), engine="duckdb") as wh:
        wh.odl(odl)
        return wh.registry.objects()


def seen(text: str, model: ObjectModel) -> Understood:
    return understand(text, NoNames(), model)  # type: ignore[arg-type]


def populated(folder: Path) -> tuple[Any, dict[str, int]]:
    """A warehouse with two departments, three employees, two children and two projects."""
    wh = bv.open(str(folder / "wh"), engine="duckdb")
    wh.odl(FIG_1)
    wh.odl(MORE.replace("set<person> members", "set<person2> members"))
    o: dict[str, int] = {}
    with wh.transaction() as tx:
        o["d1"], o["d2"] = tx.new("department", name="D1"), tx.new("department", name="D2")
        o["kid"], o["tot"] = tx.new("person", name="Kid", age=5), tx.new("person", name="Tot", age=2)
        o["ann"] = tx.new("employee", name="Ann", age=40, salary=100, dept=o["d1"], dependents=[o["kid"], o["tot"]])
        o["bob"] = tx.new("employee", name="Bob", age=30, salary=50, dept=o["d1"], manager=o["ann"])
        o["cy"] = tx.new("employee", name="Cy")
        o["m1"], o["m2"] = tx.new("person2", name="M1", age=7), tx.new("person2", name="M2", age=8)
        import datetime as dt

        o["p"] = tx.new(
            "project", title="P", colour="red", place={"city": "Rome", "zip": 1}, start=dt.date(2020, 3, 1), scores=[3, 1, 3],
            marks=[2, 2, 1], tags=["x", "y"], counts={"a": 1, "b": 2}, reviewers=[o["tot"], o["kid"], o["tot"]],
            members=[o["m1"], o["m2"]],
        )  # fmt: skip
        o["q"] = tx.new("project", title="Q", scores=[], marks=[2, 5], tags=["y"], members=[o["m1"]])
    return wh, o
