"""Two answers to one query, compared as bags.

The plain database has other types for some results: averages and quotients of decimals are doubles there. A double is held
against a decimal with the decimal's last digit as tolerance, and against a double with a relative one of 1e-9. All else is
compared exactly; the types themselves are pinned apart from this.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa

RELATIVE = 1e-9


def difference(expected: pa.Table, actual: pa.Table) -> str | None:
    """What is wrong with the actual rows, in one line; None if nothing is."""
    if expected.num_columns != actual.num_columns:
        return f"{actual.num_columns} columns instead of {expected.num_columns}"
    if expected.num_rows != actual.num_rows:
        return f"{actual.num_rows} rows instead of {expected.num_rows}"
    loose = [n for n in range(expected.num_columns) if pa.types.is_floating(expected.schema.field(n).type)]
    wanted, found = _sorted(expected, loose), _sorted(actual, loose)
    for want, have in zip(wanted, found, strict=True):
        for n, (a, b) in enumerate(zip(want, have, strict=True)):
            if not _equal(a, b):
                return f"column {actual.schema.names[n]}: {b!r} instead of {a!r} in row {have!r}, expected {want!r}"
    return None


def _sorted(table: pa.Table, loose: list[int]) -> list[tuple[Any, ...]]:
    """Rows in an order that rounding cannot disturb: by exact columns first."""
    rows = list(zip(*(c.to_pylist() for c in table.columns), strict=True))
    order = [n for n in range(table.num_columns) if n not in loose] + loose
    return sorted(rows, key=lambda row: tuple((row[n] is not None, row[n] if row[n] is not None else 0) for n in order))


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None or not (isinstance(a, float) or isinstance(b, float)):
        return bool(a == b)
    last_digit = max(_last_digit(a), _last_digit(b))
    return math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=0.51 * last_digit)


def _last_digit(value: Any) -> float:
    return float(Decimal(1).scaleb(int(value.as_tuple().exponent))) if isinstance(value, Decimal) else 0.0
