"""Conditions on names alone. They are decided while the variables are expanded, before anything is read or checked.

Three-valued as in SQL: None is unknown. What is not known here is left to SQL, which decides it row by row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

_COMPARISONS: dict[type[exp.Expr], Any] = {
    exp.EQ: lambda a, b: a == b, exp.NEQ: lambda a, b: a != b, exp.LT: lambda a, b: a < b, exp.LTE: lambda a, b: a <= b,
    exp.GT: lambda a, b: a > b, exp.GTE: lambda a, b: a >= b,
}  # fmt: skip
_PARTS: dict[type[exp.Expr], Any] = {
    exp.StartsWith: str.startswith, exp.EndsWith: str.endswith, exp.Contains: str.__contains__,
}  # fmt: skip
_LETTERS: dict[type[exp.Expr], Any] = {exp.Lower: str.lower, exp.Upper: str.upper}


class NotStatic(Exception):
    """The condition needs SQL."""


def is_static(condition: exp.Expr, variables: frozenset[str]) -> bool:
    """Whether it speaks of these variables and constants only, in a way that can be decided here."""
    try:
        holds(condition, dict.fromkeys(variables, ""))
    except NotStatic:
        return False
    return any(isinstance(n, exp.Column) for n in condition.walk())


def holds(condition: exp.Expr, names: Mapping[str, str]) -> bool | None:
    """The condition for one choice of names.

    >>> from sqlglot import parse_one
    >>> holds(parse_one("R like 'c%' and not R in ('cs', 'x')", dialect="spark"), {"R": "cs"})
    False
    """
    match condition:
        case exp.Paren():
            return holds(condition.this, names)
        case exp.Boolean():
            return bool(condition.this)
        case exp.Null():
            return None
        case exp.Not():
            inner = holds(condition.this, names)
            return None if inner is None else not inner
        case exp.And() | exp.Or():
            left, right = holds(condition.left, names), holds(condition.right, names)
            decisive = isinstance(condition, exp.Or)
            if left is decisive or right is decisive:
                return decisive
            return None if left is None or right is None else not decisive
        case exp.In() if condition.expressions and not condition.args.get("query"):
            return _any_equal(_text(condition.this, names), [_text(e, names) for e in condition.expressions])
        case exp.Between() if not condition.args.get("symmetric"):
            value, low, high = (_text(condition.args[k], names) for k in ("this", "low", "high"))
            above = None if value is None or low is None else value >= low
            below = None if value is None or high is None else value <= high
            return False if above is False or below is False else (None if above is None or below is None else True)
        case exp.Escape() if isinstance(condition.this, exp.Like):
            return _like(condition.this, names, condition.expression)
        case exp.Like():
            return _like(condition, names, None)
        case exp.Is() if isinstance(condition.expression, exp.Null):
            return (_text(condition.this, names) is None) is not bool(condition.args.get("negate"))
        case _ if type(condition) in _COMPARISONS:
            a, b = _value(condition.args["this"], names), _value(condition.args["expression"], names)
            if a is None or b is None:
                return None
            if type(a) is not type(b):
                raise NotStatic
            return bool(_COMPARISONS[type(condition)](a, b))
        case exp.NullSafeEQ() | exp.NullSafeNEQ():
            same = _text(condition.args["this"], names) == _text(condition.args["expression"], names)
            return same is isinstance(condition, exp.NullSafeEQ)
        case exp.StartsWith() | exp.EndsWith() | exp.Contains():
            whole, part = _text(condition.this, names), _text(condition.expression, names)
            return None if whole is None or part is None else bool(_PARTS[type(condition)](whole, part))
        case _:
            raise NotStatic


def _value(e: exp.Expr, names: Mapping[str, str]) -> str | int | None:
    match e:
        case exp.Paren():
            return _value(e.this, names)
        case exp.Literal() if not e.is_string and str(e.this).isdigit():
            return int(e.this)
        case exp.Length():
            text = _text(e.this, names)
            return None if text is None else len(text)
        case _:
            return _text(e, names)


def _text(e: exp.Expr, names: Mapping[str, str]) -> str | None:
    match e:
        case exp.Paren():
            return _text(e.this, names)
        case exp.Null():
            return None
        case exp.Literal() if e.is_string:
            return str(e.this)
        case exp.Column() if not e.table and e.name in names:
            return names[e.name]
        case exp.Lower() | exp.Upper():
            inner = _text(e.this, names)
            return None if inner is None else str(_LETTERS[type(e)](inner))
        case exp.DPipe():
            left, right = _text(e.left, names), _text(e.right, names)
            return None if left is None or right is None else left + right
        case _:
            raise NotStatic


def _any_equal(value: str | None, others: list[str | None]) -> bool | None:
    if value is None:
        return None
    if value in others:
        return True
    return None if None in others else False


def _like(like: exp.Like, names: Mapping[str, str], escape: exp.Expr | None) -> bool | None:
    if isinstance(like.expression, (exp.Any, exp.All)):
        raise NotStatic
    value, pattern = _text(like.this, names), _text(like.expression, names)
    sign = "\\" if escape is None else _text(escape, names)
    if value is None or pattern is None or sign is None:
        return None
    if len(sign) != 1:
        raise NotStatic
    return (re.fullmatch(_regex(pattern, sign), value, re.S) is not None) is not bool(like.args.get("negate"))


def _regex(pattern: str, escape: str) -> str:
    parts, i = [], 0
    while i < len(pattern):
        sign = pattern[i]
        if sign == escape:
            if i + 1 == len(pattern) or pattern[i + 1] not in (escape, "%", "_"):
                raise NotStatic  # an error in SQL, which it will tell
            i += 1
            parts.append(re.escape(pattern[i]))
        else:
            parts.append({"%": ".*", "_": "."}.get(sign) or re.escape(sign))
        i += 1
    return "".join(parts)
