"""What is known about a run without opening it: bounds, NULL counts and, for small ones, the values themselves.

They let a reader skip a run, and let a change be found irrelevant without a query. Missing statistics mean "anything".
"""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from belvedere.store.physical import WEIGHT

EXACT_ROWS = 10_000
MAX_VALUES = 32
MAX_TEXT = 64
#: so few values are looked at one by one
FEW = 64


def encode_value(value: Any) -> Any:
    """A value as JSON: int, bool and str as they are, decimals and dates as text."""
    if isinstance(value, decimal.Decimal | datetime.date):
        return str(value)
    return value


def _wanted(t: pa.DataType) -> bool:
    return bool(
        pa.types.is_signed_integer(t)
        or pa.types.is_decimal(t)
        or pa.types.is_string(t)
        or pa.types.is_date32(t)
        or pa.types.is_boolean(t)
    )


def exact_stats(table: pa.Table) -> dict[str, Any]:
    """Statistics of rows that are in memory, keyed by column id."""
    return {
        name[1:]: _column(table.column(name)) for name in table.column_names if name != WEIGHT and _wanted(table.field(name).type)
    }


def stats_of_parts(table: pa.RecordBatch, starts: Any) -> list[dict[str, Any]]:
    """The same of each part of a table, none of them empty, by the places where they begin."""
    ends = [*starts[1:].tolist(), table.num_rows]
    parts: list[dict[str, Any]] = [{} for _ in ends]
    begins = np.zeros(table.num_rows, dtype=np.int64)
    begins[starts[1:]] = 1
    numbers = np.cumsum(begins)
    for name, values in zip(table.schema.names, table.columns, strict=True):
        if name == WEIGHT or not _wanted(values.type):
            continue
        if pa.types.is_signed_integer(values.type) and not values.null_count:
            told = _whole(values.to_numpy(), starts, numbers)
        else:
            told = [_column(values.slice(a, b - a)) for a, b in zip(starts.tolist(), ends, strict=True)]
        for part, known in zip(parts, told, strict=True):
            part[name[1:]] = known
    return parts


def _whole(values: Any, starts: Any, numbers: Any) -> list[dict[str, Any]]:
    """Of parts of a column of whole numbers without NULL; by row, the number of its part."""
    ordered = values[np.lexsort((values, numbers))]
    new = np.ones(len(values), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    new[starts] = True
    counts = np.add.reduceat(new, starts, dtype=np.int64).tolist()
    distinct = ordered[new].tolist()
    found = []
    at = 0
    for count in counts:
        mine = distinct[at : at + count]
        at += count
        found.append({"nulls": 0, "min": mine[0], "max": mine[-1]} | ({"values": mine} if count <= MAX_VALUES else {}))
    return found


def _column(values: pa.ChunkedArray | pa.Array) -> dict[str, Any]:
    stats: dict[str, Any] = {"nulls": values.null_count}
    if values.null_count == len(values):
        return stats | {"values": []}
    if len(values) <= FEW:
        return stats | _few([v for v in dict.fromkeys(values.to_pylist()) if v is not None])
    distinct = values.unique().drop_null()
    if pa.types.is_string(values.type) and pc.max(pc.utf8_length(distinct)).as_py() > MAX_TEXT:
        return stats
    bounds = pc.min_max(distinct)
    stats["min"], stats["max"] = encode_value(bounds["min"].as_py()), encode_value(bounds["max"].as_py())
    if len(distinct) <= MAX_VALUES:
        stats["values"] = [encode_value(v) for v in distinct.to_pylist()]
    return stats


def _few(distinct: list[Any]) -> dict[str, Any]:
    """The same of a few values. The order of texts is that of their code points, in Python as in UTF-8."""
    if isinstance(distinct[0], str) and max(map(len, distinct)) > MAX_TEXT:
        return {}
    stats = {"min": encode_value(min(distinct)), "max": encode_value(max(distinct))}
    return stats | ({"values": [encode_value(v) for v in distinct]} if len(distinct) <= MAX_VALUES else {})


def footer_stats(meta: pq.FileMetaData) -> dict[str, Any]:
    """Bounds from a Parquet footer; a column without complete statistics is left out."""
    found: dict[str, dict[str, Any]] = {}
    broken: set[str] = set()
    arrow = meta.schema.to_arrow_schema()
    wanted = {f.name: _python_type(f.type) for f in arrow if f.name != WEIGHT and _wanted(f.type)}
    for g in range(meta.num_row_groups):
        group = meta.row_group(g)
        for i in range(meta.num_columns):
            chunk = group.column(i)
            name = chunk.path_in_schema
            if name not in wanted or name in broken:
                continue
            if not _merge(found.setdefault(name[1:], {"nulls": 0}), chunk, group.num_rows, wanted[name]):
                broken.add(name)
                found.pop(name[1:], None)
    return found


def _python_type(t: pa.DataType) -> type:
    if pa.types.is_decimal(t):
        return decimal.Decimal
    if pa.types.is_date32(t):
        return datetime.date
    return bool if pa.types.is_boolean(t) else str if pa.types.is_string(t) else int


def _merge(into: dict[str, Any], chunk: pq.ColumnChunkMetaData, rows: int, kind: type) -> bool:
    """Widen the bounds by one column chunk; False when the chunk does not say enough.

    A footer may give a decimal as the unscaled integer it is stored as; a bound of another kind than the column's values
    is no bound.
    """
    s = chunk.statistics if chunk.is_stats_set else None
    if s is None or not s.has_null_count:
        return False
    into["nulls"] += s.null_count
    if s.null_count == rows:
        return True
    if not s.has_min_max or (isinstance(s.min, str) and max(len(s.min), len(s.max)) > MAX_TEXT):
        return False
    low, high = s.min, s.max
    if not isinstance(low, kind) or not isinstance(high, kind):
        return False
    into["min"] = min(into["min"], low) if "min" in into else low
    into["max"] = max(into["max"], high) if "max" in into else high
    return True


def encoded(stats: dict[str, Any]) -> dict[str, Any]:
    """Footer bounds in their JSON form."""
    return {k: {n: encode_value(v) for n, v in s.items()} for k, s in stats.items()}
