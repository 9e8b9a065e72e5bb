"""Loading: every form of data, tables made on the way."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.warehouse.helpers import bag, unchanged

import belvedere as bv

ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


def forms(place: Path) -> dict[str, object]:
    (place / "x.csv").write_text("id,name\n1,a\n2,\n", encoding="utf-8")
    (place / "x.json").write_text(json.dumps(ROWS), encoding="utf-8")
    (place / "x.jsonl").write_text("".join(json.dumps(r) + "\n" for r in ROWS), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(ROWS), place / "x.parquet")
    return {
        "csv": place / "x.csv", "json": str(place / "x.json"), "jsonl": place / "x.jsonl", "parquet": place / "x.parquet",
        "dicts": ROWS, "arrow": pa.Table.from_pylist(ROWS), "pandas": pd.DataFrame(ROWS), "polars": pl.DataFrame(ROWS),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet", "dicts", "arrow", "pandas", "polars"])
def test_load_makes_the_table_and_adds_to_it(wh: bv.Warehouse, place: Path, form: str) -> None:
    data = forms(place)[form]
    assert wh.load("t", data, key="id") == 2
    assert wh.epoch == 1
    assert bag(wh.query("select * from t").rows()) == bag(ROWS)
    assert str(wh.table_schema("t")["id"].type) == "bigint"
    with unchanged(wh), pytest.raises(bv.KeyViolation, match="the key id="):
        wh.load("t", data)
    with wh.transaction() as tx:
        tx.truncate("t")
    assert wh.load("t", data) == 2
    assert bag(wh.query("select * from t").rows()) == bag(ROWS)


def test_load_into_a_typed_table(wh: bv.Warehouse, place: Path) -> None:
    wh.create_table("t", "id bigint, amount decimal(12,2)", key="id")
    view = wh.create_view("v", "select sum(amount) total from t", mode="immediate")
    (place / "x.csv").write_text("id,amount\n1,9.50\n2,\n", encoding="utf-8")
    assert wh.load("t", place / "x.csv") == 2
    assert view.rows() == [{"total": Decimal("9.50")}]


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("x.csv", "id,name\n1,a\n2,b,c\n3,d\n", ["x.csv", "line 3"]),
        ("x.csv", 'id,name\n1,a\n2,"b\n', ["x.csv", "line 3"]),
        ("x.csv", "id,name\n1,a\nzwei,b\n", ["zwei", "line 3"]),
        ("x.jsonl", '{"id": 1}\n{"id": \n', ["x.jsonl", "line 2"]),
        ("x.csv", "id,nmae\n1,a\n", ["nmae", "did you mean 'name'"]),
        ("missing.csv", None, ["missing.csv"]),
        ("x.xlsx", "?", ["x.xlsx"]),
    ],
)
def test_a_broken_file_is_named(wh: bv.Warehouse, place: Path, name: str, text: str | None, parts: list[str]) -> None:
    wh.create_table("t", "id bigint, name string", key="id")
    if text is not None:
        (place / name).write_text(text, encoding="utf-8")
    with unchanged(wh), pytest.raises(bv.BelvedereError) as caught:
        wh.load("t", place / name)
    for part in parts:
        assert part in str(caught.value)
