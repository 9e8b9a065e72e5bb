"""A user's function, and the one way in which both engines call it.

Rows go in and out as Arrow arrays, and what happens in between is the same code on both engines: so the values that a
function sees (an aware datetime in UTC, a dict for a struct or a map, a Decimal) do not depend on where it runs.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.scalar import OUTSIDE, SAID
from belvedere.algebra.types import DataType, Int, to_arrow

#: the function's complaint within whatever an engine puts around it
_SAID = re.compile(f"{SAID[0]}(.*?){SAID[1]}", re.DOTALL)


@dataclass(frozen=True)
class Function:
    """Its name, the callable, and its types. `fingerprint` tells one function from another of the same name."""

    name: str
    call: Callable[..., Any]
    arguments: tuple[DataType, ...]
    result: DataType
    deterministic: bool = True
    null_in_null_out: bool = True
    fingerprint: str = ""

    @property
    def identifier(self) -> str:
        return identifier(self.name)

    @property
    def passed(self) -> tuple[DataType, ...]:
        """What an engine hands over: one argument at least, because an empty list of arrays does not tell how many rows."""
        return self.arguments or (Int(),)


def identifier(name: str) -> str:
    """What an engine calls it: made of letters, digits and underscores, whatever the user's name is made of.

    >>> identifier("Net Price!")
    'udf_net_price_2b27eea5'
    """
    low = name.lower()
    stem = re.sub(r"[^a-z0-9]+", "_", low).strip("_")[:30]
    return f"udf_{stem}_{hashlib.sha256(low.encode()).hexdigest()[:8]}"


def lowered(node: exp.Expr, go: Callable[[exp.Expr], exp.Expr]) -> exp.Expr | None:
    """The call in an engine's text, if it is the call of a user's function; its arguments were cast when it was typed."""
    if not (isinstance(node, exp.Anonymous) and node.meta.get(OUTSIDE)):
        return None
    args = [go(a) for a in node.expressions] or [exp.Literal.number(0)]
    return exp.Anonymous(this=identifier(node.name), expressions=args)


def complaint(text: str) -> str | None:
    """What a user's function, or a query itself, had to say, if an engine's error comes from that."""
    found = _SAID.search(text)
    return found.group(1) if found else None


def vectorized(function: Function) -> Callable[..., Any]:
    """The function over Arrow arrays. It may be sent to another process, so it needs nothing of this package there."""
    fn, name, strict = function.call, function.name, function.null_in_null_out
    given, result, shown = [to_arrow(t) for t in function.passed], to_arrow(function.result), str(function.result)
    none = not function.arguments

    def said(message: str) -> Exception:
        return RuntimeError(f"<<udf function '{name}' {message} udf>>")

    def short(value: object) -> str:
        text = repr(value)
        return text if len(text) <= 100 else text[:97] + "..."

    def one(row: tuple[Any, ...]) -> Any:
        if strict and any(v is None for v in row):
            return None
        try:
            return fn(*row)
        except Exception as e:
            raise said(f"failed for {short(row)}: {type(e).__name__}: {e}") from e

    def fitted(values: list[Any]) -> Any:
        try:
            return pa.array(values, type=result)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            for v in values:
                try:
                    pa.array([v], type=result)
                except (pa.ArrowException, TypeError, ValueError, OverflowError) as e:
                    raise said(f"returned {short(v)}, which is no {shown}: {e}") from None
            raise

    def call(*columns: Any) -> Any:
        lists = [
            (c if c.type == t else c.cast(t)).to_pylist(maps_as_pydicts="strict") for c, t in zip(columns, given, strict=True)
        ]
        return fitted([one(() if none else row) for row in zip(*lists, strict=True)])

    kind = inspect.Parameter.POSITIONAL_ONLY
    call.__signature__ = inspect.Signature([inspect.Parameter(f"a{i}", kind) for i in range(len(given))])  # type: ignore[attr-defined]
    return call
