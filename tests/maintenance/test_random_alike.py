"""Plans of one shape as one, against each by itself: views that differ in constants and in what they read, over several changes.

Some tables are common to all of them, others are each view's own; so are, always, the stages that a view keeps.
"""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest
from sqlglot import exp
from tests.maintenance.random_trees import TABLES, Memory, Trees, rows, table
from tests.maintenance.test_random_rewrites import Twisted
from tests.maintenance.test_random_rules import _change

from belvedere.algebra.copying import replaced
from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get
from belvedere.algebra.scalar import Scalar
from belvedere.engines.alike import NotAlike, skeleton
from belvedere.engines.alike.skeleton import with_scalars
from belvedere.engines.duckdb import DuckDBEngine, steps
from belvedere.maintenance.stage_delta import stage_delta
from belvedere.maintenance.stages import compile_view

CASES = 100
BATCH = 20
KINDS = {"plain": Trees, "twisted": Twisted}


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


@pytest.mark.parametrize("batch", range(CASES // BATCH))
@pytest.mark.parametrize("kind", KINDS)
def test_alike(engine: DuckDBEngine, batch: int, kind: str) -> None:
    found: Counter[str] = Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        found += run_case(engine, seed, kind)
    assert found["together"] > BATCH, "most of them are alike"


@pytest.mark.parametrize("batch", range(3))
def test_alike_in_steps(engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """Every collection counts as large, so every lookup is a step."""
    monkeypatch.setattr(steps, "LARGE", -1)
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        run_case(engine, 5_000 + seed, "twisted" if seed % 2 else "plain")


def run_case(engine: DuckDBEngine, seed: int, kind: str = "plain") -> Counter[str]:
    """Replay one with: python -c "from tests.maintenance.test_random_alike import replay; replay(SEED, KIND)"."""
    rng = random.Random(seed)
    node = KINDS[kind](rng).tree(rng.randint(1, 3))
    own = frozenset(n for n in TABLES if rng.random() < 0.3)
    common = Memory(dict(TABLES))
    content = {n: rows(rng, s, rng.choice([0, 1, 3, 6])) for n, s in TABLES.items()}
    common.old = {n: [table(TABLES[n], [(r, 1) for r in rs])] for n, rs in content.items()}
    members = [_Member(engine, rng, node, own, common) for _ in range(rng.randint(2, 4))]
    seen: Counter[str] = Counter()
    _together(engine, [m.node for m in members], members, seed, seen)
    for _ in range(2):
        changed, deleting = _change(rng, common, content)
        for m in members:
            m.change(rng, common, changed, deleting)
        for at in range(len(members[0].plan.stages)):
            _stage(engine, members, at, seed, kind, seen)
        for m in members:
            m.memory.advance()
        common.advance()
    return seen


class _Member:
    """A view like the others, with what it keeps."""

    def __init__(self, engine: DuckDBEngine, rng: random.Random, node: Node, own: frozenset[str], common: Memory) -> None:
        self.own, self.common = own, common
        self.node = _varied(rng, node)
        self.plan = compile_view("v", self.node)
        self.memory = Memory(dict(TABLES))
        self.content = {n: rows(rng, TABLES[n], rng.choice([0, 2, 5])) for n in own}
        self.memory.old = {n: [table(TABLES[n], [(r, 1) for r in rs])] for n, rs in self.content.items()}
        self.changed: set[str] = set()
        self.deleting: set[str] = set()
        for s in self.plan.stages:
            self.memory.add_stage(s.name, s.definition.schema, engine.run(Consolidate(s.definition), self.resolve)[0])

    def resolve(self, get: Get):  # type: ignore[no-untyped-def]
        return (self.common if get.name in TABLES and get.name not in self.own else self.memory).resolve(get)

    def change(self, rng: random.Random, common: Memory, changed: set[str], deleting: set[str]) -> None:
        """All members have plans for the same kinds of change, so those of their own tables are of every kind."""
        _change(rng, self.memory, {**{n: [] for n in TABLES}, **self.content})
        self.memory.delta = {n: t for n, t in self.memory.delta.items() if n in self.own}
        self.changed, self.deleting = changed | self.own, deleting | self.own


def _stage(engine: DuckDBEngine, members: list[_Member], at: int, seed: int, kind: str, seen: Counter[str]) -> None:
    """One stage of all members: alone, and together."""
    stages = [m.plan.stages[at] for m in members]
    found = [stage_delta(s, frozenset(m.changed), frozenset(m.deleting)) for m, s in zip(members, stages, strict=True)]
    plans = [f.node for f in found if f is not None]
    if len(plans) < len(members):
        return
    if kind == "plain":  # rewriting may see that two conditions of one of them are the same
        assert all(skeleton(p).node == skeleton(plans[0]).node for p in plans), f"seed {seed}: they differ in constants only"
    alone = _together(engine, plans, members, seed, seen)
    for m, s, delta in zip(members, stages, alone, strict=True):
        m.changed, m.deleting = m.changed | {s.name}, m.deleting | {s.name}
        if delta.num_rows:
            m.memory.delta[s.name] = [m.memory.physical(s.name, delta)]


def _together(
    engine: DuckDBEngine, plans: list[Node], members: list[_Member], seed: int, seen: Counter[str]
) -> list[pa.Table]:
    """The rows of each plan by itself, after they were compared with those of all as one."""
    alone = [engine.run(p, m.resolve)[0] for p, m in zip(plans, members, strict=True)]
    try:
        gained = engine.alike(plans, [m.resolve for m in members]).found()
        together = [gained[n][0] for n in range(len(plans))]
    except NotAlike as e:
        seen[str(e)] += 1
        return alone
    seen["together"] += 1
    for n, (one, other) in enumerate(zip(alone, together, strict=True)):
        assert one.schema == other.schema
        assert _bag(one) == _bag(other), f"seed {seed}, member {n}\n{plans[n]}"
    return alone


def _varied(rng: random.Random, node: Node) -> Node:
    """The same, but for numbers that columns are compared with."""

    def vary(scalar: Scalar) -> Scalar:
        def swap(part: exp.Expr) -> exp.Expr | None:
            if not isinstance(part, exp.Literal) or not isinstance(part.find_ancestor(exp.Binary), exp.GT | exp.EQ | exp.NEQ):
                return None
            made = exp.Literal.number(rng.choice([0, 1, 2, 3, int(part.name)]))
            made.meta.update(part.meta)
            return made

        return Scalar(replaced(scalar.expr, swap), scalar.type)

    return node.transform(lambda n: with_scalars(n, vary))


def _bag(z: pa.Table) -> Counter[str]:
    bag: Counter[str] = Counter()
    for row in z.to_pylist():
        bag[str([v for n, v in row.items() if n != "_w"])] += row["_w"]
    return Counter({r: w for r, w in bag.items() if w})


def replay(seed: int, kind: str) -> None:
    print(run_case(DuckDBEngine(threads=1), seed, kind))
