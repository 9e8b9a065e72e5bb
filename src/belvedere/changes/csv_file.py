"""CSV with a header line. An empty field is NULL, a quoted empty field is the empty string.

Arrow parses (fast, streaming) and knows quoted from unquoted, but not line numbers; so when something is wrong the file is
walked once more with Python's csv module to find the line to name.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from belvedere.changes.file_errors import broken, readable
from belvedere.changes.json_file import open_text

_BLOCK = 8 << 20


def header(path: Path, delimiter: str) -> list[str]:
    with readable(path, "CSV"), open_text(path, "replace") as file:  # bad text further down has its own message
        try:
            names = next(csv.reader(file, delimiter=delimiter), None)
        except csv.Error as e:
            raise broken(path, 1, f"the header cannot be read: {e}") from None
    if not names:
        raise broken(path, 1, "the file has no header line with the names of the columns")
    for position, name in enumerate(names, 1):
        if not name:
            raise broken(path, 1, f"the column {position} of the header has no name")
        if names.count(name) > 1:
            raise broken(path, 1, f"the header names the column {name} twice")
    return names


def text_batches(path: Path, delimiter: str) -> Iterator[pa.RecordBatch]:
    """The file as batches of text columns, rows in order."""
    names = header(path, delimiter)
    _refuse_open_quote(path, delimiter)
    wrong: list[str] = []

    def refuse(row: pacsv.InvalidRow) -> str:
        wrong.append(f"{row.actual_columns} values for {row.expected_columns} columns")
        return "error"

    size = max(_BLOCK, min(path.stat().st_size * 2, 1 << 30)) if _has_long_lines(path) else _BLOCK
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            yield from pacsv.open_csv(
                stream,
                read_options=pacsv.ReadOptions(use_threads=False, block_size=size),
                parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                    null_values=[""],
                ),
            )
    except (pa.ArrowException, OSError) as e:
        _explain(path, delimiter, len(names), wrong)
        with readable(path, "CSV"):
            raise e


def line_of(path: Path, delimiter: str) -> Callable[[int], str]:
    """Row index → "line 7": where the row begins, counted by walking the file."""

    def locate(index: int) -> str:
        with open_text(path, "replace") as file:
            for number, (line, _) in enumerate(_records(file, delimiter)):
                if number == index + 1:
                    return f"line {line}"
        return f"row {index + 1}"

    return locate


def _records(file: Iterator[str], delimiter: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """(line on which the record begins, fields), the header first; blank lines are no records."""
    reader = csv.reader(file, delimiter=delimiter, strict=strict)
    begin = 1
    for record in reader:
        if record:
            yield begin, record
        begin = reader.line_num + 1


def _refuse_open_quote(path: Path, delimiter: str) -> None:
    """A quote that never closes swallows the rest of the file without a word, so quotes are counted first."""
    quotes = 0
    with readable(path, "CSV"), pa.input_stream(str(path), compression="detect") as stream:
        while chunk := stream.read(1 << 20):
            quotes += chunk.count(b'"')
    if quotes % 2 == 0:
        return
    begin = 1
    with readable(path, "CSV"), open_text(path, "replace") as file:
        try:
            for begin, record in _records(file, delimiter, strict=True):
                begin += sum(field.count("\n") for field in record) + 1
        except csv.Error as e:
            if "unexpected end" in str(e):
                raise broken(path, begin, "a quote opens and is never closed") from None


def _explain(path: Path, delimiter: str, width: int, wrong: list[str]) -> None:
    """Raise the error with the line, if walking the file finds it."""
    line = 0
    try:
        with open_text(path) as file:
            for line, record in _records(file, delimiter):
                if len(record) != width:
                    message = wrong[0] if wrong else f"{len(record)} values for {width} columns"
                    raise broken(path, line, message) from None
    except UnicodeDecodeError:
        raise broken(path, _undecodable(path), "the text is not UTF-8") from None
    except csv.Error as e:
        raise broken(path, line + 1, str(e)) from None


def _undecodable(path: Path) -> int | None:
    with pa.input_stream(str(path), compression="detect") as stream:
        for number, line in enumerate(stream.read().split(b"\n"), 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def _has_long_lines(path: Path) -> bool:
    """A record longer than a block stops Arrow; then the whole file is one block."""
    length = longest = 0
    with readable(path, "CSV"), pa.input_stream(str(path), compression="detect") as stream:
        while chunk := stream.read(1 << 20):
            parts = chunk.split(b"\n")
            longest = max(longest, length + len(parts[0]), *(len(p) for p in parts[1:]))
            length = len(parts[-1]) if len(parts) > 1 else length + len(parts[0])
    return longest > _BLOCK // 2
