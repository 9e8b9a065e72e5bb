"""The table of small and awkward values that scalar expressions are tried on."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from tests.engines.support import Tables

from belvedere.algebra.ops import Get

UTC = UTC
D = Decimal
NAN, INF = float("nan"), float("inf")

DDL = (
    "i int, b bigint, t tinyint, sm smallint, s string, s2 string, d double, f float, x decimal(12,2), y decimal(5,3), "
    "w decimal(38,10), dt date, dt2 date, ts timestamp, nt timestamp_ntz, bo boolean, bin binary, arr array<int>, "
    "words array<string>, m map<string,int>, st struct<p:int,`Q r`:string>, sts array<struct<p:int>>, deep array<array<int>>, "
    "j string, num string"
)


def _ts(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


ROWS: list[tuple[Any, ...]] = [
    (1, 10, 1, 2, "abc", "b", 1.5, 0.5, D("1.25"), D("0.500"), D("1.0000000001"), date(2024, 2, 29), date(2024, 3, 1),
     _ts(2024, 2, 29, 12, 34, 56, 789000), datetime(2024, 2, 29, 1, 2, 3), True, b"ab", [1, 2, 3], ["x", "y"],
     [("b", 2), ("a", 1)], {"p": 1, "Q r": "q"}, [{"p": 1}, {"p": None}], [[1], [2, 3]],
     '{"a": {"b": [10, "x"]}, "n": 1.50}', "42", 1),
    (-7, -3, -128, -5, "", "", -0.0, -1.25, D("-7.35"), D("-2.125"), D("-99999999999999999999.9999999999"), date(1969, 12, 31),
     date(2000, 1, 1), _ts(1969, 12, 31, 23, 59, 59, 500000), datetime(1900, 1, 1), False, b"", [], [], [],
     {"p": None, "Q r": None}, [], [], "[1, 2]", " -5 ", 1),
    (None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None,
     None, None, None, None, 1),
    (2147483647, 9007199254740993, 127, 32767, "Hello World", "o", NAN, 3.4e38, D("9999999999.99"), D("99.999"),
     D("0.0000000005"), date(9999, 12, 31), date(1, 1, 1), _ts(2038, 1, 19, 3, 14, 7), datetime(2024, 12, 30, 23, 0, 0, 1), True,
     b"\x00\xff", [None, 0, -1, 5], [None, "a"], [("k", None)], None, None, [[None], []], "not json", "1e3", 1),
    (0, 0, 0, 0, "naïve ☃ 😀", "☃", INF, 0.0, D("0.00"), D("0.005"), D("0.0000000000"), date(2023, 12, 31), date(2024, 1, 1),
     _ts(2000, 1, 1), datetime(2000, 1, 1), None, b"\xc3\xa9", [3, 3, None], ["b", "", "a"], [("x", 1), ("y", 2), ("z", 3)],
     {"p": 3, "Q r": "☃"}, [{"p": 3}], None, '{"a": null, "b c": true, "d": {"e": {}}}', "-1.75", 2),
    (3, 4, 5, 6, "a,b,,c", ",", 2.5, 2.5, D("2.50"), D("2.500"), D("12345678901234567890.0123456789"), date(2024, 1, 31),
     date(2024, 1, 31), _ts(2024, 12, 31, 23, 59, 59, 999999), datetime(2024, 7, 1), False, b"abc", [5, 1, 4], ["a", "b"],
     [("a", 9)], {"p": 9, "Q r": ""}, [None, {"p": 2}], [[4, None], [5]], '"just text"', "0", 1),
]  # fmt: skip


def table() -> tuple[Tables, Get]:
    tables = Tables()
    return tables, tables.add("v", DDL, ROWS)
