"""Calls of the calculus as scalars of the algebra, most of them as a text of Spark's over their arguments."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from typing import Any

from sqlglot import exp

from belvedere.algebra.scalar import Scalar, cast, null
from belvedere.algebra.types import Array, Column, DataType, Map, Schema, Void
from belvedere.algebra.typing import Udfs
from belvedere.algebra.typing import scalar as typed
from belvedere.errors import Unsupported
from belvedere.languages.oql import otypes as O  # noqa: N812
from belvedere.languages.oql.calculus import Term
from belvedere.objects.types import OType, data_type

_TEXTS: dict[str, str] = {
    "add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b", "mod": "a % b", "neg": "-a", "abs": "abs(a)",
    "and": "a and b", "or": "a or b", "not": "not a", "is_null": "a is null", "like": "a like b", "concat": "a || b",
    "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b",
    "year": "year(a)", "month": "month(a)", "day": "day(a)", "day_of_year": "dayofyear(a)", "hour": "hour(a)",
    "minute": "minute(a)", "second": "second(a)", "length": "length(a)", "upper": "upper(a)", "lower": "lower(a)",
    "index": "get(a, b)", "first": "get(a, 0)", "last": "get(a, size(a) - 1)", "lookup": "a[b]",
    "slice": "filter(a, (x, i) -> i >= b and i <= c)",
    "char_at": "case when b >= 0 and b < length(a) then substring(a, b + 1, 1) end",
    "substring": "substring(a, greatest(b, 0) + 1, greatest(c - greatest(b, 0) + 1, 0))",
    "append": "flatten(array(a, b))", "flatten": "flatten(filter(a, x -> x is not null))",
    "distinct": "filter(a, (x, i) -> size(filter(a, (y, j) -> j < i and y <=> x)) = 0)",
}  # fmt: skip


@lru_cache(maxsize=2048)
def _template(text: str, types: tuple[DataType, ...]) -> Scalar:
    return typed(text, Schema(tuple(Column("abcdefgh"[i], t) for i, t in enumerate(types))))


def apply(text: str, *args: Scalar) -> Scalar:
    """A text over the columns a, b, c, …, which the arguments stand for.

    >>> one = typed("1", Schema(()))
    >>> str(apply("a + b", one, one))
    '1 + 1'
    """
    made = _template(text, tuple(s.type for s in args))
    return made.substitute({"abcdefgh"[i]: s for i, s in enumerate(args)})


def call(fn: str, args: list[Scalar], t: OType, udfs: Udfs) -> Scalar:
    """The call, as a value of its type."""
    if fn == "cast":
        return converted(args[0], data_type(t))
    if fn.startswith("function:"):
        schema = Schema(tuple(Column("abcdefgh"[i], a.type) for i, a in enumerate(args)))
        made = typed(f"{fn.removeprefix('function:')}({', '.join('abcdefgh'[: len(args)])})", schema, udfs=udfs)
        return made.substitute({"abcdefgh"[i]: s for i, s in enumerate(args)})
    if fn in ("set", "bag", "list"):
        return gathered(fn, args, data_type(t))
    made = apply(_TEXTS[fn], *args)
    return converted(made, data_type(t)) if not isinstance(data_type(t), Void) else made


def converted(s: Scalar, t: DataType) -> Scalar:
    """Cast where the types differ; an UNDEFINED of no type takes on any."""
    if s.type == t or t.contains(Void):
        return s
    if isinstance(s.type, Void):
        return null(t)
    return cast(s, t)


def gathered(kind: str, args: list[Scalar], t: DataType) -> Scalar:
    """set(…), bag(…) and list(…) of values; sets and bags in canonical order."""
    if not args:
        return empty(t)
    node = exp.Array(expressions=[a.expr.copy() for a in args])
    node.meta["t"] = t
    array = Scalar(node, t)
    assert isinstance(t, Array)
    if kind == "list" or len(args) == 1 or isinstance(t.element, Void):
        return array
    refuse_maps(t.element, f"a {kind}")
    ordered = apply("array_sort(a)", array)
    if kind == "bag":
        return ordered
    # the members in order are a parameter, since they are needed twice
    return apply("get(transform(array(a), o -> filter(o, (x, i) -> i = 0 or not (x <=> get(o, i - 1)))), 0)", ordered)


def refuse_maps(t: DataType, what: str) -> None:
    if t.contains(Map):
        raise Unsupported(f"{what} of values that hold dictionaries, which have no order; take what is needed out of them")


def empty(t: DataType) -> Scalar:
    """The collection without members."""
    inner: exp.Expr = exp.Array(expressions=[])
    if isinstance(t, Map):
        return typed(f"cast(map() as {t})", Schema(()))
    inner.meta["t"] = t
    if t.contains(Void):
        return Scalar(inner, t)
    made = exp.Cast(this=inner, to=exp.DataType.build(str(t), dialect="spark"))
    made.meta["t"] = t
    return Scalar(made, t)


def or_empty(s: Scalar) -> Scalar:
    """The collection; the empty one where it is NULL."""
    if isinstance(s.expr, (exp.Array, exp.Coalesce)) or s.type.contains(Void):
        return s
    node = exp.Coalesce(this=s.expr.copy(), expressions=[empty(s.type).expr])
    node.meta["t"] = s.type
    return Scalar(node, s.type)


def constant(value: Any, t: OType) -> Scalar:
    data = data_type(t)
    node: exp.Expr
    match value:
        case None:
            if isinstance(data, Void):
                data = data_type(O.LONG_LONG) if O.is_reference(t) else data
            if isinstance(data, Void):
                node = exp.null()
                node.meta["t"] = data
                return Scalar(node, data)
            return null(data)
        case bool():
            node = exp.Boolean(this=value)
        case int():
            node = exp.Literal.number(abs(value))
            if value < 0:
                node = exp.Paren(this=exp.Neg(this=node))
        case float():
            shown = repr(value)
            node = exp.Literal.number(shown if "e" in shown else f"{shown}e0")
        case str():
            node = exp.Literal.string(value)
        case dt.datetime():
            node = exp.Cast(this=exp.Literal.string(f"{value.isoformat(' ')}Z" if value.tzinfo is None else value.isoformat(" ")),
                            to=exp.DataType.build("timestamp", dialect="spark"))  # fmt: skip
        case dt.date():
            node = exp.Cast(this=exp.Literal.string(value.isoformat()), to=exp.DataType.build("date", dialect="spark"))
        case _:
            raise AssertionError(f"no literal for {value!r}")
    return converted(typed(node, Schema(())), data)


def references(a: Term, b: Term) -> bool:
    """Whether a comparison is one of identities."""
    return O.is_reference(a.type) or O.is_reference(b.type)


def equality(a: Scalar, b: Scalar, *, identity: bool, filtering: bool = False) -> Scalar:
    """a = b. Identities: nil equals nil and nothing else. Where only truth counts and a side cannot be nil, = does."""
    return apply("a = b" if not identity or filtering else "a <=> b", a, b)
