"""Values of expressions, in SQL's three-valued logic: None is NULL, and is UNKNOWN where a truth value is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.schemafuzz.tree import Agg, Expr, Lit, Op

Look = Callable[[Any], Any]


def value(e: Expr, look: Look) -> Any:
    """`look` gives the value of everything that is neither a literal nor an operator."""
    match e:
        case Lit(value=v):
            return v
        case Op(op=op, args=args):
            return _operate(op, [value(a, look) for a in args])
    return look(e)


def _operate(op: str, a: list[Any]) -> Any:
    match op:
        case "and":
            return False if False in a else None if None in a else True
        case "or":
            return True if True in a else None if None in a else False
        case "is null":
            return a[0] is None
        case "is not null":
            return a[0] is not None
        case "is not distinct from":
            return (a[0] is None and a[1] is None) if None in a else _equal(*a)
        case "coalesce":
            return next((v for v in a if v is not None), None)
        case "case":
            return a[1] if a[0] is True else a[2]
        case "in":
            return _among(a[0], a[1:])
        case "not in":
            found = _among(a[0], a[1:])
            return None if found is None else not found
    return None if any(v is None for v in a) else STRICT[op](*a)


def _among(x: Any, members: list[Any]) -> bool | None:
    if x is None:
        return None
    if any(m is not None and _equal(m, x) for m in members):
        return True
    return None if None in members else False


def _like(text: str, pattern: str) -> bool:
    parts = {"%": ".*", "_": "."}
    return re.fullmatch("".join(parts.get(c, re.escape(c)) for c in pattern), text, re.DOTALL) is not None


def _equal(x: Any, y: Any) -> bool:
    """Text and numbers are compared as numbers, which fails for most texts: as for <, that is for nobody to rely on."""
    if isinstance(x, str) != isinstance(y, str):
        raise TypeError(f"{x!r} and {y!r} are compared")
    return bool(x == y)


STRICT: dict[str, Callable[..., Any]] = {
    "=": _equal,
    "<>": lambda x, y: not _equal(x, y),
    "<": lambda x, y: x < y,
    ">": lambda x, y: x > y,
    "<=": lambda x, y: x <= y,
    ">=": lambda x, y: x >= y,
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "||": lambda x, y: x + y,
    "not": lambda x: not x,
    "like": _like,
    "upper": lambda x: x.upper(),
    "length": len,
    "abs": abs,
}


def aggregate(agg: Agg, values: list[Any]) -> Any:
    """`values`: the argument in each row of the group; for count(*) whatever there is."""
    if agg.arg is None:
        return len(values)
    known = [v for v in values if v is not None]
    if agg.distinct:
        known = list(dict.fromkeys(known))
    if agg.fn == "count":
        return len(known)
    if not known:
        return None
    match agg.fn:
        case "sum":
            return sum(known)
        case "min":
            return min(known)
        case "max":
            return max(known)
        case "avg":
            return sum(known) / len(known)
    raise AssertionError(agg.fn)
