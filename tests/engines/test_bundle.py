"""Several plans as one give the rows that each gives alone, with its own columns and types."""

from __future__ import annotations

import decimal
import random
from collections import Counter

import pyarrow as pa
import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Get, Join, Negate, Project, Share, UnionAll
from belvedere.algebra.scalar import col, compare, integer
from belvedere.algebra.types import Column, Schema
from belvedere.engines.bundle import apart, bundled
from belvedere.engines.duckdb.engine import DuckDBEngine
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan

T = Schema.of(k="bigint", x="bigint", s="string", d="decimal(9,2)", n="array<int>")
U = Schema.of(k2="bigint", s2="string", f="double", b="boolean", at="timestamp")
SCHEMAS = {
    name: Schema(tuple(Column(c.name, c.type, i + 1) for i, c in enumerate(schema))) for name, schema in (("t", T), ("u", U))
}


def get(name: str) -> Get:
    return Get(name, SCHEMAS[name], SCHEMAS[name].names)


def plans() -> list[Node]:
    t, u = get("t"), get("u")
    high = Filter(t, compare(">", col(T["x"]), integer(0)))
    low = Filter(t, compare("<", col(T["x"]), integer(2)))
    # two plans use one name for different parts, and two others different names for the same part
    shared = [Share(high, "rows_1"), Share(low, "rows_1"), Share(high, "rows_2")]
    joined = Join(shared[2], u, compare("=", col(T["k"]), col(U["k2"])))
    return [
        Consolidate(UnionAll((shared[0], Negate(shared[0])))),
        Consolidate(UnionAll((shared[1], shared[1]))),
        Project(joined, (("s2", col(U["s2"])), ("f", col(U["f"])), ("at", col(U["at"])), ("again", col(U["s2"])))),
        Project(u, (("b", col(U["b"])),)),
        Consolidate(Project(shared[2], (("n", col(T["n"])), ("d", col(T["d"]))))),
    ]


def scans(seed: int) -> dict[Get, Scan]:
    rng = random.Random(seed)
    values = {
        "k": [None, 0, 1], "x": [0, 1, 2], "s": [None, "", "a'b"], "d": [None, decimal.Decimal("1.50")],
        "n": [None, [], [1, None]], "k2": [0, 1], "s2": ["x", None], "f": [float("nan"), 0.5, None],
        "b": [True, False, None], "at": [None, 0, 86_400_000_000],
    }  # fmt: skip
    found = {}
    for name, schema in SCHEMAS.items():
        rows = rng.randrange(9)
        arrays = {f"c{c.id}": pa.array([rng.choice(values[c.name]) for _ in range(rows)], KINDS[c.name]) for c in schema}
        table = pa.table({**arrays, "_w": pa.array([rng.choice([1, 2, -1]) for _ in range(rows)], pa.int64())})
        found[get(name)] = Scan(schema, tables=(table,), rows=rows)
    return found


KINDS = {
    "k": pa.int64(), "x": pa.int64(), "s": pa.string(), "d": pa.decimal128(9, 2), "n": pa.list_(pa.int32()), "k2": pa.int64(),
    "s2": pa.string(), "f": pa.float64(), "b": pa.bool_(), "at": pa.timestamp("us", "UTC"),
}  # fmt: skip


def bag(table: pa.Table) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in table.to_pylist():
        weight = row.pop("_w")
        found[str(list(row.items()))] += weight
    return Counter({row: n for row, n in found.items() if n})


def check(engine: Engine, seeds: range) -> None:
    every = plans()
    for seed in seeds:
        held = scans(seed)
        whole, _ = engine.run(bundled(every), held.__getitem__)
        for n, (mine, plan) in enumerate(zip(apart(whole, every), every, strict=True)):
            alone, _ = engine.run(plan, held.__getitem__)
            assert mine.schema.remove_metadata() == alone.schema.remove_metadata()
            assert bag(mine) == bag(alone), (seed, n)


def test_the_rows_of_each_in_this_process() -> None:
    engine = DuckDBEngine(threads=1)
    check(engine, range(30))
    engine.close()


@pytest.mark.spark
def test_the_rows_of_each_on_spark(spark_engine: Engine) -> None:
    check(spark_engine, range(2))


def test_what_plans_have_in_common_has_one_name() -> None:
    whole = bundled(plans())
    names: dict[str, set[Node]] = {}
    for node in whole.walk():
        if isinstance(node, Share):
            names.setdefault(node.name, set()).add(node.input)
    assert len(names) == 2
    assert all(len(inputs) == 1 for inputs in names.values())
