"""Rows of several collections that are made ready together are what each of them would be by itself."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.store.helpers import make, open_store

from belvedere.errors import StoreError
from belvedere.store import Collection, Store
from belvedere.store.inlined import decode, encode, encode_part
from belvedere.store.ready import Ready, make_ready
from belvedere.store.store import FEW

#: by type: values of a small domain, so that rows agree
VALUES: dict[str, list[Any]] = {
    "bigint": [0, 1, -3, 2**62, None],
    "smallint": [0, 7, -7],
    "string": ["", "a", "ß", None, "x" * 70],
    "decimal(12,2)": [decimal.Decimal("1.50"), decimal.Decimal("-2.00"), None],
    "date": [dt.date(2024, 1, 1), dt.date(1970, 1, 1), None],
    "boolean": [True, False, None],
    "double": [0.0, -0.0, math.nan, 1.5, None],
    "timestamp": [dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None],
    "array<int>": [[1, None], [], None],
    "struct<a:int,b:string>": [{"a": 1, "b": None}, None],
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "wh", few=FEW) as opened:
        yield opened


def gained(rng: random.Random, c: Collection, count: int) -> pa.Table:
    kinds = [(VALUES[str(x.type)], c.physical.field(f"c{x.id}").type) for x in c.schema]
    columns = [pa.array([rng.choice(values) for _ in range(count)], kind) for values, kind in kinds]
    weights = pa.array([rng.choice((1, 1, -1, 3)) for _ in range(count)], pa.int64())
    return pa.table([*columns, weights], schema=c.physical)


def plain(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and math.isnan(value) else str(value)


def bag(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(plain, row.values())) for row in table.to_pylist())


def told(stats: dict[str, Any] | None) -> Any:
    """Statistics without the order of values."""
    assert stats is not None
    return {c: {k: sorted(v, key=str) if k == "values" else v for k, v in known.items()} for c, known in stats.items()}


def same(one: Ready, other: Ready) -> None:
    assert one.collection is other.collection
    assert one.rows.schema.equals(other.rows.schema, check_metadata=True)
    assert bag(one.rows) == bag(other.rows)
    assert one.deletes == other.deletes
    assert told(one.stats) == told(other.stats)
    assert (one.body is None) == (other.body is None)
    if one.body is not None:
        assert bag(decode(one.body)) == bag(other.rows)
        assert decode(one.body).schema.equals(one.rows.schema, check_metadata=True)


@pytest.mark.parametrize("seed", range(40))
def test_together_is_as_by_itself(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    types = [rng.choice(list(VALUES)) for _ in range(rng.randint(1, 4))]
    sort = rng.sample([f"a{n}" for n in range(len(types))], rng.randint(0, len(types)))
    text = ", ".join(f"a{n} {t}" for n, t in enumerate(types))
    alike = [make(store, f"t{n}", text, key=(), sort=sort) for n in range(rng.randint(2, 5))]
    other = make(store, "other", "a0 bigint, z string", key=())
    many = rng.choice((1, 3, 70, 300))
    wanted = [(c, gained(rng, c, rng.choice((0, 1, many)))) for c in [*alike, other]]
    rng.shuffle(wanted)
    few = rng.choice((0, 2_000, FEW))
    together = make_ready(wanted, few)
    alone = [make_ready([one], few)[0] for one in wanted]
    for a, b in zip(together, alone, strict=True):
        if abs((b.rows.nbytes if b.body is None else len(b.body)) - few) > 1_500:  # near the limit, either is right
            same(a, b)
        assert in_order(a), "as the collection is sorted"


def in_order(ready: Ready) -> bool:
    """Whether the columns that it is sorted by ascend, one after the other, NULLs first, then NaN."""
    names = [f"c{i}" for i in ready.collection.sort]
    kept = [n for n in names if not pa.types.is_nested(ready.rows.schema.field(n).type)]
    rows = list(zip(*(map(rank, ready.rows.column(n).to_pylist()) for n in kept), strict=True))
    return rows == sorted(rows)


def rank(value: Any) -> tuple[int, Any]:
    if value is None:
        return 0, 0
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (2, value.encode() if isinstance(value, str) else value)


@pytest.mark.parametrize("weight", [0, None])
def test_a_wrong_weight_is_told_of_the_collection_that_has_it(store: Store, weight: int | None) -> None:
    one, two = make(store, "one", "a bigint", key=()), make(store, "two", "a bigint", key=())
    good = pa.table([pa.array([1, 2]), pa.array([1, -1])], schema=one.physical)
    bad = pa.table([pa.array([1, 2]), pa.array([1, weight], pa.int64())], schema=two.physical)
    with pytest.raises(StoreError, match="'two' have a weight that is 0 or NULL"):
        make_ready([(one, good), (two, bad), (one, good)], FEW)


def test_nothing_is_held_on_to(store: Store) -> None:
    """One row that was made ready with many does not keep these in memory."""
    large, small = make(store, "large", "a bigint, b string", key=()), make(store, "small", "a bigint, b string", key=())
    many = pa.table([pa.array(range(9_000)), pa.array(["x" * 20] * 9_000), pa.array([1] * 9_000)], schema=large.physical)
    for few in (0, FEW):
        ready = make_ready([(large, many), (small, many.slice(17, 1))], few)
        assert ready[1].rows.to_pylist() == many.slice(17, 1).to_pylist()
        assert ready[1].rows.get_total_buffer_size() < 1_000
        assert make_ready([(small, many.slice(17, 1))], few)[0].rows.get_total_buffer_size() < 1_000


def test_nor_is_what_lies_within_lists(store: Store) -> None:
    text = "k bigint, a array<array<string>>"
    large, small = make(store, "large", text, key=()), make(store, "small", text, key=())
    kind = large.physical.field("c2").type
    lists = pa.array([[["x" * 9] * 5]] * 1_000, kind)
    many = pa.table([pa.array(range(1_000)), lists, pa.array([1] * 1_000)], schema=large.physical)
    one = pa.table([pa.array([7]), pa.array([[]], kind), pa.array([1])], schema=small.physical)
    ready = make_ready([(large, many), (small, one)], FEW * 4)[1]
    assert ready.rows.to_pylist() == one.to_pylist()
    assert ready.body is not None
    assert len(ready.body) < 3_000
    assert ready.rows.get_total_buffer_size() < 3_000


def test_rows_are_encoded_as_arrow_does(store: Store) -> None:
    rng = random.Random(7)
    c = make(store, "t", ", ".join(f"a{n} {t}" for n, t in enumerate(VALUES)), key=())
    for count in (0, 1, 9, 200):
        rows = gained(rng, c, count)
        made = pa.BufferOutputStream()
        with pa.ipc.new_stream(made, rows.schema) as writer:
            writer.write_table(rows)
        assert encode(rows) == made.getvalue().to_pybytes()
        twice = pa.concat_tables([rows, rows])
        assert bag(decode(encode(twice))) == bag(twice)
        for batch in rows.to_batches():
            body, alone = encode_part(c.layout, batch.slice(count // 3), FEW)
            assert body is not None
            assert bag(decode(body)) == bag(rows.slice(count // 3)) == bag(alone)


def test_a_description_that_is_other_by_now(store: Store) -> None:
    """What was made ready for a collection as it was is made ready once more for what it is."""
    c = make(store, "t", "a bigint, b bigint", key=(), sort=("a",))
    with store.begin() as tx:
        [ready] = tx.ready([(c, pa.table([[2, 1], [1, 2], [1, 1]], schema=c.physical))])
        changed = tx.alter_collection(replace(c, sort=(2,)))
        run = tx.append(changed, ready)
        assert run.rows == 2
        tx.publish()
    found = store.collection("t")
    assert found is not None
    assert found.sort == (2,)
    [run] = store.snapshot(found)
    assert store.inlined.read(run.path).column("c2").to_pylist() == [1, 2]
