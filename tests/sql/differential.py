"""The same query twice: bound and run by the engine, and as text by plain DuckDB."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import sqlglot
from sqlglot import exp
from tests.sql.tables import SCHEMAS, TableNames, logical, scan

from belvedere.algebra.typing.dialect import AnsiSpark
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.languages.sql import bind


def engine_rows(engine: DuckDBEngine, text: str) -> Counter[Any]:
    """The bag of rows that the bound query gives."""
    bound = bind(text, TableNames(), unique=False)
    table, _ = engine.run(bound.node, scan)
    rows: Counter[Any] = Counter()
    for row in table.to_pylist():
        weight = row.pop("_w")
        rows[tuple(canonical(v) for v in row.values())] += weight
    return +rows


def text_rows(engine: DuckDBEngine, text: str) -> Counter[Any]:
    """The bag of rows that DuckDB gives for the text itself."""
    tree = sqlglot.parse_one(text, dialect=AnsiSpark)
    for table in tree.find_all(exp.Table):
        name = ".".join(p.name for p in table.parts)
        if name.lower() in {n.lower() for n in SCHEMAS} and len(table.parts) > 1:
            table.set("db", None)
            table.set("this", exp.to_identifier(name, quoted=True))
    result = engine.query_text(tree.sql("duckdb"), {n: logical(n) for n in SCHEMAS})
    return Counter(tuple(canonical(v) for v in row.values()) for row in _unique(result).to_pylist())


def _unique(table: pa.Table) -> pa.Table:
    return table.rename_columns([f"c{i}" for i in range(table.num_columns)])


def canonical(value: Any) -> Any:
    """A value so that equal ones of either side are equal: numbers by value, lists as tuples, maps sorted."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else round(value, 9)
    if isinstance(value, Decimal):
        return round(float(value), 6)
    if isinstance(value, int):
        return float(value) if abs(value) < 2**53 else value
    if isinstance(value, dict):
        return tuple((k, canonical(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(canonical(v) for v in value)
    return value
