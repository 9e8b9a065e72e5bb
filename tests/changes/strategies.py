"""Random types, values and rows for hypothesis: small domains, so that equal rows meet, and the awkward values of each type."""

from __future__ import annotations

import decimal
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import strategies as st

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import Column, DataType, Schema

_BITS = {T.TinyInt: 8, T.SmallInt: 16, T.Int: 32, T.BigInt: 64}

FLAT: list[DataType] = [
    T.Boolean(), T.TinyInt(), T.SmallInt(), T.Int(), T.BigInt(), T.Float(), T.Double(), T.Decimal(5, 2), T.Decimal(38, 0),
    T.Decimal(38, 38), T.String(), T.Binary(), T.Date(), T.Timestamp(), T.TimestampNtz(),
]  # fmt: skip


def data_types() -> st.SearchStrategy[DataType]:
    return st.recursive(
        st.sampled_from(FLAT),
        lambda inner: st.one_of(
            inner.map(T.Array),
            st.builds(T.Map, st.sampled_from([T.String(), T.Int(), T.Date()]), inner),
            st.lists(inner, min_size=1, max_size=3).map(lambda ts: T.Struct(tuple((f"f{i}", t) for i, t in enumerate(ts)))),
        ),
        max_leaves=4,
    )


def values(t: DataType) -> st.SearchStrategy[Any]:
    """Values of a type as Python holds them, NULL among them."""
    return st.none() | present(t)


def present(t: DataType) -> st.SearchStrategy[Any]:
    match t:
        case T.Boolean():
            return st.booleans()
        case T.Integral():
            high = 1 << _BITS[type(t)] - 1
            return st.sampled_from([0, 1, -1, -high, high - 1])
        case T.Float() | T.Double():
            return st.sampled_from([0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), float("-inf")])
        case T.Decimal(precision=p, scale=s):
            most = decimal.Decimal((0, (9,) * p, -s))
            return st.sampled_from([decimal.Decimal(0), most, most.copy_negate(), decimal.Decimal((0, (1,), -s))])
        case T.String():
            return st.sampled_from(["", "a", "A", " ", "naïve", "🦉", "\x00", '"; drop table', "a\nb", "x" * 300])
        case T.Binary():
            return st.sampled_from([b"", b"\x00", b"\xff\xfe", b"a"])
        case T.Date():
            return st.sampled_from([date(1969, 12, 31), date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)])
        case T.Timestamp():
            return st.sampled_from([datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), datetime(2024, 2, 29, tzinfo=UTC)])
        case T.TimestampNtz():
            return st.sampled_from([datetime(1582, 10, 4, 1, 2, 3), datetime(9999, 12, 31, 23, 59, 59, 999999)])
        case T.Array(element=e):
            return st.lists(values(e), max_size=3)
        case T.Map(key=k, value=v):
            return st.dictionaries(present(k), values(v), max_size=3)
        case T.Struct(fields=fs):
            return st.fixed_dictionaries({n: values(ft) for n, ft in fs})
        case _:
            raise AssertionError(f"no values for {t}")


@st.composite
def tables(draw: st.DrawFn, types: st.SearchStrategy[DataType] | None = None) -> tuple[Schema, list[dict[str, Any]]]:
    """A schema and rows for it; rows repeat, because they are drawn from a few."""
    chosen = draw(st.lists(types if types is not None else data_types(), min_size=1, max_size=3))
    schema = Schema(tuple(Column(f"c{i}", t) for i, t in enumerate(chosen)))
    row = st.fixed_dictionaries({c.name: values(c.type) for c in schema})
    few = draw(st.lists(row, min_size=1, max_size=4))
    return schema, draw(st.lists(st.sampled_from(few), max_size=8))


def canon(value: Any) -> Any:
    """A hashable form that is equal exactly where SQL holds two values equal. The oracle of the tests; no Arrow in it."""
    match value:
        case float():
            return "NaN" if value != value else ("float", value + 0.0)
        case bool():
            return ("bool", value)
        case dict():
            return ("dict", frozenset((canon(k), canon(v)) for k, v in value.items()))
        case list() | tuple():
            return ("list", tuple(canon(v) for v in value))
        case _:
            return value
