"""Files → typed Arrow, by their extension: csv, tsv, json, jsonl/ndjson, parquet, arrow/feather; text may be gzipped.

A folder (as Spark writes one) is read as its data files in the order of their names.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from belvedere.algebra.types import Array, DataType, Map, Schema, Struct
from belvedere.changes.bad_value import BadValue, Locate, by_row, mismatch
from belvedere.changes.csv_file import header, line_of, text_batches
from belvedere.changes.csv_types import infer_text
from belvedere.changes.file_errors import broken, existing, readable
from belvedere.changes.forms import Columns
from belvedere.changes.infer import infer_schema
from belvedere.changes.json_file import Numbered, json_lines, json_rows
from belvedere.changes.names import check_name, resolve_all
from belvedere.changes.rows import arrow_schema, to_table, typed

_KINDS = {
    "csv": "csv", "tsv": "tsv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl",
    "parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
_TEXT = ("csv", "tsv", "json", "jsonl")
_DELIMITER = {"csv": ",", "tsv": "\t"}
BATCH_ROWS = 100_000


def kind_of(path: Path) -> str:
    """csv, tsv, json, jsonl, parquet or arrow."""
    parts = path.name.lower().split(".")
    zipped = parts[-1] == "gz"
    kind = _KINDS.get(parts[-2] if zipped and len(parts) > 1 else parts[-1])
    if kind is None or (zipped and kind not in _TEXT):
        known = ", ".join(sorted(_KINDS))
        raise broken(path, None, f"the extension says no format; known are {known}, and .gz after a text format")
    return kind


def files_of(path: Path) -> list[Path]:
    """The file itself, or the data files of a folder."""
    if not existing(path).is_dir():
        return [path]
    names = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith(("_", ".")))
    if not names:
        raise broken(path, None, "the folder holds no data files")
    return names


def read_file(path: str | PathLike[str], schema: Schema | None = None, *, what: str = "") -> pa.Table:
    """The whole file as one table; without a schema the types are inferred."""
    place = Path(path)
    schema = schema or file_schema(place)
    batches = list(read_batches(place, schema, what=what))
    return pa.Table.from_batches(batches, schema=arrow_schema(schema))


def read_batches(
    path: str | PathLike[str], schema: Schema | None = None, batch_rows: int = BATCH_ROWS, *, what: str = ""
) -> Iterator[pa.RecordBatch]:
    """The same, batch by batch, for files that should not be in memory at once (a .json array is, while it is parsed)."""
    schema = schema or file_schema(Path(path))
    for file in files_of(Path(path)):
        name = what or str(file)
        kind = kind_of(file)
        if kind in _DELIMITER:
            tables = _csv_tables(file, schema, _DELIMITER[kind], name)
        elif kind in _TEXT:
            tables = _json_tables(file, schema, kind, batch_rows, name)
        else:
            tables = _columnar_tables(file, schema, kind, batch_rows, name)
        for table in tables:
            yield from table.combine_chunks().to_batches(max_chunksize=batch_rows)


def file_schema(path: str | PathLike[str]) -> Schema:
    """The schema of a file: its own if it has one, else the narrowest that fits every value."""
    file = files_of(Path(path))[0]
    kind = kind_of(file)
    if kind in _DELIMITER:
        names = header(file, _DELIMITER[kind])
        for name in names:
            check_name(name, str(file))
        batches = (b for f in files_of(Path(path)) for b in text_batches(f, _DELIMITER[kind]))
        return infer_text(batches, names)
    if kind in _TEXT:
        return _json_schema(files_of(Path(path)), kind, str(path))
    with readable(file, kind):
        if kind == "parquet":
            return infer_schema(pq.read_schema(file).empty_table(), what=str(file))
        return infer_schema(_arrow_file(file).schema.empty_table(), what=str(file))


def _csv_tables(file: Path, schema: Schema, delimiter: str, what: str) -> Iterator[pa.Table]:
    names = resolve_all(header(file, delimiter), schema, what, "line 1")
    walk = line_of(file, delimiter)
    start = 0
    for batch in text_batches(file, delimiter):
        base = start
        locate: Locate = lambda i, base=base: walk(base + i)  # type: ignore[misc]  # noqa: E731
        columns: dict[str, Any] = {}
        for given, values in zip(batch.schema.names, batch.columns, strict=True):
            column = names[given]
            if isinstance(schema[column].type, (Array, Map, Struct)):
                columns[column] = _parsed(values.to_pylist(), schema[column].type, what, column, locate)
            else:
                columns[column] = pa.chunked_array([values])
        yield typed(Columns(columns, batch.num_rows), schema, what=what, locate=locate)
        start += batch.num_rows


def _parsed(values: list[str | None], t: DataType, what: str, column: str, locate: Locate) -> list[Any]:
    """A nested value in a CSV field is JSON text."""
    result = []
    for index, text in enumerate(values):
        try:
            result.append(None if text is None else json.loads(text))
        except json.JSONDecodeError:
            raise mismatch(BadValue(text, f"a {t}", "write it as JSON"), what, column, locate(index)) from None
    return result


def _json(file: Path, kind: str, exact: bool = True) -> Iterator[Numbered]:
    return json_lines(file, exact) if kind == "jsonl" else json_rows(file, exact)


def _json_schema(files: list[Path], kind: str, what: str) -> Schema:
    """One walk over the rows; the row that does not fit is the one just read."""
    last = "row 1"

    def rows() -> Iterator[Any]:
        nonlocal last
        for index, (line, row) in enumerate(itertools.chain.from_iterable(_json(f, kind, exact=False) for f in files)):
            last = by_row(index) if line is None else f"line {line}"
            yield row

    return infer_schema(rows(), what=what, locate=lambda _: last)


def _locate(numbered: list[Numbered], base: int = 0) -> Locate:
    def locate(index: int) -> str:
        line = numbered[index][0]
        return by_row(base + index) if line is None else f"line {line}"

    return locate


def _json_tables(file: Path, schema: Schema, kind: str, batch_rows: int, what: str) -> Iterator[pa.Table]:
    rows = _json(file, kind)
    base = 0
    while chunk := list(itertools.islice(rows, batch_rows)):
        yield to_table([row for _, row in chunk], schema, what=what, locate=_locate(chunk, base))
        base += len(chunk)


def _columnar_tables(file: Path, schema: Schema, kind: str, batch_rows: int, what: str) -> Iterator[pa.Table]:
    base = 0
    for batch in _columnar_batches(file, kind, batch_rows):
        start = base
        yield to_table(batch, schema, what=what, locate=lambda i, start=start: by_row(start + i))  # type: ignore[misc]
        base += batch.num_rows


def _columnar_batches(file: Path, kind: str, batch_rows: int) -> Iterator[pa.RecordBatch]:
    with readable(file, kind):
        if kind == "parquet":
            with pq.ParquetFile(file) as parquet:
                yield from parquet.iter_batches(batch_size=batch_rows)
        else:
            yield from _arrow_file(file).to_batches(max_chunksize=batch_rows)


def _arrow_file(file: Path) -> pa.Table:
    """An Arrow file, or failing that an Arrow stream."""
    try:
        return feather.read_table(file, memory_map=True)
    except pa.ArrowInvalid:
        try:
            with pa.ipc.open_stream(file) as stream:
                return stream.read_all()
        except (pa.ArrowException, OSError):
            pass  # the first message is the one that helps
        raise
