"""One statement for a plan over few rows, whatever is known of its leaves; many rows get what is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from belvedere.algebra.ops import Get, Positive, UnionAll
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


def test_what_will_not_be_true_the_next_time_is_not_taken_for_granted() -> None:
    """A table that loses rows for the first time was still without such rows before the change, and will not be the next time."""
    old, new, delta = (replace(GET, version=v) for v in ("old", "new", "delta"))
    plan = UnionAll((Positive(old), Positive(delta)))
    plans = Plans(DuckDBDialect(), few=10)
    first = plans.statement(plan, {old: ADDED, delta: TAKEN}.__getitem__)
    assert plans.statement(plan, {old: TAKEN, delta: TAKEN}.__getitem__) is first
    # nor by other plans of the same table
    other = plans.statement(Positive(new), lambda _: ADDED)
    assert plans.statement(Positive(new), lambda _: TAKEN) is other


def test_a_table_that_only_gains_rows_is_taken_for_what_it_is() -> None:
    old, delta = (replace(GET, version=v) for v in ("old", "delta"))
    plan = UnionAll((Positive(old), Positive(delta)))
    statement = Plans(DuckDBDialect(), few=10).statement(plan, {old: ADDED, delta: ADDED}.__getitem__)
    assert "HAVING" not in "".join(str(c.body) for c in statement.ctes)
