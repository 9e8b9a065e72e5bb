"""Small tables with NULLs, duplicates and keys without partners, for binding and for running what is bound."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.algebra.types import Column, Schema, parse_schema, to_arrow
from belvedere.engines.scan import Scan
from belvedere.languages.sql.catalog import Relation

_DDL = {
    "orders": "id bigint, customer bigint, amount decimal(12,2), day date, tags array<string>, addr struct<city:string,zip:int>, "
    "counts map<string,int>",
    "items": "order_id bigint, product string, qty int, price double",
    "customers": "id bigint, name string, region string",
    "empty": "id bigint, x int",
    "shop.sales": "id bigint, total decimal(10,2)",
    "Odd `Name`": "`a b` int, `select` int, A int, a int",
}

ROWS: dict[str, list[dict[str, Any]]] = {
    "orders": [
        {"id": 1, "customer": 1, "amount": Decimal("9.50"), "day": date(2024, 1, 1),
         "tags": ["a", "b"], "addr": {"city": "Ulm", "zip": 1}, "counts": {"x": 1}},
        {"id": 2, "customer": 1, "amount": Decimal("3.25"), "day": date(2024, 1, 2),
         "tags": [], "addr": {"city": "Bonn", "zip": 2}, "counts": {}},
        {"id": 3, "customer": 2, "amount": None, "day": date(2024, 2, 1),
         "tags": None, "addr": None, "counts": None},
        {"id": 4, "customer": None, "amount": Decimal("100.00"), "day": None,
         "tags": ["a", None], "addr": {"city": None, "zip": 3}, "counts": {"x": 2, "y": None}},
        {"id": 5, "customer": 4, "amount": Decimal("-1.00"), "day": date(2023, 12, 31),
         "tags": ["c"], "addr": {"city": "Ulm", "zip": None}, "counts": {"y": 7}},
        {"id": 5, "customer": 4, "amount": Decimal("-1.00"), "day": date(2023, 12, 31),
         "tags": ["c"], "addr": {"city": "Ulm", "zip": None}, "counts": {"y": 7}},
    ],
    "items": [
        {"order_id": 1, "product": "pen", "qty": 2, "price": 1.5},
        {"order_id": 1, "product": "ink", "qty": 1, "price": 4.0},
        {"order_id": 2, "product": "pen", "qty": 10, "price": 1.25},
        {"order_id": 2, "product": "pen", "qty": 10, "price": 1.25},
        {"order_id": 3, "product": None, "qty": None, "price": None},
        {"order_id": 9, "product": "ink", "qty": 0, "price": 0.0},
        {"order_id": None, "product": "pad", "qty": 3, "price": 2.5},
    ],
    "customers": [
        {"id": 1, "name": "Ada", "region": "north"},
        {"id": 2, "name": "Bob", "region": "south"},
        {"id": 3, "name": "Cyd", "region": "north"},
        {"id": 4, "name": None, "region": None},
        {"id": None, "name": "Eve", "region": "south"},
    ],
    "empty": [],
    "shop.sales": [{"id": 1, "total": Decimal("5.00")}, {"id": 2, "total": Decimal("7.50")}],
    "Odd `Name`": [{"a b": 1, "select": 2, "A": 3, "a": 4}, {"a b": None, "select": 2, "A": 5, "a": 6}],
}  # fmt: skip


def _with_ids(schema: Schema) -> Schema:
    return Schema(tuple(Column(c.name, c.type, i) for i, c in enumerate(schema, 1)))


SCHEMAS: dict[str, Schema] = {name: _with_ids(parse_schema(ddl)) for name, ddl in _DDL.items()}


class TableNames:
    """The names of the tables above, and of views over them."""

    def __init__(self, views: dict[str, Node] | None = None) -> None:
        self.views = views or {}

    def relation(self, name: str) -> Relation | None:
        for known in (*SCHEMAS, *self.views):
            if known == name or known.lower() == name.lower():
                if known in self.views:
                    node = self.views[known]
                    return Relation(known, node.schema, node)
                schema = SCHEMAS[known]
                return Relation(known, schema, lambda s=schema, k=known: Get(k, s, s.names))
        return None

    def relation_names(self) -> list[str]:
        return [*SCHEMAS, *self.views]

    def udf(self, name: str) -> None:
        return None


def logical(name: str) -> pa.Table:
    """A table's rows under their visible names."""
    schema = SCHEMAS[name]
    columns = [pa.array([r[c.name] for r in ROWS[name]], type=_arrow(c)) for c in schema]
    return pa.table(columns, names=list(schema.names))


def _arrow(c: Column) -> pa.DataType:
    return to_arrow(c.type)


def scan(get: Get) -> Scan:
    """The runs behind a leaf: the first row with a cancelled twin, the rest one by one, so that weights matter."""
    schema, rows = SCHEMAS[get.name], ROWS[get.name]
    weighted = [(r, 1) for r in rows] + [(r, 1) for r in rows[:1]] + [(r, -1) for r in rows[:1]]
    columns = [pa.array([r[c.name] for r, _ in weighted], type=_arrow(c)) for c in schema]
    weights = pa.array([w for _, w in weighted], type=pa.int64())
    table = pa.table([*columns, weights], names=[*(f"c{c.id}" for c in schema), "_w"])
    return Scan(schema, tables=(table,), rows=table.num_rows)
