"""A warehouse that recomputes everything in DuckDB: it has the façade's names and no maintenance in it.

The kit is tried out on it: a right one must pass, and one with a planted fault must be caught and made small. Its changes are
SQL statements, so that it also holds the Python model to what SQL means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import sqlglot
from tests.fuzz.duck import duck_sql, duck_type
from tests.fuzz.model import Case, ViewSpec
from tests.fuzz.oracle import Oracle
from tests.fuzz.values import literal

from belvedere.algebra.types import Schema, parse_schema
from belvedere.changes import zset
from belvedere.changes.rows import to_table

Fault = Callable[[ViewSpec, pa.Table], pa.Table]


def no_fault(view: ViewSpec, rows: pa.Table) -> pa.Table:
    return rows


def duck(text: str) -> str:
    return sqlglot.transpile(text, read="spark", write="duckdb")[0]


class FakeWarehouse:
    """`specs` says what a view's columns are; `fault` may spoil what it shows after a refresh."""

    def __init__(self, case: Case, fault: Fault = no_fault) -> None:
        self.oracle = Oracle()
        self.db = self.oracle.db
        self._fault = fault
        self._specs = {v.name: v for v in case.views}
        self.schemas: dict[str, Schema] = {}
        self.keys: dict[str, str | None] = {}
        self._views: list[str] = []
        self._shown: dict[str, dict[int, pa.Table]] = {}
        self.epoch = 0

    def transaction(self) -> FakeTransaction:
        return FakeTransaction(self)

    def published(self) -> None:
        self.epoch += 1
        for name in self._views:
            if self._specs[name].mode == "immediate":
                self.materialize(name)

    def create_view(self, name: str, text: str, *, mode: str) -> None:
        spec = self._specs[name]
        self.db.execute(f"create view {name} as {duck_sql(spec.text)}")
        self._views.append(name)
        self._shown[name] = {}
        self.epoch += 1
        self._shown[name][self.epoch] = self.oracle.rows(spec)

    def materialize(self, name: str) -> None:
        spec = self._specs[name]
        self._shown[name][self.epoch] = self._fault(spec, self.oracle.rows(spec))

    def at(self, name: str, epoch: int) -> pa.Table:
        return self._shown[name][max(e for e in self._shown[name] if e <= epoch)]

    def view(self, name: str) -> FakeView:
        return FakeView(self, name)

    def refresh(self) -> None:
        self.epoch += 1
        for name in self._views:
            self.materialize(name)

    def drop_view(self, name: str) -> None:
        self.db.execute(f"drop view {name}")

    def drop_table(self, name: str) -> None:
        self.db.execute(f"drop table {name}")


@dataclass(frozen=True)
class FakeReport:
    strategy: str = "incremental"
    ok: bool = True


@dataclass(frozen=True)
class FakeView:
    wh: FakeWarehouse
    name: str

    @property
    def epoch(self) -> int:
        return max(self.wh._shown[self.name])

    def refresh(self, strategy: str) -> FakeReport:
        self.wh.epoch += 1
        self.wh.materialize(self.name)
        return FakeReport(strategy)

    def arrow(self) -> pa.Table:
        return self.wh.at(self.name, self.wh.epoch)

    def changes(self, since: int) -> list[dict[str, Any]]:
        new, old = zset.weighted(self.arrow()), zset.weighted(self.wh.at(self.name, since))
        return zset.to_rows(zset.consolidate(zset.add(new, zset.negate(old))))

    def verify(self) -> FakeReport:
        return FakeReport()


class FakeTransaction:
    def __init__(self, wh: FakeWarehouse) -> None:
        self._wh = wh
        self._db = wh.db

    def __enter__(self) -> FakeTransaction:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self._wh.published()

    def create_table(self, name: str, ddl: str, *, key: str | None) -> None:
        schema = parse_schema(ddl)
        self._wh.schemas[name], self._wh.keys[name] = schema, key
        self._db.execute(f"create table {name} ({', '.join(f'{c.name} {duck_type(str(c.type))}' for c in schema)})")

    def _put(self, table: str, rows: pa.Table) -> None:
        self._db.register("given", rows)
        self._db.execute(f"insert into {table} select * from given")
        self._db.unregister("given")

    def insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        self._put(table, to_table(rows, self._wh.schemas[table]))

    def delete(self, table: str, *, where: str | None = None, key: Any = None, rows: list[dict[str, Any]] | None = None) -> None:
        if rows is not None:
            now = zset.weighted(to_table(self._db.sql(f"select * from {table}").to_arrow_table(), self._wh.schemas[table]))
            gone = zset.weighted(to_table(rows, self._wh.schemas[table]), -1)
            left = zset.positive(zset.consolidate(zset.add(now, gone)))
            self._db.execute(f"delete from {table}")
            self._put(table, zset.expand(left))
            return
        if where is None:
            keys = key if isinstance(key, list) else [key]
            where = f"{self._wh.keys[table]} in ({', '.join(map(str, keys))})"
        self._db.execute(duck(f"delete from {table} where {where}"))

    def update(self, table: str, values: dict[str, Any], *, where: str) -> None:
        ddl = {c.name: str(c.type) for c in self._wh.schemas[table]}
        sets = ", ".join(f"{n} = {v if isinstance(v, str) else literal(v, ddl[n])}" for n, v in values.items())
        self._db.execute(duck(f"update {table} set {sets} where {where}"))

    def merge(self, table: str, rows: list[dict[str, Any]]) -> None:
        key = self._wh.keys[table]
        self.delete(table, key=[r[str(key)] for r in rows])
        self.insert(table, rows)

    def truncate(self, table: str) -> None:
        self._db.execute(f"delete from {table}")
