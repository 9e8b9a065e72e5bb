"""What OQL's operators mean, value by value: three-valued logic, comparison, multiplicities, aggregates.

Each function is the sentence of languages.md §2 in Python. None is nil for references and UNDEFINED for everything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.oqlfuzz.data import Bunch, bunch, rank
from tests.oqlfuzz.kinds import Type, kind

Truth = bool | None


class Ambiguous(Exception):
    """`element` of none or of several."""


def and_(values: Iterable[Truth]) -> Truth:
    found = list(values)
    return False if False in found else None if None in found else True


def or_(values: Iterable[Truth]) -> Truth:
    found = list(values)
    return True if True in found else None if None in found else False


def not_(value: Truth) -> Truth:
    return None if value is None else not value


def equal(a: Any, b: Any, t: Type) -> Truth:
    """nil equals nil and no object. An UNDEFINED literal equals nothing, not even itself, but inside a struct or a collection
    it is a part like any other."""
    if kind(t) == "ref":
        return bool(a == b)
    if a is None or b is None:
        return None
    return bool(rank(a) == rank(b))


def compare(op: str, a: Any, b: Any, t: Type) -> Truth:
    match op:
        case "=":
            return equal(a, b, t)
        case "!=" | "<>":
            return not_(equal(a, b, t))
    if a is None or b is None:
        return None
    x, y = rank(a), rank(b)
    return bool({"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op])


def like(value: str | None, pattern: str | None) -> Truth:
    if value is None or pattern is None:
        return None
    parts = {"%": ".*", "_": "."}
    return re.fullmatch("".join(parts.get(c, re.escape(c)) for c in pattern), value, re.S) is not None


def arithmetic(op: str, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "mod":
            return math.fmod(a, b) if isinstance(a, float) or isinstance(b, float) else int(math.fmod(a, b))
        case "||":
            return a + b
    raise AssertionError(op)


def union(a: Bunch, b: Bunch, result: str) -> Bunch:
    """The sum of multiplicities; of two sets, those in either."""
    return bunch(result, [*a.items, *b.items])


def intersect(a: Bunch, b: Bunch, result: str) -> Bunch:
    """The lesser multiplicity."""
    left = [rank(v) for v in b.items]
    kept = []
    for v in a.items:
        if rank(v) in left:
            left.remove(rank(v))
            kept.append(v)
    return bunch(result, kept)


def minus(a: Bunch, b: Bunch, result: str) -> Bunch:
    """Multiplicities subtracted, and nothing below none."""
    gone = [rank(v) for v in b.items]
    kept = []
    for v in a.items:
        if rank(v) in gone:
            gone.remove(rank(v))
        else:
            kept.append(v)
    return bunch(result, kept)


def aggregate(name: str, items: Iterable[Any]) -> Any:
    """sum, min, max and avg skip UNDEFINED, count does not."""
    every = list(items)
    found = [v for v in every if v is not None]
    match name:
        case "count":
            return len(every)
        case "sum":
            return sum(found)
        case "min":
            return min(found, key=rank, default=None)
        case "max":
            return max(found, key=rank, default=None)
        case "avg":
            return sum(found) / len(found) if found else None
    raise AssertionError(name)


def flatten(outer: Bunch, result: str) -> Bunch:
    return bunch(result, [v for c in outer.items if c is not None for v in c.items])


def distinct(items: Iterable[Any]) -> list[Any]:
    """The first of equal members, in their order."""
    found: dict[Any, Any] = {}
    for v in items:
        found.setdefault(rank(v), v)
    return list(found.values())


def flattened(outer: str, inner: str) -> str:
    """The kind of a flattened collection: inner sets give a set; lists in a list stay in order; all else is a bag."""
    if inner == "set":
        return "set"
    return "list" if inner != "bag" and outer in ("list", "array") else "bag"


def only(items: tuple[Any, ...]) -> Any:
    if len(items) != 1:
        raise Ambiguous(f"element of {len(items)}")
    return items[0]


def at(items: tuple[Any, ...], position: int | None) -> Any:
    """A position counts from 0; where there is nothing is UNDEFINED."""
    return items[position] if position is not None and 0 <= position < len(items) else None


def part(items: tuple[Any, ...], low: int | None, high: int | None) -> tuple[Any, ...]:
    """From one position to another, both included."""
    return () if low is None or high is None else items[max(low, 0) : max(high + 1, 0)]


def ordered(rows: list[Any], keys: list[tuple[Callable[[Any], Any], bool]]) -> list[Any]:
    """Sorted by several keys; UNDEFINED is the least value, so first upwards and last downwards."""
    found = list(rows)
    for key, descending in reversed(keys):
        found.sort(key=lambda r, key=key: rank(key(r)), reverse=descending)  # type: ignore[misc]
    return found
