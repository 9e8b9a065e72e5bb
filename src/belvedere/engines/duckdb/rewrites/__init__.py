"""DuckDB's form of Spark's scalars, one file per family. RULES goes by sqlglot's class, NAMED by Spark's function name."""

from __future__ import annotations

from sqlglot import exp

from belvedere.engines.duckdb.rewriter import Rule
from belvedere.engines.duckdb.rewrites import (
    arithmetic,
    casts,
    collections,
    dates,
    json,
    lambdas,
    literals,
    logic,
    nested,
    numbers,
    regular,
    strings,
)

_FAMILIES = (literals, logic, arithmetic, casts, nested, collections, lambdas, numbers, strings, regular, dates, json)

RULES: dict[type[exp.Expr], Rule] = {}
NAMED: dict[str, Rule] = {}
for _family in _FAMILIES:
    RULES.update(_family.RULES)
    NAMED.update(_family.NAMED)
