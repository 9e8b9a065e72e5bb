"""A filter that lets the given keys pass, small enough to be pushed down to Parquet."""

from __future__ import annotations

from datetime import date
from decimal import Decimal as Exact
from itertools import pairwise
from typing import Any

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Boolean, Column, DataType, Date, Decimal, Integral, String
from belvedere.engines.sql import build

#: more keys than this become ranges
MOST = 400
RANGES = 100


def key_filter(column: Column, values: pa.ChunkedArray) -> Scalar | None:
    """`column IN (…)`, or a few ranges that hold all the keys; None where the type cannot be pushed down. NULL is no key."""
    if not isinstance(column.type, (Integral, String, Date, Decimal)):
        return None
    keys = sorted(v for v in values.to_pylist() if v is not None)
    if not keys:
        return Scalar(_typed(exp.false(), Boolean()), Boolean())
    if len(keys) <= MOST:
        node: exp.Expr = exp.In(this=_column(column), expressions=[_literal(k, column.type) for k in keys])
    else:
        parts = [
            exp.Between(this=_column(column), low=_literal(a, column.type), high=_literal(b, column.type))
            for a, b in ranges(keys)
        ]
        node = parts[0]
        for p in parts[1:]:
            node = exp.Or(this=node, expression=p)
    return Scalar(_typed(node, Boolean()), Boolean())


def ranges(keys: list[Any], most: int = RANGES) -> list[tuple[Any, Any]]:
    """Cover sorted keys by few ranges: cut at the widest gaps, or evenly where there is no distance.

    >>> ranges([1, 2, 3, 50, 51, 90], 3)
    [(1, 3), (50, 51), (90, 90)]
    """
    if len(keys) <= most:
        return [(k, k) for k in keys]
    if isinstance(keys[0], (int, date, Exact)):
        gaps = sorted(range(1, len(keys)), key=lambda i: keys[i] - keys[i - 1], reverse=True)[: most - 1]
    else:
        gaps = [len(keys) * i // most for i in range(1, most)]
    cuts = [0, *sorted(gaps), len(keys)]
    return [(keys[a], keys[b - 1]) for a, b in pairwise(cuts)]


def _column(column: Column) -> exp.Expr:
    node = exp.Column(this=exp.to_identifier(column.name, quoted=True))
    return _typed(node, column.type)


def _literal(value: Any, t: DataType) -> exp.Expr:
    if isinstance(t, Integral):
        return _typed(build.number(value), t)
    if isinstance(t, String):
        return _typed(build.text(value), t)
    text = value.isoformat() if isinstance(value, date) else format(value, "f")
    return _typed(exp.Cast(this=_typed(build.text(text), String()), to=exp.DataType.build(str(t), dialect="spark")), t)


def _typed(node: exp.Expr, t: DataType) -> exp.Expr:
    node.meta["t"] = t
    return node
