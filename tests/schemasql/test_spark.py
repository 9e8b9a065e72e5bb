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


@pytest.mark.spark
def test_readers_and_reasons_on_spark(tmp_path: Path, spark: Any) -> None:
    """Names that change under a SQL view, and what is told of violated keys."""
    with bv.open(tmp_path / "wh", engine="spark", spark=spark) as wh:
        fill(wh, AIRLINES)
        text = "create view {} as select {} from -> A, A T where A like '__'"
        wh.create_view("w", text.format("o::all(line, v)", "A, T.Economy"), language="schemasql")
        reader = wh.create_view("reader_of_w", "select line, sum(v) s from o.all group by line")
        with wh.transaction() as tx:
            tx.rename_relation("BA", "KL")
        wh.view("w").refresh()
        done = reader.refresh(strategy="incremental")
        assert (done.strategy, done.engine) == ("incremental", "spark")
        assert sorted(tuple(r.values()) for r in reader.rows()) == [("KL", 1075), ("LH", 1200)]
        assert reader.verify().ok
        twice = wh.create_view("twice", text.format("p::all(A)", "T.Economy"), language="schemasql")
        assert twice.reason == "one cell has more than one value: column='KL': 475, 600; column='LH': 500, 700"
