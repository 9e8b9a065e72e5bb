"""Collections in memory for the engines' tests, and results in a form that can be compared and written down."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.algebra.types import Column, Schema, parse_schema, to_arrow
from belvedere.engines.scan import Scan


def with_ids(schema: Schema) -> Schema:
    return Schema(tuple(Column(c.name, c.type, i) for i, c in enumerate(schema, 1)))


def run_of(schema: Schema, rows: Sequence[Sequence[Any]]) -> pa.Table:
    """Rows, the weight last, in the physical layout."""
    arrays = [pa.array([r[i] for r in rows], to_arrow(c.type)) for i, c in enumerate(schema)]
    weights = pa.array([r[-1] for r in rows], pa.int64())
    return pa.Table.from_arrays([*arrays, weights], names=[*(f"c{c.id}" for c in schema), "_w"])


class Tables:
    """Named collections, and the resolve function over them."""

    def __init__(self) -> None:
        self.scans: dict[str, Scan] = {}

    def add(self, name: str, ddl: str, rows: Sequence[Sequence[Any]], **known: Any) -> Get:
        schema = with_ids(parse_schema(ddl))
        tables = (run_of(schema, rows),) if rows else ()
        self.scans[name] = Scan(schema, tables=tables, rows=len(rows), **known)
        return Get(name, schema, schema.names)

    def __call__(self, get: Get) -> Scan:
        return self.scans[get.name]


def plain(value: Any) -> Any:
    """A value that compares by ==: NaN equal to NaN, -0.0 to 0.0, maps without an order."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, list):
        if value and all(isinstance(v, tuple) for v in value):
            return ("map", tuple(sorted(((plain(k), plain(v)) for k, v in value), key=repr)))
        return tuple(plain(v) for v in value)
    if isinstance(value, dict):
        return tuple((k, plain(v)) for k, v in value.items())
    return value


def bag(table: pa.Table) -> Counter[Any]:
    """The Z-set of a result: row → weight."""
    total: Counter[Any] = Counter()
    for row in table.to_pylist():
        weight = row.pop("_w")
        total[tuple(plain(v) for v in row.values())] += weight
    return Counter({k: w for k, w in total.items() if w})


def expected(*rows: tuple[Any, ...]) -> Counter[Any]:
    """Rows with the weight last."""
    return Counter({tuple(plain(v) for v in r[:-1]): r[-1] for r in rows})


def check_types(table: pa.Table, node: Node) -> None:
    wanted = pa.schema([*(pa.field(c.name, to_arrow(c.type)) for c in node.schema), pa.field("_w", pa.int64())])
    assert table.schema.equals(wanted), f"{table.schema} is not {wanted}"


def shown(value: Any) -> str:
    """A value on a line of a golden file."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, Decimal)):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    if isinstance(value, float):
        return repr(value + 0.0)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list) and value and all(isinstance(v, tuple) for v in value):
        return "<" + ", ".join(f"{shown(k)}: {shown(v)}" for k, v in sorted(value, key=repr)) + ">"
    assert isinstance(value, list), value
    return "[" + ", ".join(shown(v) for v in value) + "]"
