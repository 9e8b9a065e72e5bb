"""Two bags, or two Z-sets, compared: what is missing, what is extra. Exact, or with a tolerance for floats."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pyarrow as pa

from belvedere.changes.arithmetic import add, consolidate, is_weighted, negate, negative, positive, same_columns, weighted
from belvedere.changes.names import WEIGHT
from belvedere.changes.plain import to_rows

_FLOAT = "·"


def equal(a: pa.Table, b: pa.Table, *, tolerance: float = 0.0) -> bool:
    """Equal as bags; weights are counted where there are any."""
    missing, extra = difference(a, b, tolerance=tolerance)
    return bool(missing.num_rows == 0 and extra.num_rows == 0)


def difference(expected: pa.Table, actual: pa.Table, *, tolerance: float = 0.0) -> tuple[pa.Table, pa.Table]:
    """(missing, extra), both with positive weights: what only `expected` has, and what only `actual` has.

    `tolerance` is relative; it lets floats differ, in columns and inside nested values. Everything else stays exact.
    """
    a = expected if is_weighted(expected) else weighted(expected)
    b = actual if is_weighted(actual) else weighted(actual)
    a, b = (z.select([*(n for n in z.column_names if n != WEIGHT), WEIGHT]) for z in (a, b))
    same_columns(a, b)
    delta = consolidate(add(a, negate(b)))
    missing, extra = positive(delta), negate(negative(delta))
    if tolerance <= 0 or not missing.num_rows or not extra.num_rows or not any(_has_float(f.type) for f in delta.schema):
        return missing, extra
    return _forgive(missing, extra, tolerance)


def _has_float(t: pa.DataType) -> bool:
    return bool(pa.types.is_floating(t)) or any(_has_float(t.field(i).type) for i in range(t.num_fields))


def _forgive(missing: pa.Table, extra: pa.Table, tolerance: float) -> tuple[pa.Table, pa.Table]:
    """Pair rows that agree but for floats that are close. Pairs are found by augmenting paths, so none is left out by luck."""
    ours, theirs = _units(missing), _units(extra)
    taken: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in by_shape[ours[i][1]]:
            if j not in seen and _close(ours[i][2], theirs[j][2], tolerance):
                seen.add(j)
                if j not in taken or place(taken[j], seen):
                    taken[j] = i
                    return True
        return False

    by_shape: dict[str, list[int]] = defaultdict(list)
    for j, (_, shape, _) in enumerate(theirs):
        by_shape[shape].append(j)
    unmatched = [i for i in range(len(ours)) if not place(i, set())]
    return (
        _pick(missing, [ours[i][0] for i in unmatched]),
        _pick(extra, [theirs[j][0] for j in range(len(theirs)) if j not in taken]),
    )


def _units(z: pa.Table) -> list[tuple[int, str, list[float]]]:
    """(row index, everything but the floats, the floats), once per unit of weight."""
    result = []
    for index, row in enumerate(to_rows(z)):
        weight = row.pop(WEIGHT)
        floats: list[float] = []
        shape = repr(_strip(row, floats))
        result.extend([(index, shape, floats)] * weight)
    return result


def _strip(value: Any, floats: list[float]) -> Any:
    match value:
        case float() if math.isfinite(value):
            floats.append(value)
            return _FLOAT
        case dict():
            return [(k, _strip(v, floats)) for k, v in sorted(value.items(), key=lambda p: repr(p[0]))]
        case list() | tuple():
            return [_strip(v, floats) for v in value]
        case _:
            return value


def _close(a: list[float], b: list[float], tolerance: float) -> bool:
    return all(math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance * 1e-3) for x, y in zip(a, b, strict=True))


def _pick(z: pa.Table, indices: list[int]) -> pa.Table:
    """The chosen units, one row each, summed up again."""
    units = weighted(z.drop_columns([WEIGHT]).take(pa.array(indices, pa.int64())))
    return consolidate(units)
