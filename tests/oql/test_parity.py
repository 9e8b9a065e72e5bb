"""The same views on both engines, over the same objects: equal rows and types when made and after every refresh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.oql.support import populated
from tests.warehouse.helpers import bag

import belvedere as bv

pytestmark = pytest.mark.spark

VIEWS = {
    "paths": "select struct(n: e.name, d: e.dept.name, m: e.manager.dept.name, u: is_undefined(e.age)) from e in Employees",
    "join": "select struct(E: e.name, D: d.name) from e in Employees, d in Departments where e.dept = d and e.age >= 35",
    "nested": "select struct(n: e.name, kids: (select c.name from c in e.dependents where c.age > 3)) from e in Employees",
    "groups": "select d: d.name, n: count(*), s: sum(select p.e.salary from p in partition), who: (select p.e.name from p in "
    "partition) from e in Employees group by d: e.dept having count(*) > 0",
    "for all": "select e.name from e in Employees where for all c in e.dependents: c.age > 4",
    "ordered": "select struct(n: p.name, a: p.age) from p in Persons order by p.age desc, p.name",
    "distinct": "select distinct struct(d: e.dept.name, m: e.manager) from e in Employees",
    "set operators": "(select p.name from p in Persons) union bag(\"Kid\") except (select e.name from e in Employees) intersect "
    "(select distinct p.name from p in Persons where p.age < 10)",
    "many to many": "select struct(t: p.title, m: m.name) from p in Projects, m in p.members "
    "where exists q in m.projects: q != p",
    "literals": "select struct(t: p.title, s: p.scores[1:2], k: p.counts[\"a\"], y: p.start.year, c: p.colour, "
    "f: first(p.scores), g: p.tags, z: p.place.city) from p in Projects",
    "one value": "struct(n: count(Employees), s: sum(select e.salary from e in Employees))",
    "over a view": "select v.n from v in {} where is_defined(v.d)",
}  # fmt: skip
LOCAL, SPARK = "local", "spark"


def first(tx: Any, o: dict[str, int]) -> None:
    tx.modify(o["bob"], age=41, dept=o["d2"], name="Rob")
    tx.insert_element(o["cy"], "dependents", o["kid"])
    tx.insert_element(o["q"], "members", o["m2"])
    tx.modify(o["p"], scores=[1, 2, 2], counts={"a": 7}, colour="green")
    tx.new("employee", name="Dee", age=41, salary=70, dept=o["d2"], manager=o["bob"], dependents=[o["tot"], o["cy"]])


def second(tx: Any, o: dict[str, int]) -> None:
    tx.delete_object(o["tot"])
    tx.delete_object(o["d1"])
    tx.remove_element(o["p"], "members", o["m1"])
    tx.modify(o["ann"], dept=o["d2"], salary=None, manager=o["cy"])
    tx.modify(o["d2"], name="D9")
    tx.modify(o["q"], marks=[], place={"city": "Oslo", "zip": 2})


def name_of(view: str, engine: str) -> str:
    return f"{view}_{engine}"


def text_of(view: str, engine: str) -> str:
    return VIEWS[view].replace("{}", name_of("paths", engine))


def test_both_engines_keep_the_same_rows(tmp_path: Path, spark: Any) -> None:
    here, o = populated(tmp_path)
    with here, bv.open(here.path, engine="spark", spark=spark) as there:
        on = {LOCAL: here, SPARK: there}
        for engine, wh in on.items():
            for view in VIEWS:
                wh.create_view(name_of(view, engine), text_of(view, engine), language="oql")
        compare(here)
        for change in (first, second):
            with here.transaction() as tx:
                change(tx, o)
            for engine, wh in on.items():
                wanted = "duckdb" if engine == LOCAL else "spark"
                for done in [wh.view(name_of(v, engine)).refresh(strategy="incremental") for v in VIEWS]:
                    assert (done.strategy, done.engine) in (("incremental", wanted), ("none", "none")), done
            compare(here)
        for view in ("nested", "ordered", "literals"):
            mine, theirs = here.view(name_of(view, LOCAL)), there.view(name_of(view, SPARK))
            assert theirs.rows() == mine.rows() if view == "ordered" else bag(theirs.rows()) == bag(mine.rows()), view


def compare(wh: bv.Warehouse) -> None:
    for view in VIEWS:
        mine, theirs = (wh.view(name_of(view, e)) for e in (LOCAL, SPARK))
        assert mine.arrow().schema == theirs.arrow().schema, view
        assert mine.rows() == theirs.rows() if view == "ordered" else bag(mine.rows()) == bag(theirs.rows()), view
        assert mine.rows(), f"{view}: empty, and tells nothing"
        assert mine.verify().ok, view
