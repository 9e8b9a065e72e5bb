"""Stages that keep the identities behind their rows: each way to their delta against recomputation, at random."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from tests.maintenance.random_trees import Memory

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Get, Join, Negate, OuterJoin, Project, UnionAll
from belvedere.algebra.scalar import col, compare, integer
from belvedere.algebra.types import Column, Int, Schema
from belvedere.changes.zset import consolidate
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.maintenance.stage_delta import Facts, ways
from belvedere.maintenance.stages import compile_view

TABLES = {
    "e": Schema((Column("oid", Int(), 1), Column("dept", Int(), 2), Column("name", Int(), 3), Column("age", Int(), 4))),
    "d": Schema((Column("oid", Int(), 1), Column("name", Int(), 2), Column("place", Int(), 3))),
}
KEYED = {"e": (Column("oid", Int()),), "d": (Column("oid", Int()),)}


def leaf(table: str, prefix: str, *columns: str) -> Get:
    schema = Schema(tuple(Column(f"{prefix}_{c}", TABLES[table][c].type) for c in columns))
    return Get(table, schema, columns)


def joined(rng: random.Random) -> Node:
    """Employees with their departments, some with a condition, some with a second employee or department."""
    e, d = leaf("e", "e", "oid", "dept", "name", "age"), leaf("d", "d", "oid", "name", "place")
    eq = compare("=", col(Column("e_dept", Int())), col(Column("d_oid", Int())))
    node: Node = OuterJoin(e, d, eq, "left") if rng.random() < 0.4 else Join(e, d, eq)
    if rng.random() < 0.5:
        node = Filter(node, compare(">", col(Column("e_age", Int())), integer(1)))
    heads = ["e_name", "d_name"]
    if rng.random() < 0.4:
        m = leaf("e", "m", "oid", "dept", "name")
        node = Join(node, m, compare("=", col(Column("m_dept", Int())), col(Column("d_oid", Int()))))
        heads.append("m_name")
    items = [(f"h{i}", col(Column(h, Int()))) for i, h in enumerate(heads)]
    return Project(node, tuple(items))


def rows(rng: random.Random, name: str, oid: int) -> tuple[int | None, ...]:
    def value() -> int | None:
        return rng.choice([None, 0, 1, 2])

    return (oid, rng.choice([None, 1, 2, 3]), value(), rng.choice([0, 1, 2, 3])) if name == "e" else (oid, value(), value())


def table(name: str, weighted: list[tuple[tuple[int | None, ...], int]]) -> pa.Table:
    schema = TABLES[name]
    data = {f"c{c.id}": pa.array([r[i] for r, _ in weighted], pa.int32()) for i, c in enumerate(schema)}
    return pa.table(data | {"_w": pa.array([w for _, w in weighted], pa.int64())})


def changed(rng: random.Random, memory: Memory, content: dict[str, dict[int, tuple[int | None, ...]]]) -> Facts:
    """Inserts, deletes, and updates of one column, in one or both tables."""
    touched, deleting, inserting = set(), set(), set()
    updated: dict[str, frozenset[str] | None] = {}
    memory.delta.clear()
    for name in rng.choice([["e"], ["d"], ["e", "d"]]):
        now, delta = content[name], []
        kind = rng.choice(["insert", "delete", "update", "update", "update"])
        names = TABLES[name].names
        column = rng.randrange(1, len(names))
        for oid in rng.sample(range(1, 6), 3):
            old = now.get(oid)
            if kind == "insert" and old is None:
                now[oid] = rows(rng, name, oid)
                delta.append((now[oid], 1))
            elif kind == "delete" and old is not None:
                delta.append((now.pop(oid), -1))
            elif kind == "update" and old is not None:
                fresh = rows(rng, name, oid)
                now[oid] = tuple(fresh[i] if i == column else v for i, v in enumerate(old))
                delta += [(old, -1), (now[oid], 1)]
        if not delta:
            continue
        memory.delta[name] = [table(name, delta)]
        touched.add(name)
        if kind != "insert":
            deleting.add(name)
        if kind != "delete":
            inserting.add(name)
        updated[name] = frozenset({names[column]}) if kind == "update" else None
    return Facts(frozenset(touched), frozenset(deleting), frozenset(inserting), updated)


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


def old(n: Node) -> Node:
    return n.at("old") if isinstance(n, Get) else n


@pytest.mark.parametrize("batch", range(4))
def test_every_way_gives_the_change(engine: DuckDBEngine, batch: int) -> None:
    seen: set[str] = set()
    for seed in range(batch * 20, batch * 20 + 20):
        seen |= run_case(engine, seed)
    assert {"plant", "support"} <= seen


def run_case(engine: DuckDBEngine, seed: int) -> set[str]:
    rng = random.Random(seed)
    node = joined(rng)
    plan = compile_view("v", node, KEYED)
    (stage,) = plan.stages
    assert stage.support
    memory = Memory(dict(TABLES))
    content = {name: {oid: rows(rng, name, oid) for oid in rng.sample(range(1, 6), 3)} for name in TABLES}
    for name in TABLES:
        memory.old[name] = [table(name, [(r, 1) for r in content[name].values()])]
    memory.add_stage(stage.name, stage.definition.schema, engine.run(Consolidate(stage.definition), memory.resolve)[0])
    seen = set()
    for _ in range(4):
        facts = changed(rng, memory, content)
        real = engine.run(
            Consolidate(UnionAll((stage.definition, Negate(stage.definition.transform(old))))), memory.resolve
        )[0]
        plans = ways(stage, facts)
        for way in plans:
            delta, _ = engine.run(way.node, memory.resolve)
            assert bag(delta) == bag(real), f"seed {seed}: {way.way}: {way.rule}\n{way.node}"
            seen.add(way.way)
        if plans and real.num_rows:
            memory.delta[stage.name] = [memory.physical(stage.name, real)]
        gap = engine.run(Consolidate(UnionAll((node, Negate(plan.tail)))), memory.resolve)[0]
        assert gap.num_rows == 0, f"seed {seed}: the head over the support is not the view"
        memory.advance()
    return seen


def bag(z: pa.Table) -> set[tuple[object, ...]]:
    return {tuple(r.values()) for r in consolidate(z).to_pylist()}


def test_values_that_decide_nothing_need_no_base_data() -> None:
    stage = compile_view("v", joined(random.Random(1)), KEYED).stages[0]
    facts = Facts(frozenset("d"), frozenset("d"), frozenset("d"), {"d": frozenset({"name"})})
    first = ways(stage, facts)[0]
    read = {n.name for n in first.node.walk() if isinstance(n, Get) and n.version != "delta"}
    assert (first.way, read) == ("support", {stage.name})


def test_what_decides_is_planted() -> None:
    stage = compile_view("v", joined(random.Random(1)), KEYED).stages[0]
    facts = Facts(frozenset("e"), frozenset("e"), frozenset("e"), {"e": frozenset({"dept"})})
    assert ways(stage, facts)[0].way == "plant"
