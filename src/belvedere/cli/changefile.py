"""Reading changes.jsonl: text → checked statements, each knowing its line. Nothing here touches a warehouse.

A line is one JSON object with an `op`. `{"op": "commit"}` ends a transaction; without any, the file is one. The whole file is
read and checked before anything of it is applied.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from belvedere.errors import ParseError, suggest


@dataclass(frozen=True)
class Shape:
    """What a line with some `op` must and may hold. Of `one_of`, exactly one field is there."""

    required: tuple[tuple[str, type], ...]
    one_of: tuple[tuple[str, type], ...] = ()
    optional: tuple[tuple[str, type], ...] = ()

    @property
    def fields(self) -> dict[str, type]:
        return dict((*self.required, *self.one_of, *self.optional))


BINARY = "$base64"
"""JSON has no bytes: {"$base64": "AAEC"} stands for them, in what is read and in what --json writes."""

OBJECT = "$object"
"""{"$object": "ann"} stands for the object that a line before made with "as": "ann"."""

_TABLE = ("table", str)
_MEMBER = (("oid", object), ("attr", str))
_EDGE = (("source", object), ("label", str), ("target", object))
_ROWS = (("row", dict), ("rows", list))
SHAPES: dict[str, Shape] = {
    "insert": Shape((_TABLE,), _ROWS),
    "merge": Shape((_TABLE,), _ROWS),
    "delete": Shape((_TABLE,), (("where", str), ("key", object), *_ROWS)),
    "update": Shape((_TABLE, ("set", dict), ("where", str))),
    "truncate": Shape((_TABLE,)),
    "add_relation": Shape((_TABLE, ("schema", str)), optional=(("key", object),)),
    "drop_relation": Shape((_TABLE,)),
    "rename_relation": Shape((_TABLE, ("new", str))),
    "add_attribute": Shape((_TABLE, ("name", str), ("type", str))),
    "drop_attribute": Shape((_TABLE, ("name", str))),
    "rename_attribute": Shape((_TABLE, ("name", str), ("new", str))),
    "new": Shape((("class", str),), optional=(("set", dict), ("as", str))),
    "modify": Shape((("oid", object), ("set", dict))),
    "delete_object": Shape((("oid", object),)),
    "insert_element": Shape((*_MEMBER, ("value", object)), optional=(("position", int),)),
    "remove_element": Shape(_MEMBER, (("value", object), ("position", int))),
    "set_element": Shape((*_MEMBER, ("position", int), ("value", object))),
    "add_object": Shape((), optional=(("value", object), ("as", str))),
    "add_edge": Shape(_EDGE),
    "remove_edge": Shape(_EDGE),
    "set_value": Shape((("oid", object), ("value", object))),
    "set_name": Shape((("name", str), ("oid", object))),
    "remove_name": Shape((("name", str),)),
    "commit": Shape(()),
}
_KINDS: dict[type, str] = {str: "text", dict: "an object", list: "a list of objects", int: "a whole number"}


@dataclass(frozen=True)
class Statement:
    """One checked line. `row` has become `rows`, so that a reader meets one spelling."""

    line: int
    op: str
    fields: dict[str, Any]

    @property
    def table(self) -> str:
        """Empty for a line about an object."""
        return str(self.fields.get("table", ""))


@dataclass(frozen=True)
class _Line:
    source: str
    number: int
    text: str

    def error(self, message: str, column: int = 1) -> ParseError:
        return ParseError(f"{self.source}: {message}; nothing was applied", text=self.text, line=self.number, column=column)

    def at(self, field: str) -> int:
        """The column where a field's name stands, for the caret."""
        return self.text.find(json.dumps(field, ensure_ascii=False)) + 1 or 1


def parse(lines: Iterable[bytes], source: str) -> Iterator[Statement]:
    """Statements of the lines; the first broken one raises, with its line and column."""
    for number, raw in enumerate(lines, 1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as e:
            shown = raw.decode("utf-8", errors="replace").rstrip("\r\n")
            line = _Line(source, number, shown)
            raise line.error("this line is not UTF-8", len(raw[: e.start].decode("utf-8", errors="replace")) + 1) from e
        if text.strip():
            yield _statement(_Line(source, number, text))


def transactions(statements: Iterable[Statement]) -> list[list[Statement]]:
    """Statements up to each `commit`; a transaction without statements is none."""
    done: list[list[Statement]] = [[]]
    for statement in statements:
        if statement.op == "commit":
            done.append([])
        else:
            done[-1].append(statement)
    return [t for t in done if t]


def _statement(line: _Line) -> Statement:
    record = _decode(line)
    op = record.pop("op", None)
    if not isinstance(op, str):
        raise line.error('every line needs an "op", such as {"op": "insert", "table": …, "row": {…}}', line.at("op"))
    if op not in SHAPES:
        raise line.error(f"unknown op '{op}'{suggest(op, list(SHAPES))}", line.at(op))
    shape = SHAPES[op]
    for name in record:
        if name not in shape.fields:
            raise line.error(f"'{op}' has no field '{name}'{suggest(name, list(shape.fields))}", line.at(name))
    for name, _ in shape.required:
        if name not in record:
            raise line.error(f"'{op}' needs the field '{name}'")
    if shape.one_of and sum(name in record for name, _ in shape.one_of) != 1:
        raise line.error(f"'{op}' needs exactly one of {', '.join(n for n, _ in shape.one_of)}")
    for name, value in record.items():
        _check(line, name, value, shape.fields[name])
    if "row" in record:
        record["rows"] = [record.pop("row")]
    return Statement(line.number, op, record)


def _check(line: _Line, name: str, value: Any, kind: type) -> None:
    wrong = not isinstance(value, kind) or value is None
    if kind is list and not wrong:
        wrong = any(not isinstance(item, dict) for item in value)
    if wrong:
        raise line.error(f"'{name}' must be {_KINDS.get(kind, 'a value')}", line.at(name))


def _decode(line: _Line) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any] | bytes:
        found = dict(pairs)
        if list(found) == [BINARY]:
            return _bytes(line, found[BINARY])
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise line.error(f"the field '{twice}' stands twice in one object", line.at(twice))
        return found

    def constant(name: str) -> Any:
        raise line.error(f"{name} is not JSON; write it as text, \"{name}\"", line.text.find(name) + 1)

    try:
        record = json.loads(line.text, object_pairs_hook=unique, parse_float=_number, parse_constant=constant)
    except json.JSONDecodeError as e:
        raise line.error(f"not JSON: {e.msg.lower()}", e.colno) from e
    except (ValueError, RecursionError) as e:
        raise line.error("a number with too many digits, or nested too deeply") from e
    if not isinstance(record, dict):
        raise line.error("every line must be an object, {…}")
    return record


def _bytes(line: _Line, text: object) -> bytes:
    try:
        return base64.b64decode(str(text), validate=True)
    except ValueError as e:
        raise line.error(f"{BINARY} holds text that is not base64", line.at(BINARY)) from e


def _number(text: str) -> Decimal:
    """Exact, so that 9.10 reaches a decimal column as 9.10."""
    return Decimal(text)
