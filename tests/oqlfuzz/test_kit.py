"""The kit itself: the reference against hand-made answers, the checker on a warehouse that is right or has a planted fault."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.oqlfuzz.case import ViewSpec
from tests.oqlfuzz.check import check
from tests.oqlfuzz.data import Obj, Rec, bunch
from tests.oqlfuzz.fake import FakeWarehouse, Fault
from tests.oqlfuzz.generator import SEQUENCES, generate
from tests.oqlfuzz.interpret import Reference
from tests.oqlfuzz.kinds import INT, STRING, Coll, Ref
from tests.oqlfuzz.random_schema import random_schema
from tests.oqlfuzz.random_updates import Changer
from tests.oqlfuzz.schema import Cls, Prop, Schema
from tests.oqlfuzz.session import Session
from tests.oqlfuzz.shrink import shrink
from tests.oqlfuzz.world import World

from belvedere.languages.oql.parser import parse

SCHEMA = Schema({
    "P": Cls("P", (), "Ps", None, (
        Prop("name", STRING), Prop("age", INT), Prop("boss", Ref("P")), Prop("tags", Coll("list", INT)),
    )),
    "D": Cls("D", (), "Ds", None, (Prop("name", STRING), Prop("staff", Coll("set", Ref("E")), ("E", "dept")))),
    "E": Cls("E", ("P",), "Es", None, (Prop("dept", Ref("D"), ("D", "staff")),)),
})  # fmt: skip


def world() -> World:
    w = World(SCHEMA)
    w.new(1, "P", {"name": "a", "age": 1, "tags": bunch("list", [3, 1, 3])})
    w.new(2, "D", {"name": "x"})
    w.new(3, "D", {"name": "y"})
    w.new(4, "E", {"name": "b", "age": 2, "dept": Obj(2), "boss": Obj(1)})
    w.new(5, "E", {"name": "b", "dept": Obj(2), "boss": Obj(4)})
    return w


ANSWERS: list[tuple[str, Any]] = [
    ("select p.name from p in Ps", bunch("bag", ["a", "b", "b"])),
    ("select distinct p.name from p in Ps", bunch("set", ["a", "b"])),
    ("select p.boss.name from p in Ps", bunch("bag", [None, "a", "b"])),
    ("count(select p.age from p in Ps)", 3),
    ("sum(select p.age from p in Ps)", 3),
    ("sum(select p.age from p in Ps where false)", 0),
    ("max(select p.age from p in Ps where false)", None),
    ("select e from e in Es where e.age < 5 or e.age >= 5", bunch("bag", [Obj(4)])),
    ("select p from p in Ps where p.boss = nil", bunch("bag", [Obj(1)])),
    ("select t from p in Ps, t in p.boss.tags", bunch("bag", [1, 3, 3])),
    ("for all p in Ps: p.age > 0", None),
    ("exists p in Ps: p.age > 0", True),
    ("first(select p.age from p in Ps order by p.age)", None),
    ("first(select p.age from p in Ps order by p.age desc)", 2),
    ("element(select p.tags from p in Ps where p.name = \"a\")[1:7]", bunch("list", [1, 3])),
    ("bag(1, 1, 2) except bag(1)", bunch("bag", [1, 2])),
    ("set(1, 2) union bag(1)", bunch("bag", [1, 1, 2])),
    ("bag(1, 1, 2) intersect bag(1, 1, 1)", bunch("bag", [1, 1])),
    ("flatten(list(list(2), list(1, 2)))", bunch("list", [2, 1, 2])),
    ("flatten(list(set(2), set(1, 2)))", bunch("set", [1, 2])),
    ("3 in list(1, undefined)", None),
    ("1 < all list()", True),
    ("unique(Ds)", False),
    ("select a, n: count(*) from e in Ps group by a: e.age having a > 0",
     bunch("bag", [Rec((("a", 1), ("n", 1))), Rec((("a", 2), ("n", 1)))])),
    ("select count(partition) from e in Ps group by a: e.name", bunch("bag", [1, 2])),
    ("define q(long n) as select p from p in Ps where p.age = n; q(2)", bunch("bag", [Obj(4)])),
    ("select distinct d.name, s: (select e.name from e in d.staff) from d in Ds",
     bunch("set", [Rec((("name", "x"), ("s", bunch("bag", ["b", "b"])))), Rec((("name", "y"), ("s", bunch("bag", []))))])),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ANSWERS, ids=[t for t, _ in ANSWERS])
def test_the_reference_knows_what_oql_means(text: str, expected: Any) -> None:
    reference = Reference(SCHEMA, (ViewSpec("v", parse(text), text),))
    assert reference.values(world())["v"] == expected


def test_the_other_side_follows() -> None:
    w = world()
    w.modify(4, {"dept": Obj(3)})
    assert w.get(Obj(2), "staff") == bunch("set", [Obj(5)])
    w.modify(2, {"staff": bunch("set", [Obj(4)])})
    assert (w.get(Obj(4), "dept"), w.get(Obj(5), "dept"), w.get(Obj(3), "staff")) == (Obj(2), None, bunch("set", []))
    w.delete(4)
    assert w.get(Obj(5), "boss") is None
    assert w.get(Obj(2), "staff") == bunch("set", [])


@pytest.mark.parametrize("seed", range(40))
def test_random_updates_leave_no_dangling_side(seed: int) -> None:
    rng = random.Random(seed)
    changer = Changer(rng, random_schema(rng))
    changer.population()
    changer.transactions(10)
    assert list(changer.world.faults()) == []


@pytest.mark.parametrize("seed", range(10))
def test_the_reference_agrees_with_itself(seed: int) -> None:
    case = generate(str(seed))
    assert check(FakeWarehouse(case), case) is None


def loses_a_row(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows[1:]


def doubles_a_row(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows + rows[:1]


@pytest.mark.parametrize("fault", [loses_a_row, doubles_a_row])
def test_a_fault_is_caught_and_made_small(fault: Fault) -> None:
    cases = (generate(str(s)) for s in range(20))
    found = next(f for f in (check(FakeWarehouse(c, fault), c) for c in cases) if f is not None)
    assert found.check == "rows"
    small = shrink(found, lambda c: check(FakeWarehouse(c, fault), c), seconds=5)
    assert len(small.case.views) == 1
    assert sum(len(t.steps) for t in small.case.transactions) <= 1
    assert len(small.case.views[0].text) <= len(next(v.text for v in found.case.views if v.name == found.view))


def test_a_seed_is_a_case() -> None:
    assert generate("7") == generate("7")
    assert generate("7").views != generate("8").views
    assert generate("7", views=2).views == generate("7").views[:2]


def test_every_form_of_the_grammar_appears() -> None:
    session = Session()
    for seed in range(120):
        session.case(str(seed))
    used = session.coverage.tally.used
    wanted = {
        "select", "distinct", "where", "group by", "having", "order by", "select *", "several iterators", "call", "define",
        "undefine", "for all", "exists:", "=", "!=", "<", "<=", ">", ">=", "= any", "= all", "like", "in", "+", "-", "*", "/",
        "mod", "||", "union", "except", "intersect", "and", "or", "not", "abs", "- of one", "+ of one", "cast", "path", "index",
        "slice", "struct", "set(…)", "bag(…)", "list(…)", "array(…)", "listtoset", "element", "flatten", "first", "last",
        "unique", "exists", "sum", "min", "max", "avg", "count", "countall", "is_defined", "is_undefined", "nil", "undefined",
        "Class(…)", "$n", "integer", "float", "string", "boolean", "date", "timestamp", "iterator without a name",
    }  # fmt: skip
    assert wanted - set(used) == set()
    assert session.coverage.cases >= 120 * 5 * SEQUENCES
