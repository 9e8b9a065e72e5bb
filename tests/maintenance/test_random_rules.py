"""Every change rule, nested at random, against recomputation: state and delta, over several changes in a row."""

from __future__ import annotations

import random

import pytest
from tests.maintenance.random_trees import TABLES, Memory, Trees, rows, table

from belvedere.algebra.ops import Consolidate, Get, Negate, UnionAll
from belvedere.changes.zset import consolidate
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.maintenance.stage_delta import stage_delta
from belvedere.maintenance.stages import compile_view

CASES = 300
BATCH = 25


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


@pytest.mark.parametrize("batch", range(CASES // BATCH))
def test_rules(engine: DuckDBEngine, batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        run_case(engine, seed)


def run_case(engine: DuckDBEngine, seed: int, kind: type[Trees] = Trees) -> None:
    """Replay one with: python -c "from tests.maintenance.test_random_rules import replay; replay(SEED)"."""
    rng = random.Random(seed)
    trees = kind(rng)
    node = trees.tree(rng.randint(1, 3))
    memory = Memory(dict(TABLES))
    content: dict[str, list[tuple[int | None, ...]]] = {}
    for name, schema in TABLES.items():
        content[name] = rows(rng, schema, rng.choice([0, 1, 3, 6]))
        memory.old[name] = [table(schema, [(r, 1) for r in content[name]])]
    plan = compile_view("v", node)
    for stage in plan.stages:
        memory.add_stage(stage.name, stage.definition.schema, engine.run(Consolidate(stage.definition), memory.resolve)[0])
    for _ in range(3):
        changed, deleting = _change(rng, memory, content)
        for stage in plan.stages:
            found = stage_delta(stage, frozenset(changed), frozenset(deleting))
            if found is None:
                continue
            delta, _ = engine.run(found.node, memory.resolve)
            if delta.num_rows:
                memory.delta[stage.name] = [memory.physical(stage.name, delta)]
                changed.add(stage.name)
                if min(delta.column("_w").to_pylist()) < 0:
                    deleting.add(stage.name)
        gap = engine.run(Consolidate(UnionAll((node, Negate(plan.tail)))), memory.resolve)[0]
        assert gap.num_rows == 0, f"seed {seed}: state differs\n{gap.to_pylist()}\n{node}"
        told = engine.run(Consolidate(plan.tail.transform(lambda n: n.at("delta") if isinstance(n, Get) else n)), memory.resolve)[
            0
        ]
        real = engine.run(
            Consolidate(UnionAll((node, Negate(node.transform(lambda n: n.at("old") if isinstance(n, Get) else n))))),
            memory.resolve,
        )[0]
        assert _bag(told) == _bag(real), f"seed {seed}: delta differs\n{node}"
        memory.advance()


def _bag(z: object) -> set[tuple[object, ...]]:
    return {tuple(r.values()) for r in consolidate(z).to_pylist()}


def _change(rng: random.Random, memory: Memory, content: dict[str, list[tuple[int | None, ...]]]) -> tuple[set[str], set[str]]:
    changed, deleting = set(), set()
    for name, schema in TABLES.items():
        kind = rng.choice(["none", "insert", "delete", "mixed", "update", "truncate"])
        if kind == "none":
            continue
        out: list[tuple[tuple[int | None, ...], int]] = []
        have = content[name]
        gone = list(have) if kind == "truncate" else []
        if kind in ("delete", "mixed", "update"):
            gone = rng.sample(have, rng.randint(0, len(have)))
        for r in gone:
            have.remove(r)
            out.append((r, -1))
        fresh = rows(rng, schema, rng.randint(1, 3)) if kind in ("insert", "mixed", "update") else []
        for r in fresh:
            have.append(r)
            out.append((r, 1))
        if out:
            memory.delta[name] = [table(schema, out)]
            changed.add(name)
            if any(w < 0 for _, w in out):
                deleting.add(name)
    return changed, deleting


def replay(seed: int, kind: type[Trees] = Trees) -> None:
    run_case(DuckDBEngine(threads=1), seed, kind)
