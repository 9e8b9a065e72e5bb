"""Every operator on both engines: the rows that are expected, with the types of the schema."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.engines.again import Again
from tests.engines.cases import CASES, TABLES, Case
from tests.engines.support import bag, check_types

from belvedere.algebra.node import OPERATORS
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.spark import SparkEngine
from belvedere.engines.sql.table import LOWERINGS, missing


@pytest.fixture(scope="module")
def duckdb() -> Iterator[DuckDBEngine]:
    engine = Again(threads=2)
    yield engine
    engine.close()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_duckdb(case: Case, duckdb: DuckDBEngine) -> None:
    node = case.node()
    assert duckdb.supports(node) is None
    table, _ = duckdb.run(node, TABLES)
    check_types(table, node)
    assert bag(table) == case.rows


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_spark(case: Case, spark_engine: SparkEngine) -> None:
    node = case.node()
    table, _ = spark_engine.run(node, TABLES)
    check_types(table, node)
    assert bag(table) == case.rows


def test_every_operator_has_a_case() -> None:
    used = {type(n) for case in CASES for n in case.node().walk()}
    assert {op for op in OPERATORS if op.__module__.startswith("belvedere.algebra.ops")} <= used


def test_a_forgotten_operator_is_noticed() -> None:
    some = dict(list(LOWERINGS.items())[1:])
    assert missing(some) == [next(iter(LOWERINGS)).__name__]
    assert missing(LOWERINGS) == []
