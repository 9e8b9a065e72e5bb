"""Many objects at once: the same as one by one, only faster."""

from __future__ import annotations

import random
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pytest
from tests.objects.schemas import COMPANY, SHAPES, TYPES

import belvedere as bv

MANY = ("many", "ordered", "left", "friends", "several")


def rows_of(rng: random.Random, objects: list[Any], others: list[Any]) -> list[dict[str, Any]]:
    """New objects of class a that are related to old ones in every way."""
    made = []
    for n in range(8):
        row: dict[str, Any] = {"name": f"n{n}"}
        for p in ("one", "parent", "keeper"):
            row[p] = rng.choice([None, *others])
        row["twin"] = rng.choice([None, *objects])
        for p in MANY:
            row[p] = [rng.choice(objects if p == "friends" else others) for _ in range(rng.randrange(4))]
        made.append(row)
    return made


def fill(wh: bv.Warehouse) -> tuple[list[Any], list[Any]]:
    wh.odl(SHAPES)
    with wh.transaction() as tx:
        objects = [tx.new("a", name=f"old{n}") for n in range(4)]
        others = [tx.new("b", name=f"b{n}", kept=[objects[n]], right=objects[: n + 1]) for n in range(4)]
    return objects, others


def content(wh: bv.Warehouse) -> dict[str, Any]:
    return {t: sorted(map(repr, wh.query(f"select * from `{t}`").rows())) for t in wh.tables()}


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_is_as_good_as_one_by_one(place: Path, seed: int) -> None:
    found = []
    for way in ("one", "dicts", "arrow"):
        rng = random.Random(seed)
        with bv.open(place / way, engine="duckdb") as wh:
            objects, others = fill(wh)
            rows = rows_of(rng, objects, others)
            with wh.transaction() as tx:
                tx.modify(others[0], name="before")
                if way == "one":
                    # a batch sets each property of all objects before it comes to the next one
                    oids = [tx.new("c", name=r["name"]) for r in rows]
                    for p in ("one", "parent", "keeper", "twin", *MANY):
                        for oid, r in zip(oids, rows, strict=True):
                            tx.modify(oid, **{p: r[p]})
                else:
                    given = rows if way == "dicts" else pa.Table.from_pylist(rows)
                    assert tx.new_many("c", given).to_pylist() == [objects[0] - (1 << 40) + (3 << 40) + n for n in range(8)]
                tx.insert_element(others[1], "kept", objects[0])
            found.append(content(wh))
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_the_other_side_in_a_batch(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as wh:
        objects, others = fill(wh)
        with wh.transaction() as tx:
            rows = [{"children": objects[:2], "kept": [objects[1], objects[0]]}, {"children": [objects[1]]}]
            new = tx.new_many("b", rows).to_pylist()
            assert tx.object(new[0])["children"] == {objects[0]}
            assert tx.object(new[0])["kept"] == [objects[1], objects[0]]
        assert wh.object(objects[1])["parent"] == new[1]
        assert wh.object(others[0])["kept"] == []


def test_every_type_in_a_batch(wh: bv.Warehouse) -> None:
    wh.odl(TYPES)
    row = {"id": 1, "code": "x", "colour": "red", "a_set": {2, 1}, "a_bag": ["b", "a"], "a_dictionary": {"k": 1},
           "a_time": "12:00", "address": {"street": "s"}, "a_char": "c", "an_octet": 7}  # fmt: skip
    with wh.transaction() as tx:
        one = tx.new("thing", **row)
        tx.modify(one, id=0, code="y")
        [oid] = tx.new_many("thing", [row]).to_pylist()
    assert wh.object(oid) == {**wh.object(one), "id": 1, "code": "x"}


WRONG: list[tuple[Any, type[bv.BelvedereError], str]] = [
    ([{"id": 1, "colour": "gren"}], bv.TypeMismatch, "thing.colour, row 1: 'gren' does not fit; did you mean 'green'"),
    (pa.table({"id": [1, 2], "an_octet": [1, 256]}), bv.TypeMismatch, "thing.an_octet, row 2: 256 does not fit"),
    ([{"a_char": ""}], bv.TypeMismatch, "give one character"),
    ([{"id": "x"}], bv.TypeMismatch, "row 1, column id"),
    ([{"idd": 1}], bv.UnknownName, "did you mean 'id'"),
    ([{"other": 5}], bv.UnknownName, "thing.other: there is no object 5"),
    ([{"other": (1 << 40) + 5}], bv.UnknownName, "there is no object thing:5"),
    (pa.table({"others": [[(1 << 40) + 5]]}), bv.UnknownName, "there is no object thing:5"),
    (pa.table({"others": [[None]]}, schema=pa.schema([("others", pa.list_(pa.int64()))])), bv.TypeMismatch, "nil is no member"),
    ([{"id": 1, "code": "x", "colour": "red"}, {"id": 1, "code": "y", "colour": "red"}], bv.KeyViolation, "the key id=1"),
]


@pytest.mark.parametrize(("data", "kind", "said"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_what_does_not_fit(wh: bv.Warehouse, data: Any, kind: type[bv.BelvedereError], said: str) -> None:
    wh.odl(TYPES)
    epoch = wh.epoch
    with pytest.raises(kind, match=said), wh.transaction() as tx:
        tx.new_many("thing", data)
    assert wh.epoch == epoch


def test_references_of_the_wrong_class_in_a_batch(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        p = tx.new("person")
        with pytest.raises(bv.TypeMismatch, match=r"employee.dept: person:1 is an object of person, and department is expected"):
            tx.new_many("employee", pa.table({"dept": pa.array([None, p], pa.int64())}))


def test_loading_an_extent_makes_objects(company: bv.Warehouse, place: Path) -> None:
    assert company.load("Departments", [{"name": "a"}, {"name": "b"}]) == 2
    d = company.query("select oid from Departments order by name").rows()[0]["oid"]
    file = place / "people.csv"
    file.write_text(f"name,age,dept\nAnn,30,{d}\nBob,,\n")
    assert company.load("Employees", file) == 2
    assert company.load("persons", pa.table({"name": ["Kid"]})) == 1
    assert company.query("select count(*) n from Persons").rows() == [{"n": 3}]
    [kid] = [r["oid"] for r in company.query("select oid from Persons where name = 'Kid'").rows()]
    more = place / "people.jsonl"
    more.write_text(f'{{"name": "Eve", "dependents": [{kid}]}}\n')
    assert company.load("Employees", more) == 1
    assert company.query("select member from `employee.dependents`").rows() == [{"member": kid}]
    with company.transaction() as tx:
        assert len(tx.new_many("person", [])) == 0
        assert len(tx.object(d)["employees"]) == 1


def test_many_modifications(company: bv.Warehouse) -> None:
    with company.transaction() as tx:
        oids = tx.new_many("employee", [{"salary": n} for n in range(100)]).to_pylist()
    with company.transaction() as tx:
        assert tx.modify_many({"oid": o, "salary": 7, "manager": oids[0]} for o in oids) == 100
        with pytest.raises(bv.BelvedereError, match="every row needs the object's oid"):
            tx.modify_many([{"salary": 1}])
    assert company.query("select sum(salary) s, count(manager) m from Employees").rows() == [{"s": 700, "m": 100}]


@pytest.mark.slow
def test_a_hundred_thousand_objects(place: Path) -> None:
    count = 100_000
    with bv.open(place / "wh", engine="duckdb") as wh:
        wh.odl(COMPANY)
        with wh.transaction() as tx:
            depts = tx.new_many("department", [{"name": f"d{n}"} for n in range(100)]).to_pylist()
        names = [f"e{n}" for n in range(count)]
        data = pa.table({"name": names, "salary": range(count), "dept": [depts[n % 100] for n in range(count)]})
        start = perf_counter()
        with wh.transaction() as tx:
            oids = tx.new_many("employee", data)
        assert perf_counter() - start < 10
        assert len(oids) == count
        assert len(wh.object(depts[0])["employees"]) == count // 100


@pytest.mark.spark
def test_objects_from_a_spark_data_frame(place: Path, spark: Any) -> None:
    """A hundred thousand of them, with references."""
    count = 100_000
    with bv.open(place / "wh", engine="spark", spark=spark) as wh:
        wh.odl(COMPANY)
        with wh.transaction() as tx:
            depts = tx.new_many("department", [{"name": f"d{n}"} for n in range(4)]).to_pylist()
        dept = f"element_at(array({', '.join(f'{int(d)}L' for d in depts)}), cast(id % 4 as int) + 1)"
        frame = spark.range(count).selectExpr("concat('e', id) as name", "id as salary", f"{dept} as dept")
        with wh.transaction() as tx:
            oids = tx.new_many("employee", frame)
        assert len(set(oids.to_pylist())) == count
        assert wh.load("Employees", frame.limit(10)) == 10
        found = wh.query("select dept, count(*) n, sum(salary) s from Employees where salary >= 10 group by dept").rows()
        assert {r["dept"]: r["n"] for r in found} == {int(d): count // 4 - n for d, n in zip(depts, (3, 3, 2, 2), strict=True)}
        assert sum(r["s"] for r in found) == sum(range(10, count))
