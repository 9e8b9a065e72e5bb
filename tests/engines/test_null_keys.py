"""A lookup and its branch for NULL keys are one semijoin; what only looks like it stays as it is."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Get, Keys, SemiJoin, UnionAll
from belvedere.algebra.scalar import col, compare, is_null
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.engines.duckdb.engine import DuckDBEngine
from belvedere.engines.duckdb.null_keys import in_one_branch
from belvedere.engines.scan import Scan
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import keys_of, restrict

SCHEMA = Schema((Column("a", BigInt(), 1), Column("b", BigInt(), 2)))
ROWS, WANTED = Get("rows", SCHEMA, SCHEMA.names), Get("wanted", SCHEMA, SCHEMA.names, "delta")


def looked_up(columns: tuple[str, ...]) -> Node:
    change = Change.of(ROWS, frozenset({"wanted"}))
    keys, names = keys_of(WANTED, [col(SCHEMA[c]) for c in columns], change)
    return Consolidate(restrict(ROWS, keys, [(col(SCHEMA[c]), k) for c, k in zip(columns, names, strict=True)], change))


def table(rng: random.Random, rows: int) -> pa.Table:
    def values() -> pa.Array:
        return pa.array([rng.choice([None, 0, 1, 2]) for _ in range(rows)], pa.int64())

    weights = pa.array([rng.choice([1, 1, 2, -1]) for _ in range(rows)], pa.int64())
    return pa.table({"c1": values(), "c2": values(), "_w": weights})


def evaluated(engine: DuckDBEngine, plan: Node, scans: dict[Get, Scan]) -> list[str]:
    """By the very statement of the plan, as it is."""

    def ask(get: Get) -> Scan:
        return scans[replace(get, by=())]

    text, read = engine._render(engine._plans.statement(plan, ask), ask, pretty=False)
    return sorted(str(list(r.values())) for r in engine._unmeasured(text, read).to_pylist())


@pytest.mark.parametrize("columns", [("a",), ("a", "b")])
def test_the_rows_are_the_same(columns: tuple[str, ...]) -> None:
    plan = looked_up(columns)
    one = in_one_branch(plan)
    assert not any(isinstance(n, UnionAll) for n in one.walk())
    assert any(isinstance(n, UnionAll) for n in plan.walk())
    engine = DuckDBEngine(threads=1)
    for seed in range(40):
        rng = random.Random(seed)
        scans = {g: Scan(SCHEMA, tables=(t,), rows=t.num_rows) for g in (ROWS, WANTED) for t in [table(rng, rng.randrange(7))]}
        assert evaluated(engine, one, scans) == evaluated(engine, plan, scans), seed
    engine.close()


def test_branches_of_other_leaves_or_keys_stay_apart() -> None:
    plan = looked_up(("a",)).inputs[0]
    assert isinstance(plan, UnionAll)
    first, second = plan.parts
    assert isinstance(second, SemiJoin)
    assert isinstance(second.left, Filter)
    assert isinstance(second.right, Filter)
    not_null = Filter(second.left.input, compare("=", col(SCHEMA["a"]), col(SCHEMA["b"])))
    other_key = Filter(second.left.input, is_null(col(SCHEMA["b"])))
    keys = second.right.input.inputs[0]
    assert isinstance(keys, Keys)
    strange = (
        UnionAll((first, SemiJoin(not_null, second.right, second.on))),
        UnionAll((first, SemiJoin(other_key, second.right, second.on))),
        UnionAll((first, SemiJoin(second.left, second.right.input, second.on))),
        UnionAll((first, SemiJoin(second.left, second.right, second.on, anti=True))),
        UnionAll((second, first)),
    )
    for node in strange:
        assert in_one_branch(node) == node
