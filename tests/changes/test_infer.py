from __future__ import annotations

import decimal
from datetime import date, datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from belvedere.changes.rows import infer_schema, to_table
from belvedere.errors import TypeMismatch

D = decimal.Decimal

KNOWN: list[tuple[Any, str]] = [
    ([{"a": 1, "b": "x"}, {"b": None, "c": True}], "a bigint, b string, c boolean"),
    ([{"a": 1}, {"a": 1.5}], "a double"),
    ([{"a": 1.5}, {"a": 1}], "a double"),
    ([{"a": 2**70}], "a decimal(38,0)"),
    ([{"a": 1}, {"a": D("9.50")}, {"a": D("9.5")}], "a decimal(38,2)"),
    ([{"a": b""}], "a binary"),
    ([{"a": date(2020, 1, 1)}], "a date"),
    ([{"a": datetime(2020, 1, 1)}], "a timestamp"),
    ([{"a": []}, {"a": [1, None]}], "a array<bigint>"),
    ([{"a": {"x": 1}}, {"a": {"y": [1.5]}}], "a struct<x:bigint,y:array<double>>"),
    ([{"a": None}], "a string"),
    ([{"a": [[]]}], "a array<array<string>>"),
    ({"a": 1}, "a bigint"),
    (pa.table({"a": pa.array([1], pa.uint8()), "b": pa.nulls(1)}), "a smallint, b string"),
    (pd.DataFrame({"a": [1, 2], "o": [1.5, "x"]}).drop(columns="o"), "a bigint"),
    (pl.DataFrame({"a": ["x"], "b": [[1]]}), "a string, b array<bigint>"),
]


@pytest.mark.parametrize(("data", "schema"), KNOWN, ids=range(len(KNOWN)))
def test_infer(data: Any, schema: str) -> None:
    found = infer_schema(data)
    assert str(found) == schema
    to_table(data, found)


REFUSED: list[tuple[Any, str]] = [
    ([{"a": 1}, {"a": "x"}], "row 2, column a: 'x' is string, the rows before hold bigint"),
    ([{"a": True}, {"a": 1}], "row 2, column a: 1 is bigint, the rows before hold boolean"),
    ([{"a": [1]}, {"a": ["x"]}], "row 2, column a"),
    ([{"a": [1, "x"]}], "row 1, column a: [1, 'x']"),
    ([{"a": {"x": 1}}, {"a": {"x": "y"}}], "row 2, column a"),
    ([{"a": date(2020, 1, 1)}, {"a": datetime(2020, 1, 1)}], "row 2, column a"),
    ([{"a": object()}], "cannot be stored"),
    ([{"a": D("NaN")}], "cannot be stored"),
    ([], "there is no row"),
    ([{"_w": 1}], "a column cannot be called _w"),
    ([{"": 1}], "name that is not empty"),
    (pa.table({"a": pa.array([1], pa.time64("us"))}), "column a"),
    (pd.DataFrame({"o": [1.5, "x"]}), "row 2, column o"),
    ([(1, 2)], "is not a row"),
]


@pytest.mark.parametrize(("data", "words"), REFUSED, ids=range(len(REFUSED)))
def test_refused(data: Any, words: str) -> None:
    with pytest.raises(TypeMismatch) as caught:
        infer_schema(data, what="table t")
    assert words in str(caught.value)
    assert str(caught.value).startswith("table t")
