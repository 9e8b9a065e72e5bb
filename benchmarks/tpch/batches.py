"""Batches of changes, made from the present state by a seeded generator.

The standard's refresh functions RF1 (new orders with their items) and RF2 (orders go with their items), random updates of any
column of any table, deletions from the small tables, everything at once, and nothing at all.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
from benchmarks.tpch.changes import Assign, Batch, Change, Delete, Insert, Replace
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.tables import TABLES, Table

#: how often a table is picked for a random update, where all tables are to have their turn
EVEN = {"lineitem": 8, "orders": 6, "partsupp": 3, "part": 3, "customer": 4, "supplier": 3, "nation": 1, "region": 1}
#: one new value in so many is NULL
NULLS = 12


class Batches:
    """Makes batches for a plain database; apply each to it before asking for the next."""

    def __init__(self, plain: Plain, seed: int) -> None:
        self.plain = plain
        self.rng = random.Random(seed)
        self.fresh = 0

    # the standard's refresh functions

    def rf1(self, orders: int) -> Batch:
        """New orders with their items, in the gaps that the standard leaves between order keys."""
        return Batch("rf1", self._new_orders(orders))

    def rf2(self, orders: int) -> Batch:
        """Orders go, with their items."""
        return Batch("rf2", self._old_orders(orders))

    def rf1_and_rf2(self, orders: int) -> Batch:
        """Both in one transaction."""
        return Batch("rf1+rf2", self._new_orders(orders) + self._old_orders(orders))

    # beyond the standard

    def updates(self, rows: int, weights: Mapping[str, int] | None = None) -> Batch:
        """Random new values in random columns of random rows. Without weights, every row of the database is as likely."""
        chances = dict(weights or {n: self.plain.keys(t).num_rows for n, t in TABLES.items()})
        picked = self.rng.choices(list(chances), list(chances.values()), k=rows)
        changes: list[Change] = []
        for name in TABLES:
            if count := picked.count(name):
                changes += self._updated(TABLES[name], count)
        return Batch("updates", tuple(changes))

    def small_deletes(self) -> Batch:
        """Rows of the small tables go, and leave others without a partner."""
        counts = {"region": 1, "nation": 2, "supplier": 4, "customer": 12, "part": 12, "partsupp": 12}
        return Batch("small deletes", tuple(Delete(n, self._pick(TABLES[n], c)) for n, c in counts.items()))

    def of_table(self, name: str, rows: int) -> Batch:
        """One table only: rows come, change and go."""
        return Batch(f"of {name}", tuple(self._mixed(TABLES[name], rows)))

    def everywhere(self, rows: int) -> Batch:
        """All tables in one transaction, by every kind of change."""
        changes: list[Change] = []
        for table in TABLES.values():
            changes += self._mixed(table, rows)
        few = self._pick(TABLES["supplier"], 3).column(0).to_pylist()
        richer = {"s_acctbal": "cast(s_acctbal * 2 + 1 as decimal(15,2))"}
        changes.append(Assign("supplier", richer, f"s_suppkey in ({_listed(few)})"))
        some = self._pick(TABLES["orders"], 5).column(0).to_pylist()
        later = {"o_orderdate": "date_add(o_orderdate, 30)", "o_orderstatus": "'F'"}
        changes.append(Assign("orders", later, f"o_orderkey in ({_listed(some)})"))
        return Batch("all tables", tuple(changes))

    def empty(self) -> Batch:
        """A transaction without any change."""
        return Batch("empty", ())

    # parts

    def _pick(self, table: Table, rows: int) -> pa.Table:
        """Some keys that exist."""
        keys = self.plain.keys(table)
        return keys.take(sorted(self.rng.sample(range(keys.num_rows), min(rows, keys.num_rows))))

    def _new_orders(self, count: int) -> tuple[Change, ...]:
        orders, items = TABLES["orders"], TABLES["lineitem"]
        models = self.plain.rows(orders, self._pick(orders, count)).to_pylist()
        taken = set(self.plain.ask("select o_orderkey from orders").column(0).to_pylist())
        customers = self.plain.keys(TABLES["customer"]).column(0)
        renamed: dict[int, int] = {}
        for order in models:
            renamed[order["o_orderkey"]] = key = self._gap(order["o_orderkey"], taken)
            order["o_orderkey"], order["o_custkey"] = key, customers[self.rng.randrange(len(customers))].as_py()
        of_models = pa.table({"o_orderkey": pa.array(renamed, pa.int64())})
        lines = self.plain.with_wanted(
            of_models, "from lineitem semi join wanted on l_orderkey = o_orderkey order by l_orderkey, l_linenumber"
        ).to_pylist()
        for line in lines:
            line["l_orderkey"] = renamed[line["l_orderkey"]]
            line["l_quantity"] = Decimal(self.rng.randrange(1, 51))
        return (Insert("orders", self._arrow(orders, models)), Insert("lineitem", self._arrow(items, lines)))

    def _gap(self, near: int, taken: set[int]) -> int:
        key = near
        while key in taken:
            key += self.rng.randrange(1, 9)
        taken.add(key)
        return key

    def _old_orders(self, count: int) -> tuple[Change, ...]:
        keys = self._pick(TABLES["orders"], count)
        items = self.plain.with_wanted(
            keys, "select l_orderkey, l_linenumber from lineitem semi join wanted on l_orderkey = o_orderkey order by all"
        )
        return (Delete("orders", keys), Delete("lineitem", items))

    def _mixed(self, table: Table, rows: int) -> list[Change]:
        """Some rows come, some change, some go, at most a third of them each."""
        rows = max(1, min(rows, self.plain.keys(table).num_rows // 3))
        keys = self._pick(table, 3 * rows).to_pylist()
        self.rng.shuffle(keys)
        wanted = {"come": keys[:rows], "change": keys[rows : 2 * rows], "go": keys[2 * rows :]}
        found = {n: self._keys(table, k) for n, k in wanted.items() if k}
        changes: list[Change] = []
        if "come" in found:
            copies = self.plain.rows(table, found["come"]).to_pylist()
            changes.append(Insert(table.name, self._arrow(table, [self._moved(table, row) for row in copies])))
        if "change" in found:
            changes += self._changed(table, self.plain.rows(table, found["change"]))
        if "go" in found:
            changes.append(Delete(table.name, found["go"]))
        return changes

    def _updated(self, table: Table, count: int) -> list[Change]:
        return self._changed(table, self.plain.rows(table, self._pick(table, count)))

    def _changed(self, table: Table, rows: pa.Table) -> list[Change]:
        """One column of each row gets another value; a row whose key changes goes and comes back."""
        pool = self.plain.rows(table, self._pick(table, 50)).to_pylist()
        kept: list[dict[str, Any]] = []
        gone: list[dict[str, Any]] = []
        come: list[dict[str, Any]] = []
        for row in rows.to_pylist():
            column = self.rng.choice(table.columns)
            if column in table.key:
                gone.append({k: row[k] for k in table.key})
                come.append(self._moved(table, row))
            else:
                kept.append({**row, column: self._value(row[column], self.rng.choice(pool)[column])})
        changes: list[Change] = []
        if kept:
            changes.append(Replace(table.name, self._arrow(table, kept)))
        if gone:
            changes += [Delete(table.name, self._keys(table, gone)), Insert(table.name, self._arrow(table, come))]
        return changes

    def _value(self, now: Any, other: Any) -> Any:
        """NULL, a neighbour of the present value, or that of another row."""
        if self.rng.randrange(NULLS) == 0:
            return None
        if now is None or self.rng.random() < 0.6:
            return other
        match now:
            case int():
                return now + self.rng.randrange(-3, 4)
            case Decimal():
                return now + Decimal(self.rng.randrange(-500, 500)) / 100
            case dt.date():
                return now + dt.timedelta(days=self.rng.randrange(-60, 60))
            case _:
                return other

    def _moved(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        """The row under a key that nobody has: the last key column goes far beyond all others."""
        self.fresh += 1
        return {**row, table.key[-1]: 1_000_000_000 + self.fresh}

    def _arrow(self, table: Table, rows: list[dict[str, Any]]) -> pa.Table:
        return pa.Table.from_pylist(rows, schema=self.plain.ask(f"from {table.name} limit 0").schema)

    def _keys(self, table: Table, keys: list[dict[str, Any]]) -> pa.Table:
        schema = self.plain.ask(f"from {table.name} limit 0").select(list(table.key)).schema
        return pa.Table.from_pylist([{k: row[k] for k in table.key} for row in keys], schema=schema)


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values)) or "null"
