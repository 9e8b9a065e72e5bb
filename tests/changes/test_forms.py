"""The same rows handed over in every form give the same table; and what is wrong with a form is said."""

from __future__ import annotations

import decimal
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass
from datetime import UTC, date, datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from tests.changes.strategies import canon, tables

from belvedere.algebra.types import Column, Schema, parse_schema, to_arrow
from belvedere.changes.rows import to_table
from belvedere.changes.zset import to_rows
from belvedere.errors import TypeMismatch, UnknownName

SCHEMA = parse_schema(
    "id bigint, ok boolean, f double, d decimal(12,2), s string, b binary, day date, at timestamp, wall timestamp_ntz, "
    "tags array<string>, p struct<x:int,y:string>"
)
ROWS: list[dict[str, Any]] = [
    {
        "id": 1, "ok": True, "f": 1.5, "d": decimal.Decimal("9.50"), "s": "🦉", "b": b"\x00", "day": date(1960, 1, 1),
        "at": datetime(2020, 1, 1, tzinfo=UTC), "wall": datetime(2020, 1, 1, 12), "tags": ["a", None], "p": {"x": 1, "y": None},
    },
    {
        "id": -2, "ok": False, "f": float("inf"), "d": decimal.Decimal("-0.01"), "s": "", "b": b"", "day": date(2024, 2, 29),
        "at": datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), "wall": datetime(1, 1, 1), "tags": [], "p": {"x": None, "y": "z"},
    },
    dict.fromkeys(SCHEMA.names),
]  # fmt: skip


class FakeSparkFrame:
    """Speaks as Spark's DataFrame does: toArrow, and nothing of the Arrow C interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def toArrow(self) -> pa.Table:  # noqa: N802
        return self._table


class FakeRow(tuple[Any, ...]):
    """As Spark's Row: a tuple with __fields__."""

    __fields__ = SCHEMA.names


def _arrow() -> pa.Table:
    return pa.Table.from_pylist(ROWS, schema=pa.schema([(c.name, to_arrow(c.type)) for c in SCHEMA]))


def _tuples(kind: Any) -> list[Any]:
    return [kind(*r.values()) for r in ROWS]


FORMS: dict[str, Callable[[], Any]] = {
    "dicts": lambda: ROWS,
    "generator": lambda: (r for r in ROWS),
    "tuples": lambda: [tuple(r.values()) for r in ROWS],
    "namedtuples": lambda: _tuples(namedtuple("Row", SCHEMA.names)),
    "dataclasses": lambda: _tuples(make_dataclass("Row", SCHEMA.names)),
    "spark rows": lambda: [FakeRow(r.values()) for r in ROWS],
    "upper case": lambda: [{k.upper(): v for k, v in r.items()} for r in ROWS],
    "arrow": _arrow,
    "arrow in chunks": lambda: pa.concat_tables([_arrow().slice(i, 1) for i in range(3)]),
    "arrow reordered": lambda: _arrow().select(list(reversed(SCHEMA.names))),
    "batch": lambda: _arrow().to_batches()[0],
    "reader": lambda: _arrow().to_reader(),
    "pandas": lambda: _arrow().to_pandas(),
    "pandas arrow": lambda: _arrow().to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.from_arrow(_arrow()),
    "polars lazy": lambda: pl.from_arrow(_arrow()).lazy(),
    "spark": lambda: FakeSparkFrame(_arrow()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_table(form: str) -> None:
    table = to_table(FORMS[form](), SCHEMA, what="table t")
    assert table.schema == pa.schema([(c.name, to_arrow(c.type)) for c in SCHEMA])
    assert [canon(r) for r in to_rows(table)] == [canon(r) for r in ROWS]


@pytest.mark.parametrize("row", [ROWS[0], namedtuple("Row", SCHEMA.names)(*ROWS[0].values())])
def test_one_row(row: Any) -> None:
    assert to_rows(to_table(row, SCHEMA)) == [ROWS[0]]


CASTS: list[tuple[pa.Array, str, list[Any]]] = [
    (pa.array([1, None], pa.uint64()), "bigint", [1, None]),
    (pa.array([1], pa.int64()), "tinyint", [1]),
    (pa.array([1.0, None]), "bigint", [1, None]),
    (pa.array([7], pa.int64()), "decimal(5,2)", [decimal.Decimal("7.00")]),
    (pa.array([7], pa.int64()), "double", [7.0]),
    (pa.array([0.5], pa.float32()), "double", [0.5]),
    (pa.array([-0.0]), "double", [0.0]),
    (pa.array([decimal.Decimal("1.50")], pa.decimal256(50, 2)), "decimal(5,1)", [decimal.Decimal("1.5")]),
    (pa.array(["1", "-2", None]), "int", [1, -2, None]),
    (pa.array(["1.5", "NaN"]), "double", [1.5, float("nan")]),
    (pa.array(["9.5", "10"]), "decimal(12,2)", [decimal.Decimal("9.50"), decimal.Decimal("10.00")]),
    (pa.array(["2020-01-01", "0001-01-01"]), "date", [date(2020, 1, 1), date(1, 1, 1)]),
    (pa.array(["2020-01-01 00:00:00"]), "timestamp", [datetime(2020, 1, 1, tzinfo=UTC)]),
    (pa.array(["2020-01-01T02:00:00+02:00"]), "timestamp", [datetime(2020, 1, 1, tzinfo=UTC)]),
    (pa.array(["true", "FALSE"]), "boolean", [True, False]),
    (pa.array(["a", "b", "a"]).dictionary_encode(), "string", ["a", "b", "a"]),
    (pa.array(["a"], pa.large_string()), "string", ["a"]),
    (pa.array(["a"], pa.string_view()), "string", ["a"]),
    (pa.array([b"ab"], pa.binary(2)), "binary", [b"ab"]),
    (pa.array([b"ab"], pa.large_binary()), "binary", [b"ab"]),
    (pa.array([datetime(2020, 1, 1)], pa.timestamp("ns")), "timestamp", [datetime(2020, 1, 1, tzinfo=UTC)]),
    (pa.array([datetime(2020, 1, 1)], pa.timestamp("s", "America/Lima")), "timestamp", [datetime(2020, 1, 1, tzinfo=UTC)]),
    (pa.array([date(2020, 1, 1)], pa.date64()), "date", [date(2020, 1, 1)]),
    (pa.array([date(2020, 1, 1)]), "timestamp_ntz", [datetime(2020, 1, 1)]),
    (pa.array([[1, None]], pa.large_list(pa.int16())), "array<int>", [[1, None]]),
    (pa.array([[1, 2]], pa.list_(pa.int64(), 2)), "array<bigint>", [[1, 2]]),
    (pa.array([[-0.0]]), "array<double>", [[0.0]]),
    (pa.array([[("b", 1), ("a", 2)]], pa.map_(pa.string(), pa.int8())), "map<string,int>", [{"a": 2, "b": 1}]),
    (pa.array([{"Y": "q"}]), "struct<x:int,y:string>", [{"x": None, "y": "q"}]),
    (pa.nulls(2), "array<int>", [None, None]),
    (pa.array(['{"b":1, "a":2}']), "variant", ['{"a":2,"b":1}']),
]  # fmt: skip


@pytest.mark.parametrize(("values", "wanted", "stored"), CASTS, ids=lambda v: str(getattr(v, "type", ""))[:30])
def test_arrow_of_other_types(values: pa.Array, wanted: str, stored: list[Any]) -> None:
    schema = Schema.of(v=wanted)
    for column in (values, pa.chunked_array([values, values.slice(0, 0)]), pa.concat_arrays([values, values]).slice(len(values))):
        table = to_table(pa.table({"v": column}), schema)
        assert table.schema.field("v").type == to_arrow(schema["v"].type)
        assert [canon(r["v"]) for r in to_rows(table)] == [canon(v) for v in stored]


BAD_CASTS: list[tuple[pa.Array, str, str]] = [
    (pa.array([1, 300]), "tinyint", "row 2, column v: 300 is not a tinyint"),
    (pa.array([1.0, 1.5]), "bigint", "row 2, column v: 1.5"),
    (pa.array(["1", "x"]), "int", "row 2, column v: 'x'"),
    (pa.array(["1", "0x1F"]), "int", "row 2, column v: '0x1F'"),
    (pa.array([0, 2**53 + 1]), "double", "row 2, column v: 9007199254740993"),
    (pa.array([1, 2]), "string", "row 1, column v: 1 is not a string"),
    (pa.array([True, False]), "bigint", "row 1, column v: True"),
    (pa.array([1, 0]), "boolean", "row 1, column v: 1"),
    (pa.array([decimal.Decimal("1.5"), decimal.Decimal("1.55")]), "decimal(5,1)", "row 2, column v: Decimal('1.55')"),
    (pa.array([1, 10**4]), "decimal(5,2)", "row 2, column v: 10000"),
    (pa.array([0, 1], pa.timestamp("ns")), "timestamp", "row 2, column v: '1970-01-01 00:00:00.000000001'"),
    (pa.array([0, 1], pa.timestamp("us", "UTC")), "timestamp_ntz", "row 1, column v"),
    (pa.array([0, 3_600], pa.timestamp("s")), "date", "row 2, column v"),
    (pa.array([[1], [2**40]]), "array<int>", "row 2, column v[0]: 1099511627776"),
    (pa.array([{"x": 1, "z": 2}]), "struct<x:int>", "no field 'z'"),
    (pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64())), "map<string,bigint>", "twice"),
    (pa.array([1, 2], pa.time64("us")), "timestamp", "row 1, column v"),
    (pa.array(["ok", "{"]), "variant", "row 1, column v: 'ok'"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "wanted", "words"), BAD_CASTS, ids=lambda v: str(v)[:40] if isinstance(v, str) else "")
def test_arrow_that_does_not_fit(values: pa.Array, wanted: str, words: str) -> None:
    for column in (values, pa.chunked_array([values.slice(0, 1), values.slice(1)])):
        with pytest.raises(TypeMismatch) as caught:
            to_table(pa.table({"v": column}), Schema.of(v=wanted), what="table t")
        assert words in str(caught.value)
        assert str(caught.value).startswith("table t, row ")


def test_pandas_missing_values_are_null() -> None:
    day = pd.Timestamp("2020-01-01")
    frame = pd.DataFrame({"f": [1.0, float("nan")], "n": [1.0, float("nan")], "o": [1, "2"], "t": [pd.NaT, day]})
    table = to_table(frame, parse_schema("f double, n bigint, o bigint, t timestamp"))
    assert to_rows(table) == [
        {"f": 1.0, "n": 1, "o": 1, "t": None},
        {"f": None, "n": None, "o": 2, "t": datetime(2020, 1, 1, tzinfo=UTC)},
    ]


def test_polars_keeps_nan_and_categories() -> None:
    frame = pl.DataFrame({"f": [float("nan"), None], "c": pl.Series(["a", "a"], dtype=pl.Categorical)})
    rows = to_rows(to_table(frame, parse_schema("f double, c string")))
    assert canon(rows) == canon([{"f": float("nan"), "c": "a"}, {"f": None, "c": "a"}])


def test_a_missing_column_is_null_and_partial_leaves_it_out() -> None:
    schema = parse_schema("id bigint, a int, b int")
    filled = to_table([{"id": 1}, {"a": 2}], schema).to_pylist()
    assert filled == [{"id": 1, "a": None, "b": None}, {"id": None, "a": 2, "b": None}]
    assert to_table([{"b": 1, "ID": 2}], schema, partial=True).to_pylist() == [{"id": 2, "b": 1}]
    assert to_table(pa.table({"b": [1]}), schema, partial=True).column_names == ["b"]
    with pytest.raises(TypeMismatch, match="row 2: names the columns id, where the first row names a, id; all rows must"):
        to_table([{"id": 1, "a": 1}, {"id": 2}], schema, partial=True, what="table t")


def test_no_rows() -> None:
    assert to_table([], SCHEMA).num_rows == 0
    assert to_table([], SCHEMA).schema == _arrow().schema
    assert to_table(_arrow().slice(0, 0), SCHEMA).num_rows == 0
    assert to_table(pd.DataFrame({"id": []}), SCHEMA).num_rows == 0


@dataclass
class Wrong:
    idd: int


NOT_UTF8 = pa.Array.from_buffers(pa.string(), 1, [None, pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff")])

UNREADABLE: list[tuple[Any, type[Exception], str]] = [
    ("orders.csv", TypeMismatch, "got the text 'orders.csv' where rows were expected"),
    (5, TypeMismatch, "cannot read rows from int"),
    ([1, 2], TypeMismatch, "row 1: 1 is not a row"),
    ([(1, 2)], TypeMismatch, "row 1: 2 values for the 11 columns"),
    ([{"id": 1}, {"idd": 2}], UnknownName, "table t, row 2: there is no column 'idd'; did you mean 'id'?"),
    ([Wrong(1)], UnknownName, "did you mean 'id'?"),
    ([{"id": 1, "ID": 2}], TypeMismatch, "the column id is given twice"),
    (pa.table({"id": [1], "zzz": [1]}), UnknownName, "no column 'zzz'"),
    (pa.table([pa.array([1]), pa.array([1])], names=["id", "id"]), TypeMismatch, "the column id is there twice"),
    (pd.DataFrame([[1, 2]], columns=["id", "id"]), TypeMismatch, "the column id is there twice"),
    (pa.table({"s": NOT_UTF8}), TypeMismatch, "damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "error", "words"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_unreadable(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        to_table(data, SCHEMA, what="table t")
    assert words in str(caught.value)
    assert str(caught.value).startswith("table t")


def test_names_match_exactly_first() -> None:
    schema = Schema((Column("a", SCHEMA["id"].type), Column("A", SCHEMA["id"].type)))
    assert to_table([{"A": 1, "a": 2}], schema).to_pylist() == [{"a": 2, "A": 1}]
    three = Schema((Column("ab", SCHEMA["id"].type), Column("aB", SCHEMA["id"].type)))
    with pytest.raises(UnknownName, match="'AB' could mean ab or aB; write it exactly"):
        to_table([{"AB": 1}], three)


def test_hostile_names() -> None:
    for name in ['"; drop table x', "🦉", "x" * 300, "a b", "`", " "]:
        schema = Schema((Column(name, SCHEMA["id"].type),))
        assert to_table([{name: 1}], schema).to_pylist() == [{name: 1}]


def _frames(rows: list[dict[str, Any]], schema: Schema) -> Iterator[Any]:
    table = to_table(rows, schema)
    yield table
    yield table.to_batches()[0] if table.num_rows else table
    yield FakeSparkFrame(table)


@settings(max_examples=100, deadline=None)
@given(tables())
def test_random_tables_in_columnar_forms(case: tuple[Schema, list[dict[str, Any]]]) -> None:
    schema, rows = case
    for frame in _frames(rows, schema):
        assert [canon(r) for r in to_rows(to_table(frame, schema))] == [canon(r) for r in rows]
