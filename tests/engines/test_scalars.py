"""Scalars: what Spark gives for the table of them is written down; DuckDB gives the same or refuses before it runs.

`pytest tests/engines/test_scalars.py --regold -m spark` writes it down again.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.engines.again import Again
from tests.engines.scalar_runs import FAMILIES, GOLDEN, RAISES, Expression, expressions, golden, raises, values, write_golden
from tests.engines.scalars import table

from belvedere.algebra.ops import Project
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.spark import SparkEngine

SPARK_ONLY = GOLDEN.parent / "spark_only.txt"


@pytest.fixture(scope="module")
def duckdb() -> Iterator[DuckDBEngine]:
    engine = Again(threads=2)
    yield engine
    engine.close()


def supported(engine: DuckDBEngine, e: Expression) -> bool:
    _, get = table()
    return engine.supports(Project(get, (("e", e.scalar),))) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_duckdb_gives_what_spark_gives(family: str, duckdb: DuckDBEngine) -> None:
    chosen = [e for e in expressions(family) if supported(duckdb, e)]
    found = values(duckdb, [e for e in chosen if not e.raises])
    found |= {e.text: raises(duckdb, e) for e in chosen if e.raises}
    written = golden(family)
    assert found == {text: written[text] for text in found}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_duckdb_refuses(family: str, duckdb: DuckDBEngine) -> None:
    """The list is a promise of what runs in-process: an expression that moves to or from it is noticed."""
    written = {
        line.split(": ", 1)[1] for line in SPARK_ONLY.read_text(encoding="utf-8").splitlines() if line.startswith(f"{family}: ")
    }
    assert {e.text for e in expressions(family) if not supported(duckdb, e)} == written


@pytest.mark.spark
@pytest.mark.parametrize("family", FAMILIES)
def test_spark_gives_what_is_written(family: str, spark_engine: SparkEngine, regold: bool) -> None:
    chosen = expressions(family)
    found = values(spark_engine, [e for e in chosen if not e.raises])
    found |= {e.text: raises(spark_engine, e) for e in chosen if e.raises}
    if regold:
        write_golden(family, {e.text: found[e.text] for e in chosen})
    assert found == golden(family)
    assert {found[e.text] for e in chosen if e.raises} <= {RAISES}
