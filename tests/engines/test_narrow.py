"""Lookups before the statement: the same rows as without them, whatever the plan, NULLs and duplicates among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.support import bag, run_of, with_ids

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Get, Join, Keys, Negate, OuterJoin, Project, SemiJoin, Share, UnionAll
from belvedere.algebra.scalar import Scalar, cols
from belvedere.algebra.types import Column, Schema, parse_schema
from belvedere.algebra.typing import scalar
from belvedere.engines.duckdb import DuckDBEngine, narrow
from belvedere.engines.meetings import meetings
from belvedere.engines.scan import Scan
from belvedere.store import hot_columns
from belvedere.store.parquet import sort_rows

STORED = with_ids(parse_schema("k bigint, s string, d double, v int"))
LEAVES = ("small", "middle", "large")


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    made = DuckDBEngine(threads=1)
    yield made
    made.close()


def rows(r: random.Random, count: int, signs: tuple[int, ...]) -> pa.Table:
    numbers = [-0.0, 0.0, float("nan"), 1.5, None]
    return run_of(
        STORED,
        [
            (r.choice([*range(9), None]), r.choice(["a", "b", "", "é", None]), r.choice(numbers), r.randrange(3), r.choice(signs))
            for _ in range(count)
        ],
    )


def scans(r: random.Random, directory: Path) -> dict[str, Scan]:
    """A leaf in memory, and two in files of several row groups, the larger one with rows in memory beside it."""
    few = rows(r, r.randrange(4), (1, -1))
    paths, leading = [], []
    for n, count in enumerate((12, 40)):
        order = r.choice([(1,), (1,), (4, 1), (2,), (2, 1), (1, 2, 4)])
        leading.append(r.choice([STORED.names[order[0] - 1], ""]))
        table = sort_rows(rows(r, count, r.choice([(1, 1, 2, -1), (1,)])), order)
        gone = r.choice([[], [], ["c2"], ["c4"], ["c1"]])  # columns that the collection was given later
        paths.append(str(directory / f"{r.random()}-{n}.parquet"))
        pq.write_table(table.drop_columns(gone), paths[-1], row_group_size=8, write_statistics=["c1", "c2", "c4", "_w"])
    return {
        "small": Scan(STORED, tables=(few,), rows=few.num_rows),
        "middle": Scan(STORED, files=(paths[0],), rows=12, leading=leading[0]),
        "large": Scan(STORED, files=(paths[1],), tables=(rows(r, 2, (1,)),), rows=42, leading=leading[1]),
    }


class Plans:
    """Random plans in which every column has a name of its own."""

    def __init__(self, r: random.Random) -> None:
        self.r, self.number, self.shared = r, 0, 0

    def leaf(self) -> Node:
        self.number += 1
        visible = Schema(tuple(Column(f"{n}{self.number}", STORED[n].type) for n in STORED.names))
        return Get(self.r.choice(LEAVES), visible, STORED.names)

    def named(self, node: Node, kind: str) -> str:
        return self.r.choice([n for n in node.schema.names if n.startswith(kind)])

    def plan(self, depth: int) -> Node:
        if depth == 0:
            return self.leaf()
        a = self.plan(depth - 1)
        match self.r.randrange(9):
            case 0:
                return Filter(a, scalar(f"{self.named(a, 'v')} <> 1", a.schema))
            case 1:
                return UnionAll((a, Negate(self.again(a))))
            case 2:
                return Consolidate(a)
            case 3:
                self.shared += 1
                part = Share(a, f"part{self.shared}")
                k = self.named(a, "k")
                keys = Keys(part, ((f"k_{self.shared}", scalar(k, a.schema)),))
                return self.met(SemiJoin, part, keys, k, f"k_{self.shared}")
            case _:
                b = self.plan(self.r.randrange(depth))
                kind = self.r.choice(["k", "k", "k", "s", "d"])
                x, y = self.named(a, kind), self.named(b, kind)
                return self.r.choice([self.join, self.join, self.semi, self.anti, self.outer])(a, b, x, y)

    def again(self, node: Node) -> Node:
        """The same rows, their columns computed: v is no plain column any more."""
        items = tuple((n, scalar(f"{n} + 0", node.schema) if n.startswith("v") else s) for n, s in cols(node.schema))
        return Project(node, items)

    def on(self, a: Node, b: Node, x: str, y: str) -> Scalar:
        pairs = [(x, y)]
        for kind in self.r.sample("ksv", self.r.choice([0, 0, 1, 2])):  # some by several columns at once
            mine, theirs = ([n for n in side.schema.names if n.startswith(kind)] for side in (a, b))
            if mine and theirs:
                pairs.append((self.r.choice(mine), self.r.choice(theirs)))
        text = " and ".join(f"{m} {self.r.choice(['=', '=', '<=>'])} {t}" for m, t in pairs)
        return scalar(text, Schema((*a.schema.columns, *b.schema.columns)))

    def met(self, make: Callable[..., Node], a: Node, b: Node, x: str, y: str, **more: object) -> Node:
        return make(a, b, self.on(a, b, x, y), **more)

    def join(self, a: Node, b: Node, x: str, y: str) -> Node:
        return self.met(Join, a, b, x, y)

    def semi(self, a: Node, b: Node, x: str, y: str) -> Node:
        return self.met(SemiJoin, a, b, x, y)

    def anti(self, a: Node, b: Node, x: str, y: str) -> Node:
        return self.met(SemiJoin, a, b, x, y, anti=True)

    def outer(self, a: Node, b: Node, x: str, y: str) -> Node:
        return self.met(OuterJoin, a, b, x, y, kind=self.r.choice(["left", "right", "full"]))


def result(engine: DuckDBEngine, node: Node, found: dict[str, Scan]) -> object:
    return bag(engine.run(Consolidate(node), lambda get: found[get.name], measured=False)[0])


@pytest.mark.parametrize("seed", range(40))
def test_the_same_rows_as_without(engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    r = random.Random(seed)
    for _ in range(3):
        node, found = Plans(r).plan(r.randrange(1, 4)), scans(r, tmp_path)
        plain = result(engine, node, found)
        with monkeypatch.context() as m:
            m.setattr(narrow, "NEAR", 0)
            m.setattr(narrow, "WHOLE", 10)
            assert result(engine, node, found) == plain, str(node)
            m.setattr(hot_columns, "READ", 0)
            assert result(engine, node, found) == plain, str(node)


def test_leaves_are_narrowed_at_all() -> None:
    r = random.Random(1)
    made = [Plans(r).plan(2) for _ in range(100)]
    assert sum(bool(meetings(n)) for n in made) > 50
    several = [m for n in made for places in meetings(n).values() for place in places for m in place if len(m.columns) > 1]
    assert len(several) > 50
