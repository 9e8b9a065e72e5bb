"""Random join views over two to six databases: chains, stars, cycles and others, with random changes in any of them.

Everything follows from a seed. The columns: `id` the key; `a`, `b` small numbers with NULLs and many equals; `s` text in mixed
case; `v` another number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
from tests.servers.sites import Site

from belvedere.algebra.types import BigInt, DataType, String
from belvedere.sources.maintain.view import JoinView, Part
from belvedere.sources.opening import open_source
from belvedere.sources.source import Snapshot, Source, TableInfo, Watch
from belvedere.sources.url import parse

TYPES: dict[str, DataType] = {"id": BigInt(), "a": BigInt(), "b": BigInt(), "s": String(), "v": BigInt()}
SHAPES = ("chain", "star", "cycle", "any")


@dataclass
class Case:
    """Which tables, which conditions; `where` is SQL that Spark and DuckDB read alike."""

    parts: list[Part]
    where: str
    outputs: list[str]
    random: random.Random
    fresh: int = 0

    def view(self, infos: Mapping[str, TableInfo]) -> JoinView:
        return JoinView.of(self.parts, self.where, [(f"o{i}", o, _type(o)) for i, o in enumerate(self.outputs)], infos)

    def oracle(self) -> str:
        """The same view over tables called like the aliases."""
        columns = ", ".join(f"{o} as o{i}" for i, o in enumerate(self.outputs))
        return f"select {columns} from {', '.join(p.alias for p in self.parts)} where {self.where}"


def _type(output: str) -> DataType:
    return String() if output.endswith(".s") else BigInt()


def make(seed: int, shape: str | None = None, size: int | None = None) -> Case:
    r = random.Random(seed)
    shape, size = shape or r.choice(SHAPES), size or r.randint(2, 6)
    names = [f"t{i}" for i in range(size)]
    edges = _edges(r, shape, names)
    parts = [Part(n, f"s{i}", "items") for i, n in enumerate(names)]
    if r.random() < 0.15:
        # the first table again under another name
        parts.append(Part("again", "s0", "items"))
        edges.append((r.choice(names), "again"))
    conditions = [_condition(r, a, b) for a, b in edges]
    conditions += [_condition(r, *r.choice(edges)) for _ in range(r.random() < 0.2)]
    conditions += [f"{r.choice(names)}.a {r.choice(['<', '>=', '<>'])} {r.randint(0, 1)}" for _ in range(r.random() < 0.3)]
    if r.random() < 0.1:
        conditions.append(f"{r.choice(names)}.s = 'x'")
    if size > 2 and r.random() < 0.2:
        conditions.append("{}.v + {}.v <> {}.v + 3".format(*r.sample(names, 3)))
    outputs = [f"{p.alias}.{r.choice(['id', 'v', 'a', 's'])}" for p in r.sample(parts, r.randint(1, len(parts)))]
    if r.random() < 0.2:
        outputs.append(f"cast({names[0]}.v + {names[-1]}.a as bigint)")
    return Case(parts, " and ".join(conditions), outputs, r)


def _edges(r: random.Random, shape: str, names: list[str]) -> list[tuple[str, str]]:
    if shape == "star":
        return [(names[0], n) for n in names[1:]]
    if shape == "any":
        tree = [(names[r.randrange(i)], names[i]) for i in range(1, len(names))]
        more = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if (a, b) not in tree and r.random() < 0.25]
        return tree + more
    chain = list(pairwise(names))
    return [*chain, (names[-1], names[0])] if shape == "cycle" and len(names) > 2 else chain


def _condition(r: random.Random, a: str, b: str) -> str:
    kind = r.random()
    x, y = r.choice("ab"), r.choice("ab")
    if kind < 0.65:
        return f"{a}.{x} = {b}.{y}"
    if kind < 0.85:
        return f"{a}.s = {b}.s"
    if kind < 0.92:
        return f"{a}.{x} + 1 = {b}.{y}"
    return f"({a}.{x} = {b}.{y} and {b}.{x} <= {a}.v)"


def literal(values: Sequence[object]) -> str:
    """A row as every system reads it."""
    said = ["null" if v is None else f"'{v}'" if isinstance(v, str) else str(v) for v in values]
    return f"({', '.join(said)})"


def row(r: random.Random, key: int) -> tuple[object, ...]:
    def number() -> int | None:
        return None if r.random() < 0.1 else r.randint(0, 2)

    return key, number(), number(), r.choice(["x", "x", "x", "X", "y", "", None, "x "]), r.randint(0, 3)


class Databases:
    """The databases of a case, each with a writer of its own."""

    def __init__(self, case: Case, make_site: Callable[[str], Site], systems: Sequence[str] = ("sqlite",)) -> None:
        self.case = case
        self.writers: dict[str, Any] = {}
        self.sources: dict[str, Source] = {}
        self.watches: dict[str, Watch] = {}
        self.keys: dict[str, list[int]] = {}
        for name in sorted({p.source for p in case.parts}):
            site = make_site(case.random.choice(systems))
            key = "integer" if site.system == "sqlite" else "bigint"
            self.writers[name] = site.begin()
            self.keys[name] = []
            self.execute(name, f"create table items (id {key} primary key, a bigint, b bigint, s {site.text}, v bigint)")
            few = case.random.randint(4, 25) if len(case.parts) < 4 else case.random.randint(4, 9)
            rows = [row(case.random, k) for k in range(few)]
            self.execute(name, f"insert into items values {', '.join(map(literal, rows))}")
            self.keys[name] = list(range(few))
            source = self.sources[name] = open_source(name, parse(name, site.url))
            self.watches[name] = source.watch(Watch("t"), source.describe(["items"]))

    def execute(self, name: str, *statements: str) -> None:
        """One transaction."""
        for s in statements:
            self.writers[name].execute(s)
        self.writers[name].commit()

    def change(self, name: str, times: int) -> None:
        """Inserts, deletes and updates."""
        r, keys = self.case.random, self.keys[name]
        for _ in range(times):
            kind = r.random()
            if kind < 0.45 or not keys:
                self.case.fresh += 1
                keys.append(1000 + self.case.fresh)
                self.execute(name, f"insert into items values {literal(row(r, keys[-1]))}")
            elif kind < 0.7:
                self.execute(name, f"delete from items where id = {keys.pop(r.randrange(len(keys)))}")
            else:
                _, *values = row(r, 0)
                pairs = ", ".join(f"{c} = {literal([v])[1:-1]}" for c, v in zip("absv", values, strict=True))
                self.execute(name, f"update items set {pairs} where id = {r.choice(keys)}")

    @contextmanager
    def snapshots(self) -> Iterator[dict[str, Snapshot]]:
        with ExitStack() as stack:
            yield {n: stack.enter_context(s.snapshot(["items"], self.watches[n])) for n, s in self.sources.items()}

    def infos(self, snapshots: Mapping[str, Snapshot]) -> dict[str, TableInfo]:
        return {p.alias: snapshots[p.source].tables[p.table] for p in self.case.parts}

    def close(self) -> None:
        for source in self.sources.values():
            source.close()
        for writer in self.writers.values():
            writer.close()


def content(snapshots: Mapping[str, Snapshot]) -> dict[str, pa.Table]:
    """All rows of every source."""
    out = {}
    for name, snapshot in snapshots.items():
        batches = list(snapshot.read("items"))
        fields = [pa.field(n, pa.string() if n == "s" else pa.int64()) for n in TYPES]
        out[name] = pa.concat_tables(batches) if batches else pa.schema(fields).empty_table()
    return out
