"""Z-set arithmetic against a Counter of canonical rows."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.changes.strategies import canon, tables

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import Schema, parse_schema
from belvedere.changes import zset
from belvedere.changes.rows import to_table
from belvedere.errors import BelvedereError, TypeMismatch

NAN = float("nan")


def z_of(schema: Schema, rows: list[dict[str, Any]], weights: list[int]) -> pa.Table:
    table = to_table(rows, schema)
    return zset.weighted(table).set_column(len(schema), pa.field("_w", pa.int64()), pa.array(weights, pa.int64()))


def counter(z: pa.Table) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for row in zset.to_rows(z):
        weight = row.pop("_w")
        total[canon(row)] += weight
    return Counter({k: v for k, v in total.items() if v})


@st.composite
def zsets(draw: st.DrawFn, types: st.SearchStrategy[T.DataType] | None = None) -> pa.Table:
    schema, rows = draw(tables(types))
    weights = draw(st.lists(st.integers(-2, 2), min_size=len(rows), max_size=len(rows)))
    z = z_of(schema, rows, weights)
    if draw(st.booleans()):  # several chunks, sliced: buffers that do not begin at 0
        cut = draw(st.integers(0, z.num_rows))
        z = pa.concat_tables([z.slice(cut), z.slice(0, cut)])
    return z


@settings(max_examples=400, deadline=None)
@given(zsets())
def test_consolidate_is_the_counter(z: pa.Table) -> None:
    result = zset.consolidate(z)
    assert result.schema == z.schema
    assert counter(result) == counter(z)
    assert result.num_rows == len(counter(z))
    assert 0 not in result["_w"].to_pylist()


@settings(max_examples=200, deadline=None)
@given(zsets(), st.randoms(use_true_random=False))
def test_laws(z: pa.Table, rng: Any) -> None:
    assert zset.consolidate(zset.add(z, zset.negate(z))).num_rows == 0
    shuffled = list(range(z.num_rows))
    rng.shuffle(shuffled)
    assert zset.equal(z, z.take(pa.array(shuffled, pa.int64())))
    assert zset.equal(zset.add(zset.positive(z), zset.negative(z)), z)
    doubled = zset.add(z, z)
    assert counter(doubled) == Counter({k: 2 * v for k, v in counter(z).items()})


@settings(max_examples=200, deadline=None)
@given(tables(), st.data())
def test_difference_and_expand(case: tuple[Schema, list[dict[str, Any]]], data: st.DataObject) -> None:
    schema, rows = case
    other = data.draw(st.lists(st.sampled_from(rows), max_size=6)) if rows else []
    a, b = to_table(rows, schema), to_table(other, schema)
    ours, theirs = Counter(map(canon, rows)), Counter(map(canon, other))
    missing, extra = zset.difference(a, b)
    assert counter(missing) == ours - theirs
    assert counter(extra) == theirs - ours
    assert zset.equal(a, b) == (ours == theirs)
    again = zset.expand(zset.consolidate(zset.weighted(a)))
    assert again.schema == a.schema
    assert Counter(map(canon, zset.to_rows(again))) == ours


DISTINCT: list[tuple[str, list[Any]]] = [
    ("array<int>", [None, [], [None], [0], [0, 0], [None, 0], [0, None], [1]]),
    ("array<string>", [[""], [None], [], ["a", "b"], ["ab"], ["a,b"], ["b", "a"]]),
    ("array<array<int>>", [[], [[]], [[], []], [None], [[1], [2]], [[1, 2]], [[1, 2], []], None]),
    ("struct<a:int,b:int>", [None, {"a": None, "b": None}, {"a": 1, "b": None}, {"a": None, "b": 1}]),
    ("struct<a:string,b:string>", [{"a": "1,2", "b": "3"}, {"a": "1", "b": "2,3"}, {"a": "", "b": None}, {"a": None, "b": ""}]),
    ("map<string,int>", [None, {}, {"a": None}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 2}]),
    ("array<struct<a:array<int>>>", [[], [None], [{"a": None}], [{"a": []}], [{"a": [None]}], [{"a": []}, {"a": []}]]),
    ("map<string,map<int,int>>", [{"a": {1: 2}}, {"a": {}}, {"a": None}, {"a": {2: 1}}]),
    ("double", [None, NAN, 0.0, float("inf"), float("-inf"), 5e-324]),
    ("array<double>", [[NAN], [None], [0.0], [NAN, NAN], [float("inf")]]),
    ("binary", [None, b"", b"\x00", b"\x00\x00"]),
    ("string", [None, "", "\x00", "a", "A", " a"]),
    ("timestamp", [None, datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 0, 0, 1, UTC)]),
]


@pytest.mark.parametrize(("type_", "values"), DISTINCT, ids=lambda v: v if isinstance(v, str) else "")
def test_values_that_differ_stay_apart_and_equal_ones_meet(type_: str, values: list[Any]) -> None:
    schema = Schema.of(v=type_)
    once = to_table([{"v": v} for v in values], schema)
    twice = zset.weighted(pa.concat_tables([once, once.take(list(reversed(range(len(values)))))]))
    result = zset.consolidate(twice)
    assert result.num_rows == len(values)
    assert result["_w"].to_pylist() == [2] * len(values)


def test_zeros_nans_and_map_orders_that_arrow_tells_apart_are_equal() -> None:
    odd = pa.table({
        "f": pa.array([0.0, -0.0]),
        "m": pa.array([[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]], pa.map_(pa.string(), pa.int64())),
        "l": pa.array([[0.0], [-0.0]]),
    })  # fmt: skip
    assert zset.consolidate(zset.weighted(odd))["_w"].to_pylist() == [2]


def test_null_struct_hides_what_lies_under_it() -> None:
    under = pa.StructArray.from_arrays([pa.array([1, 2])], ["a"], mask=pa.array([True, True]))
    assert zset.consolidate(zset.weighted(pa.table({"s": under})))["_w"].to_pylist() == [2]


def test_tolerance() -> None:
    schema = parse_schema("k string, f double, l array<double>")
    a = to_table([{"k": "x", "f": 1.0, "l": [2.0]}, {"k": "x", "f": 1.0 + 3e-9, "l": [2.0]}, {"k": "y", "f": NAN}], schema)
    b = to_table([{"k": "x", "f": 1.0 + 1e-9, "l": [2.0]}, {"k": "x", "f": 1.0, "l": [2.0 + 1e-9]}, {"k": "y", "f": NAN}], schema)
    assert not zset.equal(a, b)
    assert zset.equal(a, b, tolerance=1e-8)
    assert not zset.equal(a, b, tolerance=1e-12)
    far = to_table([{"k": "x", "f": 1.0, "l": [2.0]}, {"k": "x", "f": 1.1, "l": [2.0]}, {"k": "y", "f": float("inf")}], schema)
    missing, extra = zset.difference(a, far, tolerance=1e-6)
    left = [{"k": "x", "f": 1.0 + 3e-9, "l": [2.0], "_w": 1}, {"k": "y", "f": NAN, "l": None, "_w": 1}]
    assert canon(zset.to_rows(missing)) == canon(left)
    assert sorted(r["f"] for r in zset.to_rows(extra)) == [1.1, float("inf")]


def test_tolerance_finds_a_pairing_that_greed_misses() -> None:
    schema = Schema.of(f="double")
    # 1.0 could take either partner, 1.02 only the second: taking the first free one in order must not fail.
    a = to_table([{"f": 1.0}, {"f": 1.02}], schema)
    b = to_table([{"f": 1.01}, {"f": 0.99}], schema)
    assert zset.equal(a, b, tolerance=0.0101)


def test_tolerance_leaves_exact_columns_exact() -> None:
    schema = parse_schema("i bigint, f double")
    a, b = to_table([{"i": 10**6, "f": 1.0}], schema), to_table([{"i": 10**6 + 1, "f": 1.0 + 1e-12}], schema)
    assert not zset.equal(a, b, tolerance=0.1)


def test_columns_must_agree() -> None:
    a = pa.table({"a": [1]})
    with pytest.raises(TypeMismatch, match="the column a has the type int64 in one and double in the other"):
        zset.equal(a, pa.table({"a": [1.0]}))
    with pytest.raises(TypeMismatch, match="the columns differ: a, _w against b, _w"):
        zset.equal(a, pa.table({"b": [1]}))


def test_expand_refuses_debts_and_repeats_rows() -> None:
    z = pa.table({"a": ["x", "y", "z"], "_w": [2, 1, 3]})
    assert zset.expand(z)["a"].to_pylist() == ["x", "x", "y", "z", "z", "z"]
    with pytest.raises(BelvedereError, match=r"weight -1 .* {'a': 'y', '_w': -1}"):
        zset.expand(pa.table({"a": ["x", "y"], "_w": [1, -1]}))
    assert zset.expand(z.slice(0, 0)).column_names == ["a"]


def test_weights_are_not_given_twice() -> None:
    with pytest.raises(BelvedereError, match="already has weights"):
        zset.weighted(zset.weighted(pa.table({"a": [1]})))


def test_to_rows_is_plain() -> None:
    schema = parse_schema("t timestamp, n timestamp_ntz, m map<string,struct<t:timestamp>>, k map<struct<a:int>,int>")
    row = {
        "t": datetime(2020, 1, 1, tzinfo=UTC), "n": datetime(2020, 1, 1),
        "m": {"a": {"t": datetime(2020, 1, 1, tzinfo=UTC)}}, "k": [({"a": 1}, 2)],
    }  # fmt: skip
    back = zset.to_rows(to_table([row], schema))
    assert back == [row]
    assert back[0]["t"].tzinfo is UTC
    assert back[0]["m"]["a"]["t"].tzinfo is UTC


LARGE: dict[str, Any] = {
    "a bigint, b string": lambda i: {"a": i % 50_000, "b": f"s{i % 7}"},
    "a bigint, b array<struct<x:bigint,y:string>>, c map<string,bigint>": lambda i: {
        "a": i % 50_000, "b": [{"x": i % 3, "y": "q"}] * (i % 3), "c": {"k": i % 2, "l": 1},
    },
}  # fmt: skip


@pytest.mark.parametrize("ddl", LARGE)
def test_a_hundred_thousand_rows_are_no_burden(ddl: str) -> None:
    z = zset.weighted(to_table([LARGE[ddl](i) for i in range(100_000)], parse_schema(ddl)))
    begin = time.process_time()
    result = zset.consolidate(z)
    assert time.process_time() - begin < 3  # about 0.1 s; the bound only tells a vectorised path from a slow one
    assert sum(result["_w"].to_pylist()) == 100_000


@example(NAN, NAN)
@given(st.floats(), st.floats())
def test_any_two_floats(a: float, b: float) -> None:
    z = zset.weighted(pa.table({"f": [a, b]}))
    same = a == b or (a != a and b != b)
    assert zset.consolidate(z).num_rows == (1 if same else 2)
