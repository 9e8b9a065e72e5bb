"""Classes and objects from the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.conftest import Shell, shell
from tests.objects.schemas import COMPANY

__all__ = ["shell"]

LINES: list[dict[str, Any]] = [
    {"op": "new", "class": "department", "set": {"name": "R&D"}, "as": "rd"},
    {"op": "new", "class": "employee", "set": {"name": "Ann", "salary": 100, "dept": {"$object": "rd"}}, "as": "ann"},
    {"op": "new", "class": "employee", "set": {"name": "Bob", "dependents": [{"$object": "ann"}]}, "as": "bob"},
    {"op": "commit"},
    {"op": "insert_element", "oid": {"$object": "rd"}, "attr": "employees", "value": {"$object": "bob"}},
    {"op": "modify", "oid": {"$object": "ann"}, "set": {"salary": 120, "manager": None}},
    {"op": "remove_element", "oid": {"$object": "bob"}, "attr": "dependents", "value": {"$object": "ann"}},
    {"op": "insert", "table": "log", "row": {"x": 1}},
    {"op": "new", "class": "person", "as": "kid"},
    {"op": "delete_object", "oid": {"$object": "kid"}},
]


@pytest.fixture
def company(shell: Shell) -> Shell:
    shell.run("init", "shop")
    shell.run("execute", "create table log (x int)")
    assert shell.run("odl", shell.write("company.odl", COMPANY)) == "epoch 2: person, department, employee\n"
    return shell


def test_classes_and_objects(company: Shell) -> None:
    [first, *_] = company.json("classes")
    assert (first["class"], first["extent"]) == ("department", "Departments")
    company.run("apply", company.write("changes.jsonl", *map(json.dumps, LINES)))
    rows = company.json("query", "select e.name, e.salary, d.name dept from Employees e join Departments d on e.dept = d.oid")
    assert sorted(rows, key=lambda r: str(r["name"])) == [
        {"name": "Ann", "salary": 120, "dept": "R&D"},
        {"name": "Bob", "salary": None, "dept": "R&D"},
    ]
    assert company.json("query", "select count(*) n from Persons") == [{"n": 2}]
    assert company.json("query", "select count(*) n from `employee.dependents`") == [{"n": 0}]


def test_odl_from_stdin_and_its_errors(shell: Shell) -> None:
    shell.run("init", "shop")
    assert "line 1, column 21" in shell.run("odl", "-", code=1, input="class a { attribute lng x; };")
    assert shell.run("odl", "-", input="enum e { a };") == "epoch 1: no classes\n"


def test_a_line_that_names_nothing(company: Shell) -> None:
    line = json.dumps({"op": "modify", "oid": {"$object": "an"}, "set": {"name": "x"}})
    said = company.run("apply", company.write("changes.jsonl", json.dumps(LINES[0]), line), code=1)
    assert "line 2" in said
    assert "no line before this made an object 'an'" in said
    assert "needs the field 'set'" in company.run("apply", company.write("c.jsonl", '{"op": "modify", "oid": 5}'), code=1)
