"""Registering a Python function: its name and types checked, its code remembered by a fingerprint."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import Column, DataType, Schema, Void, parse_type
from belvedere.algebra.typing import scalar
from belvedere.algebra.typing.aggregates import AGGREGATES, SYNONYMS
from belvedere.algebra.typing.rules import function_names
from belvedere.engines.function import Function
from belvedere.errors import BelvedereError, TypeMismatch
from belvedere.warehouse.fingerprint import fingerprint

_ANNOTATED: dict[Any, DataType] = {
    int: T.BigInt(), float: T.Double(), str: T.String(), bool: T.Boolean(), date: T.Date(), datetime: T.Timestamp(),
    Decimal: T.Decimal(38, 18), bytes: T.Binary(),
}  # fmt: skip


def make_function(
    name: str,
    fn: Callable[..., Any],
    arguments: Sequence[str | DataType] | None,
    returns: str | DataType | None,
    *,
    deterministic: bool,
    null_in_null_out: bool,
) -> Function:
    """A function that texts can call. Types that are not given are taken from its annotations."""
    _check(name, fn)
    hints = _hints(fn) if arguments is None or returns is None else {}
    given = tuple(_type(name, t) for t in (_annotated(name, fn, hints) if arguments is None else arguments))
    result = _type(name, returns if returns is not None else _of(name, "its result", hints.get("return"), "returns="))
    _check_arity(name, fn, len(given))
    made = Function(name, fn, given, result, deterministic, null_in_null_out, fingerprint(fn))
    _check_call(made)
    return made


def _check(name: str, fn: Any) -> None:
    if not isinstance(name, str) or not name.strip() or "\x00" in name:
        raise BelvedereError(f"{name!r} cannot be the name of a function; give it a name that a text can call")
    low = name.lower()
    if low in AGGREGATES or low in SYNONYMS or low in function_names():
        raise BelvedereError(f"{name!r} is a function of SQL already; register yours under another name")
    if not callable(fn):
        raise BelvedereError(f"function {name!r}: a Python callable is expected, and this is a {type(fn).__name__}")
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise BelvedereError(f"function {name!r} is a coroutine or a generator; register a plain function that returns a value")


def _check_call(f: Function) -> None:
    """The parser knows names of many dialects, each with its own arguments: see that this one can be called as it is."""
    schema = Schema(tuple(Column(f"a{i}", t) for i, t in enumerate(f.arguments)))
    text = "`" + f.name.replace("`", "``") + f"`({', '.join(schema.names)})"
    try:
        fits = scalar(text, schema, udfs=lambda n: f if n == f.name.lower() else None).from_outside
    except BelvedereError:
        fits = False
    if not fits:
        what = f"{f.name!r} with {len(f.arguments)} argument(s)"
        raise BelvedereError(f"{what} cannot be told from a construct of SQL; register it under another name")


def _hints(fn: Callable[..., Any]) -> dict[str, Any]:
    """Annotations by parameter; a name in them that is not known is as good as no annotation."""
    try:
        return typing.get_type_hints(fn if inspect.isroutine(fn) else type(fn).__call__)
    except (NameError, TypeError, AttributeError):
        return {}


def _annotated(name: str, fn: Callable[..., Any], hints: dict[str, Any]) -> list[DataType]:
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        raise TypeMismatch(
            f"function {name!r} does not tell its parameters; give their types: arguments=['bigint', …]"
        ) from None
    wanted = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return [_of(name, f"its parameter {p.name!r}", hints.get(p.name), "arguments=") for p in wanted]


def _of(name: str, what: str, hint: Any, where: str) -> DataType:
    if typing.get_origin(hint) in (typing.Union, UnionType):
        left = [h for h in typing.get_args(hint) if h is not NoneType]
        hint = left[0] if len(left) == 1 else hint
    if hint in _ANNOTATED:
        return _ANNOTATED[hint]
    known = ", ".join(k.__name__ for k in _ANNOTATED)
    why = "has no annotation" if hint is None else f"is annotated with {hint!r}, which is none of {known}"
    raise TypeMismatch(f"function {name!r}: {what} {why}; say its type in {where}, for instance 'bigint' or 'decimal(12,2)'")


def _type(name: str, given: str | DataType) -> DataType:
    try:
        t = parse_type(given) if isinstance(given, str) else given
    except TypeMismatch as e:
        raise TypeMismatch(f"function {name!r}: {e.message}") from None
    if not isinstance(t, DataType) or t.contains(Void):
        raise TypeMismatch(f"function {name!r}: {given!r} is no type; write one such as 'bigint' or 'array<string>'")
    return t


def _check_arity(name: str, fn: Callable[..., Any], count: int) -> None:
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return  # written in C, and does not say
    try:
        signature.bind(*range(count))
    except TypeError as e:
        raise TypeMismatch(f"function {name!r} cannot be called with {count} argument(s): {e}; it is {name}{signature}") from None
