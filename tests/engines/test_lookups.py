"""A few keys in a large table: what is read, on both engines, and in how many jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.engines.files import large
from tests.engines.support import bag, expected, run_of, with_ids

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Get, Join, Keys, SemiJoin, Share, UnionAll
from belvedere.algebra.scalar import col
from belvedere.algebra.types import Column, Schema, parse_schema, parse_type
from belvedere.algebra.typing import scalar
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan
from belvedere.engines.spark.keylists import key_filter, ranges

ROWS = 1_000_000
DELTA = with_ids(parse_schema("k bigint, w bigint"))
KEYS = [7, 100_003, 250_000, 400_001, 999_999]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Schema, str]:
    return large(tmp_path_factory.mktemp("large"), ROWS)


@pytest.fixture(scope="module", params=["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "spark":
        yield request.getfixturevalue("spark_engine")
        return
    made = DuckDBEngine(threads=2)
    yield made
    made.close()


def leaf(schema: Schema, suffix: str, by: str, *columns: str) -> Get:
    """The large table under names of its own, looked up by one column."""
    visible = Schema(tuple(Column(f"{c}{suffix}", schema[c].type) for c in columns))
    return Get("large", visible, columns, "new", (f"{by}{suffix}",))


def resolver(schema: Schema, path: str, keys: list[int | None]) -> Callable[[Get], Scan]:
    delta = run_of(DELTA, [(k, 1, 1) for k in keys])

    def resolve(get: Get) -> Scan:
        if get.name == "large":
            return Scan(schema, files=(path,), rows=ROWS, consolidated=True)
        return Scan(DELTA, tables=(delta,), rows=delta.num_rows)

    return resolve


def joined(left: Node, right: Node, on: str) -> Join:
    return Join(left, right, scalar(on, Schema((*left.schema.columns, *right.schema.columns))))


def delta() -> Get:
    return Get("delta", DELTA, DELTA.names, "delta")


def test_a_join_by_key_reads_little(engine: Engine, table: tuple[Schema, str]) -> None:
    schema, path = table
    node = joined(delta(), leaf(schema, "", "id", "id", "amount"), "k = id")
    found, metrics = engine.run(node, resolver(schema, path, [*KEYS, None]))
    assert bag(found) == expected(*((k, 1, k, Decimal(k), 1) for k in KEYS))
    assert metrics.scanned["large"] <= ROWS * 0.05
    assert metrics.scanned["large"] >= len(KEYS)


def test_a_semijoin_reads_little(engine: Engine, table: tuple[Schema, str]) -> None:
    schema, path = table
    keys = Share(Keys(delta(), (("key", col(DELTA["k"])),)), "keys")
    big = leaf(schema, "", "id", "id", "other")
    node = SemiJoin(big, keys, scalar("id = key", Schema((*big.schema.columns, *keys.schema.columns))))
    both = UnionAll((node, node))
    found, metrics = engine.run(both, resolver(schema, path, list(KEYS)))
    assert bag(found) == expected(*((k, ROWS - 1 - k, 2) for k in KEYS))
    assert metrics.scanned["large"] <= ROWS * 0.1


def test_an_antijoin_of_few_rows_reads_little(engine: Engine, table: tuple[Schema, str]) -> None:
    schema, path = table
    rows = Share(delta(), "rows")
    big = leaf(schema, "", "id", "id")
    keys = Keys(rows, (("key", col(DELTA["k"])),))
    narrowed = SemiJoin(big, keys, scalar("id = key", Schema((*big.schema.columns, *keys.schema.columns))))
    node = SemiJoin(rows, narrowed, scalar("k = id", Schema((*DELTA.columns, *big.schema.columns))), anti=True)
    found, metrics = engine.run(node, resolver(schema, path, [KEYS[0], ROWS + 5]))
    assert bag(found) == expected((ROWS + 5, 1, 1))
    assert metrics.scanned["large"] <= ROWS * 0.05


def three_way(schema: Schema) -> Node:
    """delta ⋈ large ⋈ large, grouped: the second lookup goes by what the first one found."""
    first = joined(delta(), leaf(schema, "1", "id", "id", "other"), "k = id1")
    second = joined(first, leaf(schema, "2", "id", "id", "amount"), "other1 = id2")
    key = scalar("k % 2", second.schema)
    total = Agg("sum", (scalar("amount2", second.schema),), parse_type("decimal(22,2)"))
    return Aggregate(second, (("g", key),), (("total", total), ("n", Agg("count", (), parse_type("bigint")))))


def test_the_second_lookup_reads_little_too(engine: Engine, table: tuple[Schema, str]) -> None:
    schema, path = table
    found, metrics = engine.run(three_way(schema), resolver(schema, path, list(KEYS)))
    odd, even = [k for k in KEYS if k % 2], [k for k in KEYS if not k % 2]
    assert bag(found) == expected(*((len(g) and g[0] % 2, Decimal(sum(ROWS - 1 - k for k in g)), len(g), 1) for g in (odd, even)))
    assert metrics.scanned["large"] <= ROWS * 0.1


@pytest.mark.spark
def test_few_jobs(spark_engine: Any, table: tuple[Schema, str], tmp_path: Path) -> None:
    schema, path = table
    files, metrics = spark_engine.write(
        three_way(schema), resolver(schema, path, list(KEYS)), {"g": 1, "total": 2, "n": 3}, ["g"], str(tmp_path)
    )
    assert len(files) == 1
    assert 1 <= metrics.jobs <= 5


def test_many_keys_become_ranges() -> None:
    column = Column("id", parse_type("bigint"))
    keys = pa.chunked_array([pa.array([i * i for i in range(1000)], pa.int64())])
    made = key_filter(column, keys)
    assert made is not None
    assert str(made).count("BETWEEN") == 100
    covered = ranges([i * i for i in range(1000)], 100)
    assert all(any(low <= i * i <= high for low, high in covered) for i in range(1000))
    assert str(key_filter(column, pa.chunked_array([pa.array([None], pa.int64())]))) == "FALSE"
    assert key_filter(Column("d", parse_type("double")), pa.chunked_array([pa.array([1.0])])) is None
    assert str(key_filter(Column("s", parse_type("string")), pa.chunked_array([pa.array(["it's"])]))) == "`s` IN ('it\\'s')"
