"""Views in SchemaSQL kept on Spark are those kept in-process: relations, columns and rows, through changes of data and schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import AIRLINES, UNIVERSITIES, fill
from tests.schemasql.texts import AIRLINE, QUERIES

import belvedere as bv

NUMBERS = (7, 10)


def change_data(tx: Any) -> None:
    tx.insert("LH", [{"Destination": "Berlin", "Business": 1400, "Economy": 610}])
    tx.insert("univ-A.salInfo", [{"dept": "arts", "category": "Prof", "salFloor": 41}])
    tx.delete("univ-A.salInfo", where="dept = 'bio'")
    tx.update("univ-C.math", {"salFloor": 45}, where="category = 'Prof'")


def change_schema(tx: Any) -> None:
    tx.rename_relation("BA", "British")
    tx.drop_attribute("univ-B.salInfo", "math")
    tx.add_attribute("univ-B.salInfo", "law", "int")
    tx.add_relation("univ-C.law", "category string, salFloor int")
    tx.insert("univ-C.law", [{"category": "Prof", "salFloor": 90}])
    tx.drop_relation("univ-C.cs")


def content(wh: bv.Warehouse) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for v in wh.views():
        for relation in v.relations() or [None]:
            table = v.arrow() if relation is None else v.relation(relation).arrow()
            found[f"{v.name}/{relation}"] = (table.schema, sorted(table.to_pylist(), key=repr))
    return found


@pytest.mark.spark
def test_the_same_on_both_engines(tmp_path: Path, spark: Any) -> None:
    places = {
        "spark": bv.open(tmp_path / "spark", engine="spark", spark=spark),
        "duckdb": bv.open(tmp_path / "duckdb", engine="duckdb"),
    }
    states: dict[str, list[Any]] = {}
    for name, wh in places.items():
        with wh:
            fill(wh, {**AIRLINES, **UNIVERSITIES})
            wh.create_view("flights", AIRLINE, language="schemasql")
            for n in NUMBERS:
                wh.create_view(f"q{n}", QUERIES[n], language="schemasql")
            states[name] = [content(wh)]
            for change in (change_data, change_schema):
                with wh.transaction() as tx:
                    change(tx)
                assert {r.engine for r in wh.refresh()} <= {name, "none"}
                states[name].append(content(wh))
            assert all(v.verify().ok for v in wh.views())
    assert states["spark"] == states["duckdb"]
    assert len({repr(s) for s in states["duckdb"]}) == 3
