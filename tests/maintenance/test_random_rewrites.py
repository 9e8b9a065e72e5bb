"""Rewriting, against recomputation of what was written: conditions and aggregates of the kinds that rules look for."""

from __future__ import annotations

import pytest
from tests.maintenance.random_trees import Trees
from tests.maintenance.test_random_rules import run_case

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate
from belvedere.algebra.scalar import Scalar, true
from belvedere.algebra.types import BigInt, Schema
from belvedere.algebra.typing import scalar
from belvedere.engines.duckdb import DuckDBEngine

CASES = 100
BATCH = 25


class Twisted(Trees):
    """Joins whose condition hides in disjunctions or reads one side only, and several distinct aggregates in one."""

    def condition(self, node: Node) -> Scalar:
        a, b, c = (self.column(node) for _ in range(3))
        return scalar(f"({a} = 1 and {b} > 0) or ({a} = 1 and {c} < 3) or ({a} = 1 and {b} is null)", node.schema)

    def on(self, left: Node, right: Node) -> Scalar:
        both = Schema(left.schema.columns + right.schema.columns)
        a, b, c, d = self.column(left), self.column(right), self.column(left), self.column(right)
        kind = self.rng.choice(["or", "or", "left", "right", "true", "loose"])
        if kind == "true":
            return true()
        text = {
            "or": f"({a} = {b} and {c} = 1 and {d} > 0) or ({a} = {b} and {c} = 2 and {d} < 3)",
            "left": f"{a} is null",
            "right": f"{b} = 1 or {b} = 2",
            "loose": f"({a} = 1 and {b} = 2) or ({c} = 2 and {d} = 1)",
        }[kind]
        return scalar(text, both)

    def aggregate(self, depth: int) -> Node:
        node = self.tree(depth)
        x = scalar(self.column(node), node.schema)
        y = scalar(self.column(node), node.schema)
        keys = [(self.name(), scalar(self.column(node), node.schema)) for _ in range(self.rng.choice([0, 1, 2]))]
        aggs = [(self.name(), Agg(fn, (x,), BigInt(), distinct=True)) for fn in self.rng.sample(["count", "sum", "max"], 2)]
        aggs += [(self.name(), Agg(fn, (y,), BigInt())) for fn in self.rng.sample(["count", "sum", "min", "max"], 2)]
        aggs.append((self.name(), Agg("count", (), BigInt())))
        return Aggregate(node, tuple(keys), tuple(self.rng.sample(aggs, 3)))


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


@pytest.mark.parametrize("batch", range(CASES // BATCH))
def test_rewrites(engine: DuckDBEngine, batch: int) -> None:
    """Replay one with replay(SEED, Twisted) of test_random_rules."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        run_case(engine, seed, Twisted)
