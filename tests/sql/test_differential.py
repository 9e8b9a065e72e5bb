"""Bound queries give what DuckDB gives for the text, wherever the two dialects mean the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.sql.differential import engine_rows, text_rows
from tests.sql.queries import QUERIES

from belvedere.engines.duckdb import DuckDBEngine


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(threads=1)
    yield engine
    engine.close()


@pytest.mark.parametrize("text", QUERIES)
def test_same_rows(engine: DuckDBEngine, text: str) -> None:
    assert engine_rows(engine, text) == text_rows(engine, text)
