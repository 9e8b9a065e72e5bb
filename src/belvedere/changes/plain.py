"""Arrow → plain Python rows: what `rows()` of a view gives to a user."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa


def to_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Decimals as Decimal, timestamps aware in UTC, structs and maps as dicts (a map with nested keys: a list of pairs)."""
    columns = [_values(table[n], table.schema.field(n).type) for n in table.column_names]
    names = table.column_names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] if columns else [{}] * table.num_rows


def _values(column: pa.ChunkedArray, t: pa.DataType) -> list[Any]:
    values: list[Any] = column.to_pylist()
    return values if _plain(t) else [_value(v, t) for v in values]


def _plain(t: pa.DataType) -> bool:
    return not pa.types.is_nested(t) and not pa.types.is_timestamp(t)


def _value(value: Any, t: pa.DataType) -> Any:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo is not None else value
    if pa.types.is_struct(t):
        return {f.name: _value(value[f.name], f.type) for f in t}
    if pa.types.is_map(t):
        pairs = [(_value(k, t.key_type), _value(v, t.item_type)) for k, v in value]
        return pairs if pa.types.is_nested(t.key_type) else dict(pairs)
    if pa.types.is_nested(t):
        return [_value(v, t.value_type) for v in value]
    return value
