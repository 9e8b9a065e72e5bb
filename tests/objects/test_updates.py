"""Updates of objects, one by one: values, references, inverses, elements, keys, and what is refused."""

from __future__ import annotations

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.objects.schemas import COMPANY, SHAPES, TYPES

import belvedere as bv


@pytest.fixture
def shapes(wh: bv.Warehouse) -> bv.Warehouse:
    wh.odl(SHAPES)
    return wh


@pytest.fixture
def things(wh: bv.Warehouse) -> bv.Warehouse:
    wh.odl(TYPES)
    return wh


def test_an_oid_is_an_int_that_shows_its_class(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        first, second = tx.new("person", name="Ann"), tx.new("employee", name="Bob")
    assert (repr(first), repr(second)) == ("person:1", "employee:1")
    assert isinstance(first, int)
    assert first != second
    assert str(first) == str(int(first))
    assert repr(pickle.loads(pickle.dumps(second))) == "employee:1"
    [row] = company.query(f"select name from Persons where oid = {second}").rows()
    assert row == {"name": "Bob"}


def test_an_object_is_in_the_extents_above_its_class(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        e = tx.new("employee", name="Ann", age=30, salary=10)
        tx.new("person", name="Bob")
    assert {r["name"] for r in company.query("select * from Persons").rows()} == {"Ann", "Bob"}
    assert [r["name"] for r in company.query("select * from Employees").rows()] == ["Ann"]
    with company.transaction() as tx:
        tx.modify(e, name="Anna")
    assert {r["name"] for r in company.query("select * from Persons").rows()} == {"Anna", "Bob"}
    with company.transaction() as tx:
        tx.delete_object(e)
    assert {r["name"] for r in company.query("select * from Persons").rows()} == {"Bob"}
    assert company.query("select * from Employees").rows() == []


def test_one_to_many_from_both_sides(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        d, other = tx.new("department", name="d"), tx.new("department", name="other")
        e, f = tx.new("employee", dept=d), tx.new("employee")
        tx.insert_element(d, "employees", f)
        assert tx.object(d)["employees"] == {e, f}
        assert tx.object(f)["dept"] == d
        tx.modify(other, employees=[e])
        assert tx.object(d)["employees"] == {f}
        assert tx.remove_element(d, "employees", f) is True
        assert tx.remove_element(d, "employees", f) is False
    assert company.object(f)["dept"] is None
    assert company.object(e)["dept"] == other


def test_one_to_one_and_with_itself(shapes: bv.Warehouse) -> None:
    with shapes.transaction() as tx:
        a1, a2, a3 = (tx.new("a") for _ in range(3))
        b1, b2 = tx.new("b", one=a1), tx.new("b", one=a2)
        assert tx.object(a1)["one"] == b1
        tx.modify(a1, one=b2)
        assert [tx.object(o)["one"] for o in (a1, a2, b1, b2)] == [b2, None, None, a1]
        tx.modify(a1, twin=a2)
        assert tx.object(a2)["twin"] == a1
        tx.modify(a3, twin=a1)
        assert [tx.object(o)["twin"] for o in (a1, a2, a3)] == [a3, None, a1]
        tx.modify(a2, twin=a2)
        tx.modify(a2, twin=a3)
        assert [tx.object(o)["twin"] for o in (a1, a2, a3)] == [None, a3, a2]
    assert [shapes.object(o)["twin"] for o in (a1, a2, a3)] == [None, a3, a2]


def test_many_to_many_and_with_itself(shapes: bv.Warehouse) -> None:
    with shapes.transaction() as tx:
        a1, a2 = tx.new("a"), tx.new("c", n=1)
        b1 = tx.new("b", many=[a1, a2, a1])
        b2 = tx.new("b")
        tx.insert_element(a1, "many", b2)
        tx.insert_element(a1, "many", b2)
        assert tx.object(b2)["many"] == [a1]
        assert tx.object(a1)["many"] == {b1, b2}
        tx.insert_element(a1, "friends", a2)
        tx.insert_element(a1, "friends", a1)
        assert tx.object(a2)["friends"] == {a1}
    with shapes.transaction() as tx:
        tx.remove_element(b1, "many", a1)
        tx.remove_element(a2, "friends", a1)
    assert shapes.object(a1)["many"] == {b2}
    assert shapes.object(a1)["friends"] == {a1}
    assert shapes.object(a2)["friends"] == set()


def test_ordered_relationships(shapes: bv.Warehouse) -> None:
    with shapes.transaction() as tx:
        a1, a2, a3 = (tx.new("a") for _ in range(3))
        b1 = tx.new("b", kept=[a1, a2])
        b2 = tx.new("b")
        tx.insert_element(b1, "kept", a3, position=0)
        assert tx.object(b1)["kept"] == [a3, a1, a2]
        assert tx.object(a3)["keeper"] == b1
        tx.insert_element(b1, "kept", a3)
        with pytest.raises(bv.BelvedereError, match="is a member already, at position 1, and a relationship has a member once"):
            tx.insert_element(b1, "kept", a1, position=2)
        assert tx.object(b1)["kept"] == [a3, a1, a2], "neither the one nor the other changed it"
        tx.modify(a1, keeper=b2)
        assert (tx.object(b1)["kept"], tx.object(b2)["kept"]) == ([a3, a2], [a1])
        tx.set_element(b1, "kept", 0, a1)
        assert (tx.object(b1)["kept"], tx.object(b2)["kept"], tx.object(a3)["keeper"]) == ([a1, a2], [], None)
        assert tx.remove_element(b1, "kept", position=1)
        assert tx.object(a2)["keeper"] is None
        tx.modify(a1, ordered=[b2, b1])
        assert tx.object(b1)["unordered"] == {a1}
        tx.modify(a2, left=[b1, b2])
        tx.modify(a3, left=[b1])
        assert tx.object(b1)["right"] == [a2, a3]
        tx.modify(b1, right=[a3, a1])
        assert [tx.object(o)["left"] for o in (a1, a2, a3)] == [[b1], [b2], [b1]]
    assert shapes.object(b1)["right"] == [a3, a1]
    rows = shapes.query("select owner, member, pos from `b.right` order by owner, pos").rows()
    assert [(r["owner"], r["member"], r["pos"]) for r in rows] == [(b1, a3, 0), (b1, a1, 1), (b2, a2, 0)]


def test_bags_of_references_count(shapes: bv.Warehouse) -> None:
    with shapes.transaction() as tx:
        b = tx.new("b")
        a = tx.new("a", several=[b, b])
        tx.insert_element(a, "several", b)
    assert shapes.object(a)["several"] == [b, b, b]
    with shapes.transaction() as tx:
        tx.remove_element(a, "several", b)
    assert shapes.object(a)["several"] == [b, b]
    with shapes.transaction() as tx:
        report = tx.delete_object(b)
    assert [(t.cls, t.property, t.owners, t.count) for t in report.touched] == [("a", "several", (a,), 1)]
    assert shapes.object(a)["several"] == []


EVERYTHING: dict[str, Any] = {
    "id": 1, "a_short": -5, "a_ushort": 65535, "a_ulong": 4294967295, "a_longlong": -(1 << 62), "a_float": 0.5, "a_double": 0.1,
    "a_boolean": True, "a_char": "é", "an_octet": 255, "code": "x", "a_date": dt.date(2020, 2, 29),
    "a_time": dt.time(12, 30, 1, 5), "an_interval": dt.timedelta(days=-1, microseconds=3),
    "a_timestamp": dt.datetime(2020, 2, 29, 1, tzinfo=dt.UTC),
    "colour": "red", "size": "large", "address": bv.Record(street="s", city=None, door="blue"), "spot": bv.Record(x=1.5, y=None),
    "a_set": {1, 2}, "a_bag": ["a", "b", "b"], "a_list": [bv.Record(street="t", city="c", door=None)],
    "an_array": [2.0, 1.0, 2.0], "a_dictionary": {"a": 1, "b": None}, "nested": {frozenset(), frozenset({1, 2})},
    "born": "here", "other": None, "others": [], "named": {},
    "pair": None,
}  # fmt: skip


def test_every_type_comes_back(things: bv.Warehouse, place: Path) -> None:
    with things.transaction() as tx:
        other_form = {"a_set": [2, 1, 2], "a_bag": ("b", "a", "b"), "nested": [[2, 1, 1], []],
                      "spot": {"x": 1.5}, "a_time": "12:30:01.000005"}  # fmt: skip
        t = tx.new("thing", **{**EVERYTHING, **other_form})
        assert tx.object(t) == EVERYTHING
        u = tx.new("thing", id=2, code="y", colour="red", other=t, others=[t, t], named={"t": t}, pair={"left": t, "right": t})
    things.close()
    with bv.open(place / "wh", engine="duckdb") as again:
        assert again.object(t) == EVERYTHING
        assert again.object(u)["others"] == [t, t]
        with again.transaction() as tx:
            report = tx.delete_object(t)
        assert {x.property for x in report.touched} == {"other", "others", "named", "pair"}
        left = again.object(u)
        assert (left["other"], left["others"], left["named"], left["pair"]) == (None, [], {}, bv.Record(left=None, right=None))


def test_elements_of_literal_collections(things: bv.Warehouse) -> None:
    with things.transaction() as tx:
        t = tx.new("thing", id=1, code="x", colour="red")
        for n in (3, 1, 3):
            tx.insert_element(t, "a_set", n)
            tx.insert_element(t, "a_bag", str(n))
            tx.insert_element(t, "an_array", n)
        tx.insert_element(t, "an_array", 9, position=1)
        held = tx.object(t)
        assert (held["a_set"], held["a_bag"], held["an_array"]) == ({1, 3}, ["1", "3", "3"], [3.0, 9.0, 1.0, 3.0])
        assert tx.remove_element(t, "an_array", 3)
        tx.set_element(t, "an_array", 0, 7)
        assert tx.remove_element(t, "an_array", position=2)
        assert tx.object(t)["an_array"] == [7.0, 1.0]
        assert tx.remove_element(t, "a_bag", "3")
        assert not tx.remove_element(t, "a_bag", "9")
        tx.insert_element(t, "a_dictionary", ("k", 1))
        tx.insert_element(t, "a_dictionary", ("k", 2))
        assert tx.object(t)["a_dictionary"] == {"k": 2}
        assert tx.remove_element(t, "a_dictionary", "k")
        tx.modify(t, a_set=None)
    assert things.object(t)["a_set"] == set()
    assert things.object(t)["a_bag"] == ["1", "3"]


REFUSED: list[tuple[dict[str, Any], type[bv.BelvedereError], str]] = [
    ({"a_short": 40000}, bv.TypeMismatch, "thing.a_short"),
    ({"a_ushort": -1}, bv.TypeMismatch, "0 to 65535"),
    ({"a_ulong": 1 << 32}, bv.TypeMismatch, "thing.a_ulong"),
    ({"an_octet": 256}, bv.TypeMismatch, "0 to 255"),
    ({"a_char": "ab"}, bv.TypeMismatch, "one character"),
    ({"a_boolean": 1}, bv.TypeMismatch, "boolean"),
    ({"a_time": "noon"}, bv.TypeMismatch, "hh:mm:ss"),
    ({"an_interval": "1 day"}, bv.TypeMismatch, "timedelta"),
    ({"colour": "gren"}, bv.TypeMismatch, "did you mean 'green'"),
    ({"address": {"stret": "x"}}, bv.UnknownName, "did you mean 'street'"),
    ({"address": 5}, bv.TypeMismatch, "give a dict with the fields street, city, door"),
    ({"a_set": 5}, bv.TypeMismatch, "give a list"),
    ({"a_set": "abc"}, bv.TypeMismatch, "give a list"),
    ({"a_set": [1, "x"]}, bv.TypeMismatch, "thing.a_set"),
    ({"a_dictionary": [1]}, bv.TypeMismatch, "give a dict"),
    ({"a_dictionary": {None: 1}}, bv.TypeMismatch, "nil is no key"),
    ({"colur": "red"}, bv.UnknownName, "did you mean 'colour'"),
    ({"other": "x"}, bv.TypeMismatch, "give the Oid"),
    ({"other": 5}, bv.UnknownName, "no object 5"),
    ({"others": [None]}, bv.TypeMismatch, "nil is no member"),
]


@pytest.mark.parametrize(("attrs", "kind", "said"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_values_that_do_not_fit(things: bv.Warehouse, attrs: dict[str, Any], kind: type[bv.BelvedereError], said: str) -> None:
    epoch = things.epoch
    with pytest.raises(kind, match=said), things.transaction() as tx:
        tx.new("thing", **{"id": 1, "code": "x", "colour": "red", **attrs})
    assert things.epoch == epoch


def test_references_of_the_wrong_class(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        p, e = tx.new("person"), tx.new("employee")
    with company.transaction() as tx:
        with pytest.raises(bv.TypeMismatch, match=r"employee.dept: person:1 is an object of person, and department is expected"):
            tx.modify(e, dept=p)
        with pytest.raises(bv.TypeMismatch, match="employee is expected"):
            tx.modify(e, manager=p)
        tx.modify(e, dependents=[p, e])  # an employee is a person
    assert company.object(e)["dependents"] == {p, e}


def test_dead_and_unknown_objects(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        e, d = tx.new("employee"), tx.new("department")
    with company.transaction() as tx:
        tx.delete_object(d)
        with pytest.raises(bv.UnknownName, match="department:1 was deleted in this transaction"):
            tx.modify(e, dept=d)
    with company.transaction() as tx:
        for act in (lambda: tx.modify(d, name="x"), lambda: tx.delete_object(d), lambda: tx.insert_element(d, "employees", e)):
            with pytest.raises(bv.UnknownName, match="no object department:1; it was deleted, or never made"):
                act()
        with pytest.raises(bv.UnknownName, match="'x' is not an object"):
            tx.modify("x", name="x")  # type: ignore[arg-type]
    with pytest.raises(bv.UnknownName, match=r"employee.dept: there is no object department:1"), company.transaction() as tx:
        tx.modify(e, dept=d)
    assert company.object(e)["dept"] is None


def test_names_that_are_not_there(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        e = tx.new("employee")
        with pytest.raises(bv.UnknownName, match="no class 'employe'; did you mean 'employee'"):
            tx.new("employe")
        with pytest.raises(bv.UnknownName, match="the extent of class 'employee'"):
            tx.new("Employees")
        with pytest.raises(bv.UnknownName, match="no attribute or relationship 'salry'; did you mean 'salary'"):
            tx.modify(e, salry=1)
        with pytest.raises(bv.TypeMismatch, match="not a collection; set it with modify"):
            tx.insert_element(e, "name", "x")
        with pytest.raises(bv.TypeMismatch, match="no positions"):
            tx.insert_element(e, "dependents", e, position=0)
    with pytest.raises(bv.UnknownName, match="no class 'persn'; did you mean 'person'"):
        company.describe("persn")


def test_readonly_and_positions(things: bv.Warehouse) -> None:
    with things.transaction() as tx:
        t = tx.new("thing", id=1, code="x", colour="red", born="here", an_array=[1.0])
        with pytest.raises(bv.BelvedereError, match="born is readonly"):
            tx.modify(t, born="there")
        for act in (
            lambda: tx.insert_element(t, "an_array", 1, position=2),
            lambda: tx.set_element(t, "an_array", 1, 5),
            lambda: tx.remove_element(t, "an_array", position=-1),
        ):
            with pytest.raises(bv.BelvedereError, match="is no position here"):
                act()


def test_keys(things: bv.Warehouse) -> None:
    with things.transaction() as tx:
        t = tx.new("thing", id=1, code="x", colour="red")
        u = tx.new("thing", id=2, code="x", colour="blue")
    with pytest.raises(bv.KeyViolation, match="class thing: two objects would have the key id=1"), things.transaction() as tx:
        tx.new("thing", id=1, code="z", colour="red")
    with pytest.raises(bv.KeyViolation, match="code='x', colour='red'"), things.transaction() as tx:
        tx.modify(u, colour="red")
    with pytest.raises(bv.KeyViolation, match="'code' is nil"), things.transaction() as tx:
        tx.modify(u, code=None)
    with things.transaction() as tx:  # what counts is the end of the transaction
        tx.modify(t, id=2)
        tx.modify(u, id=1)
    assert things.object(u)["id"] == 1


def test_keys_hold_for_the_classes_below(wh: bv.Warehouse) -> None:
    wh.odl("class a (extent As key x) { attribute long x; }; class b extends a (extent Bs) {}; class c extends a (extent Cs) {};")
    with wh.transaction() as tx:
        tx.new("b", x=1)
    with pytest.raises(bv.KeyViolation, match="class a"), wh.transaction() as tx:
        tx.new("c", x=1)


def test_the_tables_of_classes_change_with_objects_only(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        e = tx.new("employee", name="x")
    acts = [
        lambda tx: tx.insert("Employees", [{"oid": 1}]),
        lambda tx: tx.update("employees", {"name": "'y'"}),
        lambda tx: tx.delete("Persons", key=e),
        lambda tx: tx.merge("Persons", [{"oid": 1}]),
        lambda tx: tx.truncate("employee.dependents"),
        lambda tx: tx.drop_relation("Employees"),
        lambda tx: tx.rename_relation("Employees", "x"),
        lambda tx: tx.add_attribute("Employees", "x", "int"),
        lambda tx: tx.drop_attribute("Employees", "name"),
        lambda tx: tx.rename_attribute("employee.dependents", "owner", "x"),
    ]
    for act in acts:
        with pytest.raises(bv.BelvedereError, match=r"keep (extents and )?inverses right"), company.transaction() as tx:
            act(tx)
    for text in ("insert into Employees (oid) values (1)", "delete from Employees", "update Persons set name = 'x'",
                 "merge into Persons p using (select 1 as oid) s on p.oid = s.oid when matched then delete"):  # fmt: skip
        with pytest.raises(bv.BelvedereError, match="keep extents and inverses right"):
            company.execute(text)
    assert company.object(e)["name"] == "x"


def test_sql_sees_the_objects_of_its_own_transaction(company: bv.Warehouse) -> None:
    company.create_table("log", "name string")
    with company.transaction() as tx:
        tx.new("employee", name="Ann")
        rows = tx.select("select name from Persons")
        tx.insert("log", [{"name": n} for n in rows["name"].to_pylist()])
    assert company.query("select * from log").rows() == [{"name": "Ann"}]


def test_rolling_back_leaves_no_trace(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        d = tx.new("department", name="d")
    epoch, before = company.epoch, company.object(d)
    tx = company.transaction()
    tx.odl("class extra (extent Extras) {};")
    tx.new("extra")
    tx.modify(d, name="other")
    e = tx.new("employee", dept=d)
    tx.delete_object(d)
    tx.rollback()
    assert (company.epoch, company.object(d)) == (epoch, before)
    assert company.classes() == ["department", "employee", "person"]
    with company.transaction() as tx:
        assert tx.new("employee") == e  # not even its identity was used up


def test_odl_again_and_after_reopening(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as wh:
        assert wh.odl(COMPANY) == ["person", "department", "employee"]
        with wh.transaction() as tx:
            e = tx.new("employee", name="Ann")
            tx.odl("class boss extends employee (extent Bosses) { attribute set<employee> staff; };")
            tx.new("boss", name="Bea", staff=[e])
        wh.odl("enum Mood { good, bad };")
    with bv.open(place / "wh", engine="duckdb") as wh:
        assert wh.classes() == ["boss", "department", "employee", "person"]
        assert wh.describe("boss")["extends"] == ["employee"]
        assert {r["name"] for r in wh.query("select name from Persons").rows()} == {"Ann", "Bea"}
        wh.odl("class dog (extent Dogs) { attribute Mood mood; };")
        with wh.transaction() as tx:
            assert repr(tx.new("employee")) == "employee:2"
            tx.new("dog", mood="good")
        with pytest.raises(bv.ParseError, match="called like the extent of class dog"):
            wh.odl("class cat (extent dogs) {};")
        wh.create_table("t", "x int")
        with pytest.raises(bv.ParseError, match="extent 'T' is called like a table"):
            wh.odl("class cat (extent T) {};")
        assert "cat" not in wh.classes()
        with pytest.raises(bv.BelvedereError, match="there is a table 'Dogs' already"):
            wh.create_table("Dogs", "x int")


def test_two_writers_never_share_an_identity(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as one, bv.open(place / "wh", engine="duckdb") as two:
        one.odl(COMPANY)
        first, second = one.transaction(), two.transaction()
        first.new("person", name="a")
        second.new("person", name="b")
        first.publish()
        with pytest.raises(bv.Conflict):
            second.publish()
        with two.transaction() as tx:
            assert repr(tx.new("person", name="b")) == "person:2"
        deleting, referring = one.transaction(), two.transaction()
        [p] = [r["oid"] for r in one.query("select oid from Persons where name = 'a'").rows()]
        deleting.delete_object(p)
        referring.new("employee", dependents=[p])
        deleting.publish()
        with pytest.raises(bv.Conflict):
            referring.publish()


def test_a_deletion_says_what_it_touched(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        d = tx.new("department")
        boss = tx.new("employee", dept=d)
        staff = [tx.new("employee", dept=d, manager=boss, dependents=[boss]) for _ in range(3)]
        alone = tx.new("person")
    with company.transaction() as tx:
        report = tx.delete_object(boss)
        assert tx.delete_object(alone).touched == ()
    assert report.oids == (boss,)
    assert [(t.cls, t.property, t.owners) for t in report.touched] == [
        ("department", "employees", (d,)), ("employee", "dependents", tuple(staff)), ("employee", "manager", tuple(staff)),
    ]  # fmt: skip
    assert str(report).splitlines()[0] == "deleted employee:1"
    with company.transaction() as tx:
        both = tx.delete_objects([d, staff[0]])
    assert [(t.cls, t.property, t.owners) for t in both.touched] == [("employee", "dept", tuple(staff[1:]))]
    assert company.object(staff[1])["dept"] is None


def test_an_update_marks_the_columns_that_it_changed(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        e = tx.new("employee", name="Ann", salary=1)
    company.create_view("names", "select name from Employees")
    company.create_view("pay", "select sum(salary) s from Employees")
    company.create_view("people", "select name from Persons")
    with company.transaction() as tx:
        tx.modify(e, salary=2)
    assert company.view("names").status == "fresh"
    assert company.view("people").reason == "nothing that it reads changed"
    assert company.view("pay").status == "stale"
    assert company.view("pay").refresh(strategy="incremental").strategy == "incremental"
    assert company.view("pay").rows() == [{"s": 2}]


def test_an_update_that_fails_changes_nothing(shapes: bv.Warehouse) -> None:
    with shapes.transaction() as tx:
        b, c, dead = tx.new("b"), tx.new("b"), tx.new("b")
        a = tx.new("a", one=b, ordered=[b])
        kept = tx.new("b", kept=[a])
        gone = tx.new("a")
    with shapes.transaction() as tx:
        tx.delete_objects([dead, gone])
    with shapes.transaction() as tx:
        for act in (
            lambda: tx.modify(a, one=dead),
            lambda: tx.modify(a, one=c, nme="x"),
            lambda: tx.modify(a, left=[dead], name=5),
            lambda: tx.new("a", one=dead),
            lambda: tx.set_element(kept, "kept", 0, gone),
            lambda: tx.insert_element(kept, "kept", gone),
            lambda: tx.modify(kept, kept=[gone]),
        ):
            with pytest.raises(bv.BelvedereError):
                act()
    assert shapes.object(a)["one"] == b
    assert shapes.object(kept)["kept"] == [a]
    assert shapes.query("select count(*) n from `As`").rows() == [{"n": 1}]
    tx = shapes.transaction()
    tx.modify(a, ordered=[dead])
    for _ in range(2):  # a reference to nothing is never passed over, however often one looks
        with pytest.raises(bv.UnknownName, match="no object b:3"):
            tx.select("select * from `As`")
    with pytest.raises(bv.UnknownName, match="no object b:3"):
        tx.publish()
    assert shapes.object(a)["ordered"] == [b]


def test_results_as_plain_python(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        d = tx.new("department", name="d")
        e, f = tx.new("employee", name="Ann", salary=1, dept=d), tx.new("employee", name="Bob", salary=2, dept=d)
    staff = company.create_view("staff", "select distinct e from e in Employees", language="oql")
    text = "select struct(n: s.name, d: s.dept) from s in staff order by s.name desc"
    names = company.create_view("names", text, language="oql")
    assert staff.objects() == {e, f}
    assert names.objects() == [bv.Record(n="Bob", d=d), bv.Record(n="Ann", d=d)]
    assert company.query("sum(select e.salary from e in Employees)", language="oql").objects() == 3
    before = company.epoch
    with company.transaction() as tx:
        tx.delete_object(f)
        tx.modify(e, name="Eve")
    assert [r.strategy for r in company.refresh()] == ["incremental", "incremental"]
    assert names.objects() == [bv.Record(n="Eve", d=d)]
    assert len(names.objects(epoch=before)) == 2
    with pytest.raises(bv.BelvedereError, match="for queries and views in OQL"):
        company.query("select 1 x").objects()


def test_a_view_notices_that_a_class_came_below(company: bv.Warehouse) -> None:
    view = company.create_view("v", "select p.name from p in Persons", language="oql", mode="immediate")
    company.odl("class boss extends employee (extent Bosses) { attribute long level; };")
    assert view.status == "fresh"
    with company.transaction() as tx:
        tx.new("boss", name="Bea", level=1)
    assert view.objects() == ["Bea"]
    assert view.verify().ok


def test_a_new_object_loses_members_that_it_got_in_its_own_transaction(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        old = tx.new("department", name="old")
        ann, bob = tx.new("employee", name="Ann", dept=old), tx.new("employee", name="Bob", dept=old)
    with company.transaction() as tx:
        young = tx.new("department", name="young", employees=[])
        tx.insert_element(young, "employees", ann)
        tx.modify(young, employees=[bob])
        assert tx.object(ann)["dept"] is None
    where = company.query("select struct(e: e.name, d: e.dept.name) from e in Employees", language="oql").objects()
    assert {(r.e, r.d) for r in where} == {("Ann", None), ("Bob", "young")}
