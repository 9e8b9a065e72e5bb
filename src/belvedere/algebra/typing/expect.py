"""What a function takes: which types an argument may have, and what it is cast to on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.types import (
    Array,
    BigInt,
    Binary,
    Boolean,
    DataType,
    Date,
    Decimal,
    Double,
    Int,
    Integral,
    Map,
    SmallInt,
    String,
    Struct,
    Timestamp,
    TimestampNtz,
    TinyInt,
    Variant,
    Void,
)
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.coerce import is_atomic, orderable
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.errors import TypeMismatch


@dataclass(frozen=True)
class Expect:
    """`accept` gives the type an argument is cast to, or None where it does not fit."""

    what: str
    accept: Callable[[DataType], DataType | None]


def _to(target: DataType, *kinds: type[DataType]) -> Callable[[DataType], DataType | None]:
    return lambda t: target if isinstance(t, (*kinds, Void, type(target))) else None


def _same(*kinds: type[DataType], void: DataType | None = None) -> Callable[[DataType], DataType | None]:
    return lambda t: t if isinstance(t, kinds) else (void if void is not None and isinstance(t, Void) else None)


def _number(t: DataType) -> DataType | None:
    if t.is_numeric:
        return t
    return Double() if isinstance(t, (String, Void)) else None


def _decimal(t: DataType) -> DataType | None:
    if isinstance(t, Decimal):
        return t
    return decimals.of_integral(t) if isinstance(t, Integral) else None


STRING = Expect("a string", lambda t: String() if is_atomic(t) or isinstance(t, Void) else None)
INT = Expect("an int", _to(Int(), TinyInt, SmallInt, BigInt, String))
DAYS = Expect("an int", _to(Int(), TinyInt, SmallInt, String))
BIGINT = Expect("a bigint", _to(BigInt(), TinyInt, SmallInt, Int, String))
DOUBLE = Expect("a number", lambda t: Double() if t.is_numeric or isinstance(t, (String, Void)) else None)
NUMBER = Expect("a number", _number)
INTEGRAL = Expect("an integer", _same(Integral, void=BigInt()))
BOOLEAN = Expect("a boolean", _to(Boolean(), String))
DATE = Expect("a date", _to(Date(), Timestamp, TimestampNtz, String))
TIMESTAMP = Expect("a timestamp", _to(Timestamp(), Date, TimestampNtz, String))
BINARY = Expect("a binary", _to(Binary(), String))
TEXT = Expect("a string or a binary", lambda t: t if isinstance(t, Binary) else STRING.accept(t))
ARRAY = Expect("an array", _same(Array))
MAP = Expect("a map", _same(Map))
STRUCT = Expect("a struct", _same(Struct))
COLLECTION = Expect("an array or a map", _same(Array, Map))
ORDERED = Expect("a value that can be compared", lambda t: t if orderable(t) else None)
ANY = Expect("any value", lambda t: t)
VARIANT = Expect("a variant", _same(Variant))
JSON = Expect(
    "JSON text or a variant", lambda t: t if isinstance(t, Variant) else (String() if isinstance(t, (String, Void)) else None)
)

Result = DataType | Callable[[list[DataType]], DataType]


def take(ctx: Context, node: exp.Expr, child: exp.Expr, expect: Expect) -> DataType:
    """Visit an argument, check it, and cast it where Spark would."""
    t = ctx.visit(child)
    target = expect.accept(t)
    if target is None:
        raise ctx.mismatch(child, expect.what, t, name_of(node))
    return ctx.cast(child, target)


def call(result: Result, **params: Expect) -> Rule:
    """The rule of a function whose arguments sit under the given keys of its node. Missing ones were optional."""

    def rule(ctx: Context, node: exp.Expr) -> DataType:
        types = [take(ctx, node, child, e) for key, e in params.items() if isinstance(child := node.args.get(key), exp.Expr)]
        return result(types) if callable(result) else result

    return rule


def counted(rule: Rule, low: int, high: int | None = None) -> Rule:
    """A rule of its own for a function known by name, reached only with a fitting number of arguments."""
    most = low if high is None else high

    def checked(ctx: Context, node: exp.Expr) -> DataType:
        given = len(node.expressions)
        if not low <= given <= most:
            wanted = str(low) if low == most else f"{low} to {most}"
            raise ctx.error(TypeMismatch, f"{name_of(node)} takes {wanted} argument(s), and {given} are given", node)
        return rule(ctx, node)

    return checked


def named(result: Result, *params: Expect, optional: int = 0, rest: Expect | None = None) -> Rule:
    """The rule of a function that sqlglot knows only by name: parameters by position, the last `optional` may be absent."""

    def rule(ctx: Context, node: exp.Expr) -> DataType:
        args = node.expressions
        low, high = len(params) - optional, len(params)
        if len(args) < low or (len(args) > high and rest is None):
            wanted = str(low) if low == high else f"{low} to {high}" if rest is None else f"at least {low}"
            raise ctx.error(TypeMismatch, f"{name_of(node)} takes {wanted} argument(s), and {len(args)} are given", node)
        expected = [*params[: len(args)], *([rest] * (len(args) - high) if rest is not None else [])]
        types = [take(ctx, node, a, e) for a, e in zip(list(args), expected, strict=True)]
        return result(types) if callable(result) else result

    return rule
