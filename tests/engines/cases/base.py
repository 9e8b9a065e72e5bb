"""One case for each thing that an operator must get right, over small domains: NULL, NaN, duplicates, cancelled rows, weight 2.

The tables, and short ways to write cases over them. Each case says what comes out; both engines must give exactly that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlglot import parse_one
from tests.engines.support import Tables

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Agg,
    Aggregate,
    Get,
    SortKey,
    Values,
    Window,
    WindowCall,
)
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.types import Schema, parse_schema, parse_type
from belvedere.algebra.typing import AnsiSpark, annotate, scalar

D = Decimal
NAN = float("nan")

TABLES = Tables()
#: (k, v, d): a duplicate, a row that is cancelled, one of weight 2, NULLs, NaN
L = TABLES.add("l", "k int, v decimal(6,2), d double", [
    (1, D("1.50"), 0.5, 1), (1, D("1.50"), 0.5, 1), (1, D("9.99"), 9.0, 1), (1, D("9.99"), 9.0, -1), (2, D("0.25"), NAN, 2),
    (None, D("4.00"), None, 1), (3, None, 1.0, 1), (4, D("7.00"), 7.0, 1), (4, D("7.00"), 7.0, -1),
])  # fmt: skip
#: (j, s): join partners; 2 is cancelled, 3 comes twice, NULL exists
R = TABLES.add("r", "j int, s string", [
    (1, "one", 1), (2, "two", 1), (2, "two", -1), (3, "three", 1), (3, "", 2), (None, "null", 1), (5, "five", 1),
])  # fmt: skip
NESTED = TABLES.add("n", "id int, a array<int>, m map<string,int>, st struct<p:int,q:string>", [
    (1, [2, None, 2], [("b", 1), ("a", 2)], {"p": 1, "q": None}, 1),
    (1, [2, None, 2], [("a", 2), ("b", 1)], {"p": 1, "q": None}, 1),
    (2, [], [], None, 2), (3, None, None, {"p": None, "q": "x"}, 1), (4, [None], [("z", None)], {"p": 1, "q": "a"}, 1),
])  # fmt: skip
EMPTY = TABLES.add("e", "x int, y string", [])
CLEAN = TABLES.add("c", "g int, w decimal(38,10)", [(1, D("1.0000000001"), 1), (1, D("2.5"), 3), (2, D("-7"), 1)], positive=True)
HOSTILE = TABLES.add(
    "h",
    "`A b` int, `a B` int, `select` int, `;drop` string, `" + "x" * 300 + "` int",
    [(1, 2, 3, "q", 4, 1), (1, 1, 1, "", 1, 2)],
)
TIES = TABLES.add("t", "p int, o int, x int", [
    (1, 1, 10, 1), (1, 1, 20, 1), (1, 2, 30, 2), (1, None, 5, 1), (2, 1, 7, 1), (2, 1, 7, -1), (2, 3, 8, 1),
])  # fmt: skip


@dataclass(frozen=True)
class Case:
    name: str
    node: Callable[[], Node]
    rows: Counter[Any]


def on(text: str, *sides: Get) -> Scalar:
    return scalar(text, Schema(tuple(c for s in sides for c in s.schema)))


def agg(fn: str, t: str, *args: str, over: Get = L, distinct: bool = False) -> Agg:
    return Agg(fn, tuple(scalar(a, over.schema) for a in args), parse_type(t), distinct)


def key(name: str, over: Get = L) -> tuple[str, Scalar]:
    return name, col(over.schema[name])


def by_k(**aggs: Agg) -> Node:
    return Aggregate(L, (key("k"),), tuple(aggs.items()))


def call(text: str, t: str, over: Get = TIES, frame: str | None = None) -> WindowCall:
    """A window function call with typed operands."""
    tree = parse_one(text, dialect=AnsiSpark)
    for part in tree.args.values():
        for operand in part if isinstance(part, list) else [part]:
            if hasattr(operand, "walk"):
                annotate(operand, over.schema)
    return WindowCall(Scalar(tree, parse_type(t)), frame)


def window(text: str, t: str, frame: str | None = None, order: tuple[SortKey, ...] = (SortKey("o"),)) -> Node:
    return Window(TIES, ("p",), order, (("r", call(text, t, frame=frame)),))


V = parse_schema("a int, b string")


def constants(*rows: tuple[str, str]) -> Node:
    return Values(V, tuple(tuple(scalar(c, Schema(())) for c in r) for r in rows))
