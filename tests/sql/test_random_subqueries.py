"""Random queries with subqueries in every place, correlated in every way, compared with plain DuckDB."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Column, Schema, parse_schema
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.scan import Scan
from belvedere.languages.sql import bind
from belvedere.languages.sql.catalog import Relation

SCHEMA = Schema(tuple(Column(c.name, c.type, i) for i, c in enumerate(parse_schema("a int, b int, c int"), 1)))
TABLES = ("r", "s", "t")


class Names:
    def relation(self, name: str) -> Relation | None:
        return Relation(name, SCHEMA, Get(name, SCHEMA, SCHEMA.names)) if name in TABLES else None

    def relation_names(self) -> list[str]:
        return list(TABLES)

    def udf(self, name: str) -> None:
        return None


class Writer:
    """Writes one random query. `outer` lists the aliases that a subquery may refer to."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0

    def query(self) -> str:
        alias = self._alias()
        kind = self.chance.randrange(4)
        if kind == 0:
            return f"select {alias}.a as x, {alias}.b as y from {self._table()} {alias} where {self.condition([alias], 2)}"
        if kind == 1:
            return f"select {alias}.a as x, {self.value([alias], 1)} as y from {self._table()} {alias}"
        if kind == 2:
            keys = f"select {alias}.a as x, count(*) as n, max({alias}.b) as m from {self._table()} {alias}"
            return f"{keys} where {self.condition([alias], 1)} group by {alias}.a having count(*) > {self.chance.randrange(2)}"
        other = self._alias()
        joined = f"{self._table()} {alias} {self._join()} join {self._table()} {other} on {alias}.a = {other}.b"
        return f"select {alias}.c as x, {other}.c as y from {joined} where {self.condition([alias, other], 2)}"

    def condition(self, outer: list[str], depth: int) -> str:
        kind = self.chance.randrange(10 if depth else 3)
        if kind <= 1:
            return self._compare(outer)
        if kind == 2:
            word = self.chance.choice(["and", "or"])
            return f"({self.condition(outer, 0)} {word} {self.condition(outer, max(depth - 1, 0))})"
        if kind == 3:
            return f"not ({self.condition(outer, depth - 1)})"
        if kind <= 5:
            return f"{self._not()}exists ({self.rows(outer, depth - 1)})"
        if kind <= 7:
            return f"{self._column(outer)} {self._not()}in ({self.rows(outer, depth - 1)})"
        if kind == 8:
            quantifier = self.chance.choice(["any", "all"])
            return f"{self._column(outer)} {self._operator()} {quantifier} ({self.rows(outer, depth - 1)})"
        return f"{self._column(outer)} {self._operator()} {self.value(outer, depth - 1)}"

    def rows(self, outer: list[str], depth: int) -> str:
        """A subquery of one column."""
        alias = self._alias()
        inside = [alias, *outer]
        where = self.condition(inside, depth) if depth and self.chance.random() < 0.4 else self._compare(inside)
        if self.chance.random() < 0.6:
            where += f" and {alias}.{self._name()} = {self._column(outer)}"
        base = f"from {self._table()} {alias} where {where}"
        kind = self.chance.randrange(6)
        if kind == 0:
            return f"select {alias}.a {base} group by {alias}.a having count(*) > 1"
        if kind == 1:
            return f"select distinct {alias}.b {base}"
        if kind == 2:
            return f"select {alias}.a {base} union all select b from {self._table()}"
        return f"select {alias}.{self._name()} {base}"

    def value(self, outer: list[str], depth: int) -> str:
        """A subquery of one value."""
        alias = self._alias()
        inside = [alias, *outer]
        where = self.condition(inside, depth) if depth and self.chance.random() < 0.4 else self._compare(inside)
        if self.chance.random() < 0.7:
            where += f" and {alias}.{self._name()} = {self._column(outer)}"
        what = self.chance.choice(
            [
                "count(*)",
                f"sum({alias}.c)",
                f"max({alias}.b)",
                f"count({alias}.b) + 1",
                f"min({alias}.a + {self._column(outer)})",
            ]
        )
        having = " having count(*) > 1" if self.chance.random() < 0.2 else ""
        return f"(select {what} from {self._table()} {alias} where {where}{having})"

    def _compare(self, aliases: list[str]) -> str:
        right = self._column(aliases) if self.chance.random() < 0.6 else str(self.chance.randrange(4))
        return f"{self._column(aliases)} {self._operator()} {right}"

    def _column(self, aliases: list[str]) -> str:
        return f"{self.chance.choice(aliases)}.{self._name()}"

    def _name(self) -> str:
        return self.chance.choice("abc")

    def _operator(self) -> str:
        return self.chance.choice(["=", "=", "<", ">", "<=", "<>"])

    def _not(self) -> str:
        return self.chance.choice(["", "not "])

    def _join(self) -> str:
        return self.chance.choice(["", "left"])

    def _table(self) -> str:
        return self.chance.choice(TABLES)

    def _alias(self) -> str:
        self.count += 1
        return f"q{self.count}"


def random_rows(chance: random.Random) -> dict[str, list[tuple[int | None, ...]]]:
    values = (0, 1, 2, 3, None)
    return {t: [tuple(chance.choice(values) for _ in range(3)) for _ in range(chance.choice((0, 2, 5, 8)))] for t in TABLES}


def compare(engine: DuckDBEngine, seed: int) -> tuple[str, Counter[Any], Counter[Any]]:
    """The text of a seed, and its rows both ways."""
    chance = random.Random(seed)
    text, rows = Writer(chance).query(), random_rows(chance)
    columns = {t: [pa.array([r[i] for r in rows[t]], type=pa.int32()) for i in range(3)] for t in TABLES}

    def scan(get: Get) -> Scan:
        weights = pa.array([1] * len(rows[get.name]), type=pa.int64())
        table = pa.table([*columns[get.name], weights], names=["c1", "c2", "c3", "_w"])
        return Scan(SCHEMA, tables=(table,), rows=table.num_rows)

    table, _ = engine.run(bind(text, Names()).node, scan)
    ours: Counter[Any] = Counter()
    for row in table.to_pylist():
        weight = row.pop("_w")
        ours[tuple(row.values())] += weight
    plain = {t: pa.table(columns[t], names=["a", "b", "c"]) for t in TABLES}
    theirs = Counter(tuple(r.values()) for r in engine.query_text(text, plain).to_pylist())
    return text, +ours, theirs


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(threads=1)
    yield engine
    engine.close()


@pytest.mark.parametrize("block", range(10))
def test_same_rows(engine: DuckDBEngine, block: int) -> None:
    for seed in range(block * 20, block * 20 + 20):
        text, ours, theirs = compare(engine, seed)
        assert ours == theirs, f"seed {seed}: {text}"
