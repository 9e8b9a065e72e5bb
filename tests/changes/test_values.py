"""One value at a time: what every type takes, in every form, and what it refuses, with which words."""

from __future__ import annotations

import decimal
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from tests.changes.strategies import canon, tables

from belvedere.algebra.types import Schema, Void, parse_type, to_arrow
from belvedere.changes.rows import to_table
from belvedere.changes.zset import to_rows
from belvedere.errors import TypeMismatch

D = decimal.Decimal
PLUS2 = timezone(timedelta(hours=2))


class Pair(NamedTuple):
    a: int
    b: str


@dataclass(frozen=True)
class Point:
    a: int
    b: str


GOOD: list[tuple[str, Any, Any]] = [
    ("boolean", True, True), ("boolean", "False", False), ("boolean", np.bool_(True), True),
    ("tinyint", -128, -128), ("tinyint", "127", 127), ("smallint", np.int64(5), 5), ("int", 2.0, 2), ("int", D("7.00"), 7),
    ("int", "+3", 3), ("bigint", " 12 ", 12), ("bigint", "1e3", 1000), ("bigint", 2**63 - 1, 2**63 - 1),
    ("bigint", -(2**63), -(2**63)),
    ("double", 1, 1.0), ("double", "1.5", 1.5), ("double", D("0.5"), 0.5), ("double", "-Infinity", float("-inf")),
    ("double", np.float32(0.5), 0.5), ("double", -0.0, 0.0), ("double", 2**60, float(2**60)), ("float", 1.5, 1.5),
    ("float", float("inf"), float("inf")),
    ("decimal(12,2)", "9.50", D("9.50")), ("decimal(12,2)", 9, D("9.00")), ("decimal(12,2)", 9.5, D("9.50")),
    ("decimal(12,2)", D("1.5000"), D("1.50")), ("decimal(12,2)", "-0.00", D("0.00")), ("decimal(5,2)", "999.99", D("999.99")),
    ("decimal(38,0)", 10**38 - 1, D(10**38 - 1)), ("decimal(38,38)", "0." + "9" * 38, D("0." + "9" * 38)),
    ("decimal(3,0)", "1E+2", D(100)),
    ("string", "", ""), ("string", "🦉", "🦉"), ("string", "a\x00b", "a\x00b"), ("string", np.str_("x"), "x"),
    ("binary", b"\x00\xff", b"\x00\xff"), ("binary", bytearray(b"a"), b"a"), ("binary", memoryview(b"a"), b"a"),
    ("date", date(1969, 12, 31), date(1969, 12, 31)), ("date", "0001-01-01", date(1, 1, 1)),
    ("date", datetime(2020, 1, 2), date(2020, 1, 2)),
    ("date", np.datetime64("2020-01-02"), date(2020, 1, 2)), ("date", pd.Timestamp("2020-01-02"), date(2020, 1, 2)),
    ("timestamp", datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)),
    ("timestamp", datetime(2020, 1, 1, 2, tzinfo=PLUS2), datetime(2020, 1, 1, tzinfo=UTC)),
    ("timestamp", "2020-01-01T02:00:00+02:00", datetime(2020, 1, 1, tzinfo=UTC)),
    ("timestamp", "2020-01-01 00:00:00.5Z", datetime(2020, 1, 1, 0, 0, 0, 500000, UTC)),
    ("timestamp", "2020-01-01", datetime(2020, 1, 1, tzinfo=UTC)),
    ("timestamp", date(1900, 1, 1), datetime(1900, 1, 1, tzinfo=UTC)),
    ("timestamp_ntz", "2020-01-01 10:00", datetime(2020, 1, 1, 10)), ("timestamp_ntz", datetime(1, 1, 1), datetime(1, 1, 1)),
    ("variant", {"b": 1, "a": [None, "x"]}, '{"a":[null,"x"],"b":1}'), ("variant", ' {"b": 2, "a": 1}', '{"a":1,"b":2}'),
    ("variant", 5, "5"),
    ("array<int>", [1, "2", None], [1, 2, None]), ("array<int>", [], []), ("array<int>", (1, 2), [1, 2]),
    ("array<double>", np.array([1.0, -0.0]), [1.0, 0.0]), ("array<array<string>>", [[], None, ["a"]], [[], None, ["a"]]),
    ("map<string,int>", {"b": 1, "a": None}, {"a": None, "b": 1}), ("map<string,int>", [("k", 1)], {"k": 1}),
    ("map<int,string>", {}, {}),
    ("map<string,array<int>>", {"k": [1]}, {"k": [1]}),
    ("struct<a:int,b:string>", {"a": 1}, {"a": 1, "b": None}),
    ("struct<a:int,b:string>", {"B": "x", "a": "1"}, {"a": 1, "b": "x"}),
    ("struct<a:int,b:string>", (1, "x"), {"a": 1, "b": "x"}), ("struct<a:int,b:string>", Pair(1, "x"), {"a": 1, "b": "x"}),
    ("struct<a:int,b:string>", Point(1, "x"), {"a": 1, "b": "x"}),
    ("struct<a:struct<b:date>>", {"a": {"b": "2020-01-01"}}, {"a": {"b": date(2020, 1, 1)}}),
]  # fmt: skip

BAD: list[tuple[str, Any, str]] = [
    ("boolean", 1, "not a boolean"), ("boolean", "yes", "not a boolean"), ("boolean", 0.0, "not a boolean"),
    ("bigint", "abc", "'abc' is not a bigint"), ("bigint", True, "true and false are not numbers"), ("bigint", 1.5, "fraction"),
    ("bigint", 2**63, "range is -9223372036854775808"), ("bigint", "", "not a bigint"), ("bigint", "0x1F", "not a bigint"),
    ("bigint", "1_000", "not a bigint"), ("bigint", float("nan"), "not finite"), ("bigint", "inf", "not finite"),
    ("bigint", b"1", "not a bigint"),
    ("bigint", [1], "not a bigint"), ("bigint", "٣", "not a bigint"), ("bigint", np.bool_(True), "not numbers"),
    ("tinyint", 128, "range is -128 to 127"), ("smallint", -32769, "range"), ("int", 2**31, "range"),
    ("double", "x", "not a double"), ("double", True, "not a double"), ("double", 10**400, "out of range"),
    ("double", "1e999", "out of range"),
    ("double", 2**53 + 1, "loses digits"), ("float", 1e300, "out of range"), ("double", "1.5.2", "not a double"),
    ("decimal(12,2)", "9.505", "at most 2 digits after the point"), ("decimal(12,2)", 0.1 + 0.2, "digits after the point"),
    ("decimal(5,2)", 1000, "at most 3 digits before the point"), ("decimal(5,2)", "NaN", "no NaN"),
    ("decimal(5,2)", D("Infinity"), "no NaN"),
    ("decimal(5,2)", True, "not a decimal"), ("decimal(5,2)", "9,50", "not a decimal"),
    ("decimal(38,0)", 10**38, "before the point"),
    ("decimal(38,38)", 1, "at most 0 digits before"), ("decimal(5,2)", D("1E-400"), "after the point"),
    ("string", 1, "not a string"), ("string", b"x", "not a string"), ("string", "\ud800", "surrogate"),
    ("string", ["a"], "not a string"),
    ("binary", "text", "give bytes"), ("binary", [1, 2], "give bytes"),
    ("date", "2023-02-29", "no such day"), ("date", "20200101", "YYYY-MM-DD"), ("date", "2020-W01-1", "YYYY-MM-DD"),
    ("date", 5, "not a date"),
    ("date", datetime(2020, 1, 1, 3), "time of day"), ("date", datetime(2020, 1, 1, tzinfo=UTC), "time of day"),
    ("timestamp", "yesterday", "not a timestamp"), ("timestamp", "2020-01-01 25:00:00", "no such time"),
    ("timestamp", 0, "not a timestamp"),
    ("timestamp", "2020-01-01 00:00:00.1234567", "six digits"), ("timestamp", datetime(1, 1, 1, tzinfo=PLUS2), "years 1 to 9999"),
    ("timestamp", pd.Timestamp("2020-01-01 00:00:00.000000001"), "finer than a microsecond"),
    ("timestamp_ntz", "2020-01-01T00:00:00Z", "carries a zone"),
    ("timestamp_ntz", datetime(2020, 1, 1, tzinfo=UTC), "carries a zone"),
    ("variant", "not json", "not a variant"), ("variant", float("nan"), "not a variant"), ("variant", b"x", "not a variant"),
    ("array<int>", "12", "give a list"), ("array<int>", {"a": 1}, "give a list"), ("array<int>", {1, 2}, "give a list"),
    ("array<int>", [1, "x"], "column v[1]: 'x'"), ("array<struct<a:int>>", [{"a": 1}, {"a": "x"}], "column v[1].a: 'x'"),
    ("map<string,int>", {None: 1}, "cannot be NULL"), ("map<string,int>", [("a", 1), ("a", 2)], "twice"),
    ("map<string,int>", 5, "give a dict"),
    ("map<string,int>", {"a": "x"}, "column v['a']: 'x'"), ("map<string,int>", {1: 1}, "not a string"),
    ("struct<a:int,b:string>", {"a": 1, "c": 2}, "no field 'c'"), ("struct<a:int,b:string>", (1,), "fields a, b"),
    ("struct<a:int,b:string>", [1, "x"], "fields a, b"), ("struct<a:int,b:string>", {"a": 1, "A": 2}, "given twice"),
    ("struct<a:int,b:string>", 1, "fields a, b"),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "given_", "stored"), GOOD, ids=[f"{n}-{t}" for n, (t, _, _) in enumerate(GOOD)])
def test_takes(type_: str, given_: Any, stored: Any) -> None:
    schema = Schema.of(v=type_)
    table = to_table([{"v": given_}, {"v": None}, {}], schema)
    assert table.schema.field("v").type == to_arrow(parse_type(type_))
    rows = to_rows(table)
    assert canon(rows[0]["v"]) == canon(stored)
    assert repr(rows[0]["v"]) != "-0.0"
    assert [r["v"] for r in rows[1:]] == [None, None]


@pytest.mark.parametrize(("type_", "given_", "words"), BAD, ids=[f"{n}-{t}" for n, (t, _, _) in enumerate(BAD)])
def test_refuses(type_: str, given_: Any, words: str) -> None:
    with pytest.raises(TypeMismatch) as caught:
        to_table([{"v": None}, {"v": given_}], Schema.of(v=type_), what="table orders")
    message = str(caught.value)
    assert message.startswith("table orders, row 2, column v")
    assert words in message


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(TypeMismatch, match=re.escape("xxx…")) as caught:
        to_table([{"v": "x" * 10_000}], Schema.of(v="int"))
    assert len(str(caught.value)) < 200


def test_void_holds_null_only() -> None:
    assert to_table([{"v": None}], Schema.of(v=Void())).num_rows == 1
    with pytest.raises(TypeMismatch, match="type void"):
        to_table([{"v": 1}], Schema.of(v=Void()))


def test_equal_maps_are_stored_alike() -> None:
    schema = Schema.of(v="map<int,string>")
    table = to_table([{"v": {1: "a", 2: "b"}}, {"v": {2: "b", 1: "a"}}], schema)
    assert table["v"][0].as_py() == table["v"][1].as_py()


@settings(max_examples=300, deadline=None)
@given(tables())
def test_rows_come_back_as_they_went_in(case: tuple[Schema, list[dict[str, Any]]]) -> None:
    schema, rows = case
    table = to_table(rows, schema)
    assert [canon(r) for r in to_rows(table)] == [canon(r) for r in rows]
    again = to_table(table, schema)
    assert [canon(r) for r in to_rows(again)] == [canon(r) for r in rows]
    assert again.schema == table.schema
