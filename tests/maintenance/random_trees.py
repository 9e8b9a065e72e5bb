"""Random algebra over three small tables, and an in-memory stand-in for the store: the change rules by themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
import sqlglot

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Agg,
    Aggregate,
    Filter,
    Get,
    Join,
    OuterJoin,
    Project,
    SemiJoin,
    SortKey,
    TopK,
    UnionAll,
    Window,
    WindowCall,
    keep,
)
from belvedere.algebra.scalar import Scalar, conjunction, true
from belvedere.algebra.types import BigInt, Column, DataType, Int, Schema, to_arrow
from belvedere.algebra.typing import scalar
from belvedere.engines.scan import Scan

TABLES = {
    "r": Schema((Column("a", BigInt(), 1), Column("b", BigInt(), 2))),
    "s": Schema((Column("a", BigInt(), 1), Column("b", BigInt(), 2))),
    "t": Schema((Column("a", BigInt(), 1), Column("b", BigInt(), 2), Column("c", BigInt(), 3))),
}


@dataclass
class Trees:
    """Grows random trees; every column is a bigint with a name of its own."""

    rng: random.Random
    count: int = 0
    used: list[str] = field(default_factory=list)

    def name(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def tree(self, depth: int) -> Node:
        makers: list[Callable[[int], Node]] = [self.leaf]
        if depth > 0:
            makers = [self.filter, self.project, self.join, self.join, self.outer, self.semi, self.union, self.aggregate,
                      self.aggregate, self.window, self.top, self.leaf]  # fmt: skip
        make = self.rng.choice(makers)
        self.used.append(make.__name__)
        return make(depth - 1)

    def leaf(self, depth: int) -> Node:
        table = self.rng.choice(sorted(TABLES))
        stored = TABLES[table]
        visible = Schema(tuple(Column(self.name(), c.type) for c in stored))
        return Get(table, visible, stored.names)

    def column(self, node: Node) -> str:
        return self.rng.choice(node.schema.names)

    def condition(self, node: Node) -> Scalar:
        c, d = self.column(node), self.column(node)
        text = self.rng.choice(
            [f"{c} > 1", f"{c} = 2", f"{c} is null", f"{c} <= {d}", f"{c} <> 3 or {d} = 1", f"{c} is not null"]
        )
        return scalar(text, node.schema)

    def filter(self, depth: int) -> Node:
        node = self.tree(depth)
        return Filter(node, self.condition(node))

    def project(self, depth: int) -> Node:
        node = self.tree(depth)
        items = []
        for _ in range(self.rng.randint(1, 3)):
            c, d = self.column(node), self.column(node)
            text = self.rng.choice([c, c, f"{c} + {d}", f"coalesce({c}, 2)", f"{c} % 2", "cast(1 as bigint)"])
            items.append((self.name(), scalar(f"cast({text} as bigint)", node.schema)))
        return Project(node, tuple(items))

    def on(self, left: Node, right: Node) -> Scalar:
        both = Schema(left.schema.columns + right.schema.columns)
        parts = []
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            a, b = self.column(left), self.column(right)
            op = self.rng.choice(["=", "=", "=", "<=>", "<", "<>"])
            parts.append(scalar(f"{a} {op} {b}", both))
        if self.rng.random() < 0.1:
            return true()
        if self.rng.random() < 0.2:
            parts.append(scalar(f"{self.column(self.rng.choice([left, right]))} > 0", both))
        return conjunction(parts)

    def two(self, depth: int) -> tuple[Node, Node]:
        return self.tree(depth), self.tree(min(depth, 1))

    def join(self, depth: int) -> Node:
        a, b = self.two(depth)
        return Join(a, b, self.on(a, b))

    def outer(self, depth: int) -> Node:
        a, b = self.two(depth)
        return OuterJoin(a, b, self.on(a, b), self.rng.choice(["left", "right", "full"]))

    def semi(self, depth: int) -> Node:
        a, b = self.two(depth)
        return SemiJoin(a, b, self.on(a, b), self.rng.random() < 0.5)

    def union(self, depth: int) -> Node:
        a, b = self.two(depth)
        width = min(len(a.schema), len(b.schema))
        return UnionAll((keep(a, a.schema.names[:width]), keep(b, b.schema.names[:width])))

    def aggregate(self, depth: int) -> Node:
        node = self.tree(depth)
        keys = []
        for _ in range(self.rng.choice([0, 1, 1, 1, 2])):
            text = self.rng.choice([self.column(node), self.column(node), f"{self.column(node)} % 2"])
            keys.append((self.name(), scalar(text, node.schema)))
        aggs = []
        for _ in range(self.rng.randint(0 if keys else 1, 3)):
            x = scalar(self.column(node), node.schema)
            fn = self.rng.choice(["count*", "count", "sum", "min", "max", "distinct"])
            if fn == "count*":
                agg = Agg("count", (), BigInt())
            elif fn == "distinct":
                agg = Agg("count", (x,), BigInt(), distinct=True)
            else:
                agg = Agg(fn, (x,), BigInt())
            aggs.append((self.name(), agg))
        return Aggregate(node, tuple(keys), tuple(aggs))

    def order(self, node: Node) -> tuple[SortKey, ...]:
        return (SortKey(self.column(node), self.rng.random() < 0.5, self.rng.random() < 0.5),)

    def window(self, depth: int) -> Node:
        node = self.tree(depth)
        partition = tuple({self.column(node) for _ in range(self.rng.choice([0, 1, 1, 2]))})
        text = self.rng.choice(["row_number()", "rank()", "lag({c})", "sum({c})", "count({c})"]).format(c=self.column(node))
        name = self.name()
        made = Window(node, partition, self.order(node), ((name, WindowCall(_call(text, node.schema))),))
        items = [(n, scalar(f"cast({n} as bigint)" if n == name else n, made.schema)) for n in made.schema.names]
        return Project(made, tuple(items))

    def top(self, depth: int) -> Node:
        node = self.tree(depth)
        return TopK(node, self.order(node), self.rng.randint(0, 4), self.rng.randint(0, 2))


def _call(text: str, schema: Schema) -> Scalar:
    """A window call over columns that are all bigint."""
    expr = sqlglot.parse_one(text, dialect="spark")
    for c in expr.find_all(sqlglot.exp.Column):
        c.this.set("quoted", True)
        c.meta["t"] = BigInt()
    kind: DataType = Int() if text.startswith(("row", "rank")) else BigInt()
    expr.meta["t"] = kind
    return Scalar(expr, kind)


def rows(rng: random.Random, schema: Schema, count: int) -> list[tuple[int | None, ...]]:
    return [tuple(rng.choice([0, 1, 2, 3, None]) for _ in schema) for _ in range(count)]


def table(schema: Schema, data: list[tuple[tuple[int | None, ...], int]]) -> pa.Table:
    """A run in the stored layout."""
    columns = {f"c{c.id}": pa.array([r[i] for r, _ in data], to_arrow(c.type)) for i, c in enumerate(schema)}
    return pa.table({**columns, "_w": pa.array([w for _, w in data], pa.int64())})


@dataclass
class Memory:
    """Collections as lists of runs: the old ones, and the delta."""

    schemas: dict[str, Schema] = field(default_factory=dict)
    old: dict[str, list[pa.Table]] = field(default_factory=dict)
    delta: dict[str, list[pa.Table]] = field(default_factory=dict)

    def resolve(self, get: Get) -> Scan:
        runs = []
        if get.version in ("old", "new"):
            runs += self.old.get(get.name, [])
        if get.version in ("delta", "new"):
            runs += self.delta.get(get.name, [])
        return Scan(self.schemas[get.name], tables=tuple(runs), rows=sum(r.num_rows for r in runs))

    def add_stage(self, name: str, schema: Schema, content: pa.Table) -> None:
        stored = Schema(tuple(Column(c.name, c.type, i + 1) for i, c in enumerate(schema)))
        self.schemas[name] = stored
        self.old[name] = [self.physical(name, content)]

    def physical(self, name: str, content: pa.Table) -> pa.Table:
        return content.rename_columns([*(f"c{c.id}" for c in self.schemas[name]), "_w"])

    def advance(self) -> None:
        """The delta becomes part of the old state."""
        for name, runs in self.delta.items():
            self.old.setdefault(name, []).extend(runs)
        self.delta = {}
