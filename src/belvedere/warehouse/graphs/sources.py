"""What load_oem can be given: Python objects, JSON or OEM text, files of them, JSON Lines, a directory.

All come out as elements, each with the place it stands at. One element is the named object itself; many become the parts of a
new object. JSON says each key of an object once; where one stands twice, that is two edges, as it would be with an array.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from belvedere.changes.file_errors import broken, existing, readable
from belvedere.changes.json_file import open_text
from belvedere.errors import BelvedereError, ParseError, UnknownName
from belvedere.languages.lorel.oem_text import OemTree, parse_oem

LINES = (".jsonl", ".ndjson")
OEM = (".oem",)
JSON = (".json", *LINES, *OEM)
_TEXT = re.compile(r"\s*([\[{\"&]|-?[0-9]|true\b|false\b)")
_LIKE_JSON = re.compile(r"\s*(\[|\{\s*(\"|\}))")


@dataclass(frozen=True)
class Element:
    """A tree (plain Python, or OEM as parsed from `text`), where it stands, and how much of the input is read by then."""

    tree: Any
    place: str = ""
    text: str = ""
    done: float | None = None


@dataclass(frozen=True)
class Line:
    """A line of a file that is to be read as JSON."""

    text: str
    path: Path
    number: int
    done: float | None = None

    def read(self) -> Element:
        return Element(_loads(self.text, self.path, self.number), f"{self.path}, line {self.number}", done=self.done)


@dataclass(frozen=True)
class Source:
    """One element that is the whole, or many that are parts, some of them as lines."""

    elements: Iterator[Element | Line]
    many: bool


def source_of(data: Any) -> Source:
    """What was given, in whatever form."""
    if data is None:
        raise BelvedereError("there is nothing to load: the data is None")
    if isinstance(data, OemTree):
        return _one(Element(data))
    if isinstance(data, str):
        if _TEXT.match(data):
            return _text(data, None)
        return _path(Path(data), hint='; JSON or OEM text begins with {, [, " or &')
    if isinstance(data, os.PathLike):
        return _path(Path(data))
    if isinstance(data, Iterable) and not isinstance(data, (Mapping, bytes, bytearray)):
        return Source((Element(x, f"element {i}") for i, x in enumerate(data, 1)), many=True)
    return _one(Element(data))


def _one(element: Element) -> Source:
    return Source(iter([element]), many=False)


def _path(path: Path, hint: str = "") -> Source:
    try:
        existing(path)
    except UnknownName as e:
        raise UnknownName(f"{e}{hint}") from None
    except (OSError, ValueError) as e:
        raise UnknownName(f"{str(path)[:60]!r} is neither the path of a file nor text that can be read{hint}") from e
    if path.is_dir():
        return Source(_directory(path), many=True)
    return _file(path)


def _kind(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return os.path.splitext(name)[1]


def _directory(path: Path) -> Iterator[Element | Line]:
    """All files of the kinds we know, in the order of their paths; an array gives its elements."""
    files = [f for f in sorted(path.rglob("*")) if f.is_file() and _kind(f) in JSON and not f.name.startswith(".")]
    if not files:
        raise UnknownName(f"{path} holds no {', '.join(JSON)} files to load")
    sizes = [max(f.stat().st_size, 1) for f in files]
    before, total = 0, sum(sizes)
    for file, size in zip(files, sizes, strict=True):
        for element in _file(file).elements:
            part = before + size * (0.0 if element.done is None else element.done)
            yield replace(element, done=part / total)
        before += size


def _file(path: Path) -> Source:
    if _kind(path) in LINES:
        return Source(_lines(path), many=True)
    with readable(path, "text"), open_text(path) as file:
        text = file.read()
    if _kind(path) in OEM:
        return _one(Element(_oem(text, path), str(path), text))
    return _text(text, path)


def _lines(path: Path) -> Iterator[Line]:
    size = path.stat().st_size if path.suffix.lower() != ".gz" else 0
    read = 0
    with readable(path, "JSON lines"), open_text(path) as file:
        for number, line in enumerate(file, 1):
            read += len(line)
            if line.strip():
                yield Line(line.rstrip(), path, number, min(read / size, 1.0) if size else None)


def _text(text: str, path: Path | None) -> Source:
    """JSON; or JSON in lines; or OEM."""
    try:
        tree = _loads(text, path)
    except ParseError as e:
        if not isinstance(e.__cause__, json.JSONDecodeError):
            raise
        lines = _as_lines(text, path) if e.__cause__.msg == "Extra data" else None
        if lines is not None:
            return lines
        if _LIKE_JSON.match(text):
            raise
        return _one(Element(_oem(text, path), str(path or ""), text))
    if isinstance(tree, list):
        place = f"{path}, " if path else ""
        return Source((Element(x, f"{place}element {i}") for i, x in enumerate(tree, 1)), many=True)
    return _one(Element(tree, str(path or "")))


def _as_lines(text: str, path: Path | None) -> Source | None:
    """The text as one value per line, if its first line is one."""
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        _loads(lines[0][1], path)
    except ParseError:
        return None
    place = f"{path}, " if path else ""
    return Source((Element(_loads(t, path, i, text), f"{place}line {i}") for i, t in lines), many=True)


def _oem(text: str, path: Path | None) -> OemTree:
    try:
        return parse_oem(text)
    except ParseError as e:
        if path is None:
            raise
        raise ParseError(f"{path}: {e.message}", text=e.text, line=e.line, column=e.column) from e


def _loads(text: str, path: Path | None, line: int = 1, around: str | None = None) -> Any:
    """The value that a text is; it begins at a line of the file, or of the text `around` it."""

    def error(message: str, row: int | None = None, column: int | None = None) -> ParseError:
        at = None if row is None else line + row - 1
        if path is None:
            return ParseError(message, text=around or text, line=at, column=column)
        found = broken(path, at, message if column is None else f"{message} at column {column}")
        found.column = column
        return found

    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refused)
    except json.JSONDecodeError as e:
        raise error(f"not JSON: {e.msg}", e.lineno, e.colno) from e
    except _Refused as e:
        row = 1 if "\n" not in text.strip() else None
        raise error(str(e), row) from None
    except RecursionError:
        raise error("nested too deeply for JSON") from None
    except ValueError as e:
        raise error(f"not JSON: {e}") from None


class _Refused(Exception):
    pass


def _refused(name: str) -> Any:
    raise _Refused(f'{name} is not JSON, and no number that can be compared; write it as text, "{name}", or leave it out')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    several: dict[str, list[Any]] = {}
    for key, value in pairs:
        several.setdefault(key, []).append(value)
    for key, values in several.items():
        if len(values) > 1:
            if key in ("&id", "$ref"):
                raise _Refused(f"{key!r} is there twice in one object")
            found[key] = [x for v in values for x in (v if isinstance(v, list) else [v])]
    return found


Progress = Callable[[int, float | None], None]
"""Called now and then with the number of edges so far and, where it is known, the part of the input that is read."""
