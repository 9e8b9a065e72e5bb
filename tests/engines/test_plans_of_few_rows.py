"""One statement for a plan over few rows, whatever is known of its leaves; many rows get what is known."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from belvedere.algebra.ops import Get, Positive
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.engines.duckdb.dialect import DuckDBDialect
from belvedere.engines.duckdb.engine import DuckDBEngine
from belvedere.engines.plans import Plans
from belvedere.engines.scan import Scan

SCHEMA = Schema((Column("a", BigInt(), 1),))
GET = Get("t", SCHEMA, ("a",))
PLAN = Positive(GET)


def scan(rows: list[tuple[int, int]], **known: Any) -> Scan:
    table = pa.table({"c1": pa.array([a for a, _ in rows], pa.int64()), "_w": pa.array([w for _, w in rows], pa.int64())})
    return Scan(SCHEMA, tables=(table,), rows=len(rows), **known)


ADDED = scan([(1, 1), (2, 1)], positive=True)
TAKEN = scan([(1, 1), (1, -1), (2, 1)])


def test_what_was_not_always_true_is_not_taken_for_granted() -> None:
    plans = Plans(DuckDBDialect(), few=10)
    first = plans.statement(PLAN, lambda _: ADDED)
    second = plans.statement(PLAN, lambda _: TAKEN)
    assert "HAVING" not in "".join(str(c.body) for c in first.ctes)
    assert "HAVING" in "".join(str(c.body) for c in second.ctes)
    assert plans.statement(PLAN, lambda _: ADDED) is second


def test_many_rows_get_the_statement_that_fits_them_best() -> None:
    plans = Plans(DuckDBDialect(), few=1)
    first = plans.statement(PLAN, lambda _: ADDED)
    assert plans.statement(PLAN, lambda _: TAKEN) is not first
    assert plans.statement(PLAN, lambda _: ADDED) is first


def test_rows_are_the_same_in_every_order_of_the_leaves() -> None:
    engine = DuckDBEngine(threads=1)
    found = [engine.run(PLAN, lambda _, s=s: s)[0].sort_by("a").to_pydict() for s in (ADDED, TAKEN, ADDED, TAKEN)]
    assert found == [{"a": [1, 2], "_w": [1, 1]}, {"a": [2], "_w": [1]}] * 2
    engine.close()
