"""What OQL means: each sentence of the language's page, asked of a warehouse, and errors with their positions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.oql.support import populated

from belvedere.errors import EngineError, ParseError, TypeMismatch, UnknownName
from belvedere.languages.oql.decode import Record

World = tuple[Any, dict[str, int]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    wh, o = populated(Path(tmp_path_factory.mktemp("meaning")))
    wh.create_table("cities", "name string, people bigint, tags array<string>")
    with wh.transaction() as tx:
        tx.insert("cities", [{"name": "Rome", "people": 3, "tags": ["old"]}, {"name": "Rome", "people": 3, "tags": ["old"]}])
    yield wh, o
    wh.close()


def rows(world: World, text: str) -> list[Any]:
    """The rows, each without its column's name if it is `value`, in some fixed order."""
    found = world[0].query(text, language="oql").rows()
    plain = [r["value"] if list(r) == ["value"] else r for r in found]
    return sorted(plain, key=repr)


def one(world: World, text: str) -> Any:
    (found,) = rows(world, text)
    return found


CASES: list[tuple[str, list[Any]]] = [
    # select gives a bag, distinct a set; iterators are dependent
    ("select e.dept.name from e in Employees", [None, "D1", "D1"]),
    ("select distinct e.dept.name from e in Employees", [None, "D1"]),
    ("select c.name from e in Employees, c in e.dependents", ["Kid", "Tot"]),
    ("select c.name from Employees e, e.dependents as c", ["Kid", "Tot"]),
    ("select name from Departments", ["D1", "D2"]),
    # labels and several projections give structs
    ("select e.name as n from e in Employees where e.age = 40", [{"n": "Ann"}]),
    ("select e.name, e.dept.name as d from e in Employees where e.age = 40", [{"name": "Ann", "d": "D1"}]),
    # a view of a struct's fields
    ("select p.place.city, p.place from p in Projects where p.title = \"P\"",
     [{"city": "Rome", "place": {"city": "Rome", "zip": 1}}]),
    # union, intersect, except by multiplicities
    ("bag(1, 1, 2) union bag(1)", [1, 1, 1, 2]),
    ("bag(1, 1, 2) intersect bag(1, 1, 1, 3)", [1, 1]),
    ("bag(1, 1, 1, 2) except bag(1, 3)", [1, 1, 2]),
    ("set(1, 2) union set(2, 3)", [1, 2, 3]),
    ("set(1, 2) union bag(2, 2)", [1, 2, 2, 2]),
    ("set(1, 2) except set(2)", [1]),
    ("select m from p in Projects, m in (p.marks except bag(2))", [1, 2, 5]),
    ("select x from p in Projects, x in (p.tags union set(\"z\"))", ["x", "y", "y", "z", "z"]),
    # objects by identity, nil
    ("select e.name from e in Employees where e.manager = nil", ["Ann", "Cy"]),
    ("select e.name from e in Employees, f in Employees where e.manager = f.manager", ["Ann", "Ann", "Bob", "Cy", "Cy"]),
    ("select e.name from e in Employees where e.manager != nil", ["Bob"]),
    ("select e.name from e in Employees where e.manager.manager = nil", ["Ann", "Bob", "Cy"]),
    # UNDEFINED in conditions
    ("select e.name from e in Employees where e.age > 1", ["Ann", "Bob"]),
    ("select e.name from e in Employees where not (e.age > 1)", []),
    ("select e.name from e in Employees where e.age > 1 or true", ["Ann", "Bob", "Cy"]),
    ("select e.name from e in Employees where is_undefined(e.age)", ["Cy"]),
    ("select e.name from e in Employees where is_defined(e.manager)", ["Bob"]),
    # group by: labels, partition, UNDEFINED is one group
    ("select d: d.name, n: count(*), s: sum(select p.e.salary from p in partition) from e in Employees group by d: e.dept",
     [{"d": None, "n": 1, "s": 0}, {"d": "D1", "n": 2, "s": 150}]),
    ("select a from e in Employees group by a: e.dept having max(select p.e.age from p in partition) > 35", ["d1"]),
    ("select n: count(select x from p in partition, x in p.e.dependents) from e in Employees group by d: e.dept",
     [{"n": 0}, {"n": 2}]),
    ("select b: (select p.e.name from p in partition where p.e.age > 35) from e in Employees group by d: e.dept",
     [{"b": []}, {"b": ["Ann"]}]),
    # collections through nil are empty
    ("select n: count(e.manager.dependents), x: exists(e.manager.dependents), a: for all c in e.manager.dependents: c.age > 3 "
     "from e in Employees where e.name = \"Cy\"", [{"n": 0, "x": False, "a": True}]),
    ("select c.name from e in Employees, c in e.manager.dependents", ["Kid", "Tot"]),
    # a self-join
    ("select struct(a: e.name, b: f.name) from e in Employees, f in Employees where e.age > f.age", [{"a": "Ann", "b": "Bob"}]),
    # nested collections, their kinds and orders
    ("select l: (select m from m in p.marks order by m desc), s: listtoset(p.scores) from p in Projects",
     [{"l": [2, 2, 1], "s": [1, 3]}, {"l": [5, 2], "s": []}]),
    ("select r.name from p in Projects, r in p.reviewers", ["Kid", "Tot", "Tot"]),
    ("select p.reviewers[0].name from p in Projects", [None, "Tot"]),
    ("select first(p.scores) from p in Projects", [None, 3]),
    ("select p.scores[1:7] from p in Projects", [[1, 3], []]),
    ("select last(p.scores + list(9)) from p in Projects", [9, 9]),
    ("select p.counts[\"a\"] from p in Projects", [None, 1]),
    ("select struct(k: c.key, v: c.value) from p in Projects, c in p.counts", [{"k": "a", "v": 1}, {"k": "b", "v": 2}]),
    ("select (distinct(p.scores)) from p in Projects where p.title = \"P\"", [[3, 1]]),
    ("flatten(select p.tags from p in Projects)", ["x", "y"]),
    ("flatten(select p.marks from p in Projects)", [1, 2, 2, 2, 5]),
    # n:m, from both sides
    ("select n: m.name, t: (select p.title from p in m.projects) from m in People2",
     [{"n": "M1", "t": ["P", "Q"]}, {"n": "M2", "t": ["P"]}]),
    ("select m.name from p in Projects, m in p.members where p.title = \"Q\"", ["M1"]),
    # inheritance: a subclass's objects are in the extents above
    ("select p.name from p in Persons where p.age > 25", ["Ann", "Bob"]),
    ("select ((employee) p).salary from p in Persons where p.age > 3", [None, None, None, 100, 50]),
    # dates, enums, strings
    ("select struct(y: p.start.year, m: p.start.monthIndex) from p in Projects where p.start > date '2020-01-01'",
     [{"y": 2020, "m": 3}]),
    ("select p.title from p in Projects where p.colour = \"red\"", ["P"]),
    ("select e.name || \"!\" from e in Employees where e.name like \"A%\"", ["Ann!"]),
    # a definition with parameters, and one over another
    ("define older(long n) as select e from e in Employees where e.age > n; define names() as select o.name from o in older(35); "
     "names()", ["Ann"]),
    # tables
    ("select c.name from c in cities where \"old\" in c.tags", ["Rome", "Rome"]),
    ("select struct(c: c.name, p: p.title) from c in cities, p in Projects where p.place.city = c.name",
     [{"c": "Rome", "p": "P"}, {"c": "Rome", "p": "P"}]),
    # constructed objects are structs
    ("select person(name: e.name, age: 3) from e in Employees where e.age = 40", [{"name": "Ann", "age": 3}]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0][:70] for c in CASES])
def test_rows(world: World, text: str, expected: list[Any]) -> None:
    o = world[1]
    wanted = [o.get(x, x) if isinstance(x, str) else x for x in expected]
    assert rows(world, text) == sorted(wanted, key=repr)


VALUES: list[tuple[str, Any]] = [
    ("sum(select e.salary from e in Employees)", 150),
    ("sum(select e.salary from e in Employees where false)", 0),
    ("avg(select e.age from e in Employees)", 35.0),
    ("max(select e.age from e in Employees where false)", None),
    ("min(select e.age from e in Employees)", 30),
    ("count(select e.age from e in Employees)", 3),
    ("count(Employees)", 3),
    ("nil = nil", True),
    ("undefined = 1", None),
    ("undefined or true", True),
    ("3 in set(1, undefined)", None),
    ("3 in set(3, undefined)", True),
    ("3 in set()", False),
    ("exists x in set(1, undefined): x > 5", None),
    ("for all x in set(1, undefined): x > 5", False),
    ("for all x in set(7, undefined): x > 5", None),
    ("5 > all set(1, undefined)", None),
    ("5 < any set(1, 9)", True),
    ("unique(set(1))", True),
    ("unique(bag(1, 1))", False),
    ("element(select e from e in Employees where e.name = \"Bob\").manager.name", "Ann"),
    ("list(1, 2)[1]", 2),
    ("list(1, 2)[5]", None),
    ("\"abc\"[1]", "b"),
    ("list(3, 1) + list(2)", [3, 1, 2]),
    ("flatten(list(list(1, 2), list(3)))", [1, 2, 3]),
    ("7 mod 4 + abs -2 * 3", 9),
    ("1 / 2", 0.5),
    ("(long) 2.9", 2),
    ("set(2, 1, 2) = set(1, 2)", True),
    ("struct(a: 1, b: nil) = struct(a: 1, b: nil)", True),
    ("time '10:00:00' < time '11:00:00'", True),
    ("count(set(nil, nil))", 1),
    ("set(nil, nil) = set(nil)", True),
    ("unique(set(undefined, undefined))", True),
    ("count(bag(nil, nil))", 2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[v[0][:70] for v in VALUES])
def test_values(world: World, text: str, expected: Any) -> None:
    assert one(world, text) == expected


def test_order_by_gives_a_list(world: World) -> None:
    found = world[0].query("select e.name, e.age from e in Employees order by e.age desc", language="oql").rows()
    assert [r["name"] for r in found] == ["Ann", "Bob", "Cy"]
    found = world[0].query("select e.name from e in Employees order by e.age", language="oql").rows()
    assert [r["value"] for r in found] == ["Cy", "Bob", "Ann"]


@pytest.mark.parametrize("text", ["element(Employees)", "element(select e from e in Employees where false)"])
def test_element_takes_exactly_one(world: World, text: str) -> None:
    with pytest.raises(EngineError, match=r"^element\(\) at line 1, column 1 takes exactly one member, and there are [03]$"):
        world[0].query(text, language="oql").rows()


def test_parameters(world: World) -> None:
    found = world[0].query("select e.name from e in Employees where e.age > $1", language="oql", parameters={"1": 35}).rows()
    assert found == [{"value": "Ann"}]


def test_plain_python(world: World) -> None:
    wh, o = world
    found = wh.query("select struct(n: e.name, c: e.dependents, m: e.manager) from e in Employees", language="oql").objects()
    assert Record(n="Ann", c=frozenset({o["kid"], o["tot"]}), m=None) in found
    assert Record(n="Bob", c=frozenset(), m=o["ann"]) in found
    assert wh.query("select distinct e.age from e in Employees", language="oql").objects() == frozenset({40, 30, None})
    assert wh.query("struct(a: list(2, 1), t: time '10:30:00')", language="oql").objects().a == [2, 1]


BAD: list[tuple[str, type[ParseError], str, int]] = [
    ("select e from e in Employes", UnknownName, "unknown name 'Employes'; did you mean 'Employees'?", 20),
    ("select e.nme from e in Employees", UnknownName, "class 'employee' has no property 'nme'; did you mean 'name'?", 10),
    ("select e.dept.nme from e in Employees", UnknownName, "class 'department' has no property 'nme'", 15),
    ("select name from e in Employees, d in Departments", UnknownName, "'name' is an attribute of several variables (e, d)", 8),
    ("select persn(name: 1) from e in Employees", UnknownName, "unknown class 'persn'; did you mean 'person'?", 8),
    ("(emploee) nil", UnknownName, "unknown type 'emploee'; did you mean 'employee'?", 2),
    ("select e.age.x from e in Employees", TypeMismatch, "'x' is asked of a unsigned short", 14),
    ("select e from e in 3", TypeMismatch, "from takes a collection", 20),
    ("select e.name from e in Employees where e.name", TypeMismatch, "where takes a condition", 43),
    ("1 + \"a\"", TypeMismatch, "+ takes numbers", 3),
    ("1 = \"a\"", TypeMismatch, "a long can never equal a string", 3),
    ("sum(select e.name from e in Employees)", TypeMismatch, "sum takes numbers", 5),
    ("first(set(1))", TypeMismatch, "first takes a list", 7),
    ("list(1) union list(2)", TypeMismatch, "union takes sets and bags", 1),
    ("select e.dept < e.dept from e in Employees", TypeMismatch, "have no order between them", 15),
    ("count(*)", TypeMismatch, "count(*) counts the partition", 1),
    ("(department) element(Employees)", TypeMismatch, "no employee can be a department", 1),
    ("select e.name, e.name from e in Employees", TypeMismatch, "two fields are named 'name'", 1),
    ("define f(long x) as x; f(1, 2)", TypeMismatch, "f takes 1 argument(s), and 2 are given", 24),
    ("define f() as f(); f()", UnknownName, "uses itself", 15),
    ("undefine g; 1", UnknownName, "there is no query 'g'", 10),
    ("$1", UnknownName, "parameter $1 has no value", 1),
    ("date 'x'", TypeMismatch, "'x' is not a date", 1),
    ("set(1) < set(1, 2)", TypeMismatch, "compare what they hold", 8),
    ("struct(a: 1) < struct(a: 2)", TypeMismatch, "compare what they hold", 14),
    ("select e.name from e in Employees order by e.dependents", TypeMismatch, "cannot be ordered by a", 46),
    ("select distinct e.name from e in Employees order by e.age", TypeMismatch, "with distinct, order by can only use", 55),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message", "column"), BAD, ids=[b[0][:60] for b in BAD])
def test_errors_say_where(world: World, text: str, kind: type[ParseError], message: str, column: int) -> None:
    with pytest.raises(kind) as caught:
        world[0].query(text, language="oql")
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (1, column)
