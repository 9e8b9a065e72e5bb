"""Lists, dicts and tuples → array, map and struct values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from belvedere.algebra.types import Array, Map, Struct
from belvedere.changes.bad_value import BadValue, show
from belvedere.errors import suggest

Convert = Callable[[Any], Any]


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The named parts of a dict, a dataclass, a named tuple or a Spark Row; None if it has no names."""
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None) or getattr(value, "__fields__", None)
        return dict(zip(names, value, strict=True)) if names else None
    return None


def array_of(t: Array, element: Convert) -> Convert:
    def convert(value: Any) -> list[Any]:
        if hasattr(value, "tolist") and not isinstance(value, (bytes, memoryview)):
            value = value.tolist()
        if not isinstance(value, (list, tuple)) or hasattr(value, "_fields"):
            raise BadValue(value, f"an {t}", "give a list")
        result = []
        for index, item in enumerate(value):
            try:
                result.append(element(item))
            except BadValue as bad:
                raise bad.inside(f"[{index}]") from None
        return result

    return convert


def map_of(t: Map, key: Convert, item: Convert) -> Convert:
    def convert(value: Any) -> list[tuple[Any, Any]]:
        if isinstance(value, Mapping):
            pairs = list(value.items())
        elif isinstance(value, (list, tuple)) and all(isinstance(p, (list, tuple)) and len(p) == 2 for p in value):
            pairs = [(k, v) for k, v in value]
        else:
            raise BadValue(value, f"a {t}", "give a dict, or a list of pairs")
        result: dict[str, tuple[Any, Any]] = {}
        for k, v in pairs:
            if k is None:
                raise BadValue(value, f"a {t}", "a key of a map cannot be NULL")
            try:
                pair = (key(k), item(v))
            except BadValue as bad:
                raise bad.inside(f"[{show(k)}]") from None
            mark = repr(pair[0])
            if mark in result:
                raise BadValue(value, f"a {t}", f"the key {show(k)} is there twice")
            result[mark] = pair
        return [result[mark] for mark in sorted(result)]  # one order for equal maps

    return convert


def struct_of(t: Struct, fields: dict[str, Convert]) -> Convert:
    names = list(fields)

    def convert(value: Any) -> dict[str, Any]:
        parts = fields_of(value)
        if parts is None:
            if not isinstance(value, tuple) or len(value) != len(names):
                raise BadValue(value, f"a {t}", f"give a dict with the fields {', '.join(names)}")
            parts = dict(zip(names, value, strict=True))
        result: dict[str, Any] = dict.fromkeys(names)
        given: set[str] = set()
        for name, part in parts.items():
            found = t.field(str(name))
            if found is None:
                raise BadValue(value, f"a {t}", f"it has no field {name!r}{suggest(str(name), names)}")
            if found[0] in given:
                raise BadValue(value, f"a {t}", f"the field {found[0]} is given twice")
            given.add(found[0])
            try:
                result[found[0]] = fields[found[0]](part)
            except BadValue as bad:
                raise bad.inside(f".{found[0]}") from None
        return result

    return convert
