"""Values of the reference. None is nil and UNDEFINED; an object is an Obj; a struct is a Rec; a collection is a Bunch, which
keeps sets and bags in one order, so that == is equality of values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.oqlfuzz.kinds import Coll, Dictionary, Ref, Struct, Type


@dataclass(frozen=True, order=True)
class Obj:
    """An object by its number in the case; what the product calls it is known to the checker."""

    n: int

    def __repr__(self) -> str:
        return f"#{self.n}"


@dataclass(frozen=True)
class Rec:
    fields: tuple[tuple[str, Any], ...]

    def get(self, name: str) -> Any:
        return dict(self.fields)[name]

    def __repr__(self) -> str:
        return "(" + ", ".join(f"{n}: {v!r}" for n, v in self.fields) + ")"


@dataclass(frozen=True)
class Bunch:
    kind: str
    items: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.items))})"


@dataclass(frozen=True)
class Table:
    """A dictionary, its pairs in the order of the keys."""

    pairs: tuple[tuple[Any, Any], ...]

    def __repr__(self) -> str:
        return "dict(" + ", ".join(f"{k!r}: {v!r}" for k, v in self.pairs) + ")"


def bunch(kind: str, items: Iterable[Any]) -> Bunch:
    """A collection of that kind: a set loses duplicates (UNDEFINED is one of them), a set or bag its order."""
    found = list(items)
    if kind == "set":
        found = list({rank(v): v for v in found}.values())
    if kind in ("set", "bag"):
        found.sort(key=rank)
    return Bunch(kind, tuple(found))


def rank(value: Any) -> Any:
    """A total order over values of one type, None first; equal exactly where the values are, 1 and 1.0 included."""
    match value:
        case None:
            return (0,)
        case bool():
            return (1, int(value))
        case int() | float():
            return (1, value)
        case str() | datetime.date():
            return (1, value)
        case Obj(n=n):
            return (1, n)
        case Rec(fields=fields):
            return (1, tuple(rank(v) for _, v in fields))
        case Bunch(items=items):
            return (1, tuple(rank(v) for v in items))
        case Table(pairs=pairs):
            return (1, tuple((rank(k), rank(v)) for k, v in pairs))
    raise AssertionError(f"no value of the reference: {value!r}")


def from_rows(value: Any, t: Type, objects: dict[int, int]) -> Any:
    """What a row of the product holds (lists, dicts, oids) as a value here. `objects`: oid → number."""
    if value is None:
        return None
    match t:
        case Ref():
            return Obj(objects[int(value)])
        case Struct(fields=fields):
            return Rec(tuple((n, from_rows(value[n], ft, objects)) for n, ft in fields))
        case Coll(kind=kind, element=element):
            found = [from_rows(v, element, objects) for v in value]
            return Bunch(kind, tuple(found if t.ordered else sorted(found, key=rank)))  # a duplicate in a set is kept, and seen
        case Dictionary(key=key, value=vt):
            pairs = value.items() if isinstance(value, dict) else value
            found = [(from_rows(k, key, objects), from_rows(v, vt, objects)) for k, v in pairs]
            return Table(tuple(sorted(found, key=lambda p: rank(p[0]))))
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)  # sessions run in UTC
    return value


def to_python(value: Any, oids: dict[int, Any]) -> Any:
    """A value here as it is given to the product's updates."""
    match value:
        case Obj(n=n):
            return oids[n]
        case Rec(fields=fields):
            return {n: to_python(v, oids) for n, v in fields}
        case Bunch(items=items):
            return [to_python(v, oids) for v in items]
        case Table(pairs=pairs):
            return {to_python(k, oids): to_python(v, oids) for k, v in pairs}
    return value


def mentions(value: Any) -> set[int]:
    """The objects in a value."""
    match value:
        case Obj(n=n):
            return {n}
        case Rec(fields=fields):
            return {n for _, v in fields for n in mentions(v)}
        case Bunch(items=items):
            return {n for v in items for n in mentions(v)}
        case Table(pairs=pairs):
            return {n for p in pairs for v in p for n in mentions(v)}
    return set()
