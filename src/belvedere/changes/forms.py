"""What the user handed over → columns by name, each a Python list or an Arrow column.

Data frames are recognised by what they can do, never by importing their library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from belvedere.algebra.types import Schema
from belvedere.changes.bad_value import Locate, by_row, show
from belvedere.changes.convert_nested import fields_of
from belvedere.changes.names import resolve_all
from belvedere.errors import TypeMismatch

_FORMS = "a list of dicts, a pyarrow Table, or a pandas, polars or Spark DataFrame"


@dataclass(frozen=True)
class Columns:
    """Values by column name, all of the same length."""

    values: Mapping[str, list[Any] | pa.ChunkedArray]
    rows: int


def as_frame(data: Any, what: str) -> Columns | None:
    """The columns of anything that comes in columns; None for rows."""
    if isinstance(data, pa.Table):
        return _of_table(data, what)
    if isinstance(data, pa.RecordBatch):
        return _of_table(pa.Table.from_batches([data]), what)
    if isinstance(data, pa.RecordBatchReader):
        return _of_table(data.read_all(), what)
    if type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns"):
        return _of_pandas(data, what)
    if hasattr(data, "__arrow_c_stream__"):
        return _of_table(pa.table(data), what)
    for method in ("toArrow", "to_arrow"):
        if callable(getattr(data, method, None)):
            return _of_table(getattr(data, method)(), what)
    if callable(getattr(data, "collect_schema", None)) and callable(getattr(data, "collect", None)):
        return as_frame(data.collect(), what)  # a lazy frame
    return None


def _of_table(table: pa.Table, what: str) -> Columns:
    _refuse_twice(table.column_names, what)
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as e:
        raise TypeMismatch(f"{what}: the Arrow data is damaged: {e}") from e
    return Columns(dict(zip(table.column_names, table.columns, strict=True)), table.num_rows)


def _of_pandas(frame: Any, what: str) -> Columns:
    """pandas writes a missing value as NaN, so here NaN is NULL. The index is not data."""
    names = [str(n) for n in frame.columns]
    _refuse_twice(names, what)
    columns: dict[str, list[Any] | pa.ChunkedArray] = {}
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        try:
            array = pa.Array.from_pandas(series)
            columns[name] = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        except pa.ArrowException:
            columns[name] = [None if null else value for value, null in zip(series, series.isna(), strict=True)]
    return Columns(columns, len(frame))


def _refuse_twice(names: list[str], what: str) -> None:
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise TypeMismatch(f"{what}: the column {twice[0]} is there twice")


def as_rows(data: Any, what: str) -> Iterable[Any]:
    """The rows of anything that comes in rows; one dict, dataclass or named tuple is one row."""
    if isinstance(data, (str, bytes)):
        raise TypeMismatch(f"{what}: got the text {show(data)} where rows were expected; give {_FORMS}")
    if fields_of(data) is not None:
        return [data]
    if isinstance(data, Iterable):
        return data
    raise TypeMismatch(f"{what}: cannot read rows from {type(data).__name__}; give {_FORMS}")


def named(row: Any, names: tuple[str, ...] | None, what: str, where: str) -> Mapping[str, Any]:
    """One row as name → value. A plain tuple is taken by position if the width fits."""
    parts = fields_of(row)
    if parts is not None:
        return parts
    if isinstance(row, (tuple, list)) and names is not None:
        if len(row) == len(names):
            return dict(zip(names, row, strict=True))
        raise TypeMismatch(f"{what}, {where}: {len(row)} values for the {len(names)} columns {', '.join(names)}")
    raise TypeMismatch(f"{what}, {where}: {show(row)} is not a row; give a dict, a dataclass or a named tuple")


def rows_to_columns(rows: Iterable[Any], schema: Schema, what: str, *, partial: bool, locate: Locate = by_row) -> Columns:
    """Rows as columns under the schema's own names. A missing column is NULL; with `partial`, all rows must name the same."""
    columns: dict[str, list[Any]] = {}
    known: dict[tuple[str, ...], dict[str, str]] = {}
    first: tuple[str, ...] = ()
    rows = list(rows)
    for index, row in enumerate(rows):
        parts = named(row, None if partial else schema.names, what, locate(index))
        given = tuple(parts)
        if given not in known:
            known[given] = resolve_all(given, schema, what, locate(index))
            first = first or given
            if partial and set(known[given].values()) != set(known[first].values()):
                raise TypeMismatch(
                    f"{what}, {locate(index)}: names the columns {', '.join(sorted(known[given].values()))}, "
                    f"where the first row names {', '.join(sorted(known[first].values()))}; all rows must name the same"
                )
        for name, target in known[given].items():
            values = columns.setdefault(target, [])
            if len(values) < index:
                values.extend(itertools.repeat(None, index - len(values)))
            values.append(parts[name])
    for values in columns.values():
        values.extend(itertools.repeat(None, len(rows) - len(values)))
    return Columns(columns, len(rows))
