"""The small domains that random rows are drawn from, and how values are written in SQL.

Small, so that rows meet: joins match, groups fill and empty, changes cancel. Floats are multiples of a half, so that sums are
exact in any order and a difference is a fault, not rounding.
"""

from __future__ import annotations

import datetime
import decimal
import math
import random
from dataclasses import dataclass
from typing import Any

D = decimal.Decimal
NAN = float("nan")
A1 = {"x": 1, "y": "a"}


@dataclass(frozen=True)
class Kind:
    """A family of types. `prefix` begins the name of every column of that kind, so that the oracle can tell kinds apart."""

    prefix: str
    ddl: str
    domain: tuple[Any, ...]
    bound: int = 4


KINDS: dict[str, Kind] = {
    "int": Kind("i", "int", (0, 1, 1, 2, 3)),
    "bigint": Kind("n", "bigint", (0, 1, 2, 3, -1)),
    "double": Kind("f", "double", (0.0, 0.5, -1.5, 2.0, 2.0, NAN), 2),
    "decimal": Kind("d", "decimal(5,2)", (D("0.00"), D("0.01"), D("1.50"), D("-2.25"), D("9.99")), 10),
    "string": Kind("s", "string", ("", "a", "b", "b")),
    "date": Kind("t", "date", (datetime.date(1969, 12, 31), datetime.date(2020, 2, 29), datetime.date(2020, 3, 1))),
    "boolean": Kind("b", "boolean", (True, False)),
    "array": Kind("a", "array<int>", ([], [0], [1, 1], [None, 2], [0, 1, 2])),
    "struct": Kind("r", "struct<x:int,y:string>", ({"x": None, "y": None}, A1, {"x": 1, "y": None}, {"x": 2, "y": "a"})),
    "map": Kind("m", "map<string,int>", ({}, {"a": 1}, {"a": 0, "b": 2}, {"b": None})),
    "structs": Kind("q", "array<struct<x:int,y:string>>", ([], [A1], [A1, {"x": None, "y": "b"}], [None])),
}  # fmt: skip

NULLS = 0.1


def kind_of(ddl: str) -> str:
    """The family of a type: decimal for decimal(12,2), structs for array<struct<…>>."""
    if ddl.startswith("array<struct"):
        return "structs"
    return ddl.split("(")[0].split("<")[0]


def draw(rng: random.Random, kind: str) -> Any:
    return None if rng.random() < NULLS else rng.choice(KINDS[kind].domain)


def literal(value: Any, ddl: str) -> str:
    """A value as Spark SQL writes it, of exactly that type."""
    match value:
        case None:
            return f"cast(null as {ddl})"
        case bool():
            return str(value).lower()
        case int():
            return f"cast({value} as {ddl})" if ddl != "int" else str(value)
        case float():
            shown = f"'{value}'" if not math.isfinite(value) else str(value)
            return f"cast({shown} as double)"
        case D():
            return f"cast({value} as {ddl})"
        case str():
            return "'" + value.replace("'", "\\'") + "'"
        case datetime.date():
            return f"date'{value}'"
        case list():
            inner = ddl[len("array<") : -1]
            return f"cast(array({', '.join(literal(v, inner) for v in value)}) as {ddl})"
        case dict() if ddl.startswith("map"):
            pairs = ", ".join(f"{literal(k, 'string')}, {literal(v, 'int')}" for k, v in value.items())
            return f"cast(map({pairs}) as {ddl})"
        case dict():
            fields = {"x": ("int", value["x"]), "y": ("string", value["y"])}
            return "named_struct(" + ", ".join(f"'{n}', {literal(v, t)}" for n, (t, v) in fields.items()) + ")"
    raise AssertionError(f"no literal for {value!r}")


def canon(value: Any) -> Any:
    """A hashable form, equal exactly where SQL holds two values equal."""
    match value:
        case float():
            return "NaN" if math.isnan(value) else value + 0.0
        case dict():
            return tuple((k, canon(v)) for k, v in sorted(value.items()))
        case list() | tuple():
            return ("list", *(canon(v) for v in value))
        case _:
            return value


def order_key(value: Any) -> Any:
    """Spark's order for scalars: NaN above all numbers."""
    return (1, 0.0) if isinstance(value, float) and math.isnan(value) else (0, value)
