"""Monoids as aggregates: what is kept for each group, and the value that follows from it. A group without rows has the monoid's
zero; or and and are counted, so that UNDEFINED is told from false, and so that they are maintained from a delta alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from belvedere.algebra.ops import Agg
from belvedere.algebra.scalar import SAID, Scalar, cast, col, null, when
from belvedere.algebra.types import Array, BigInt, Boolean, DataType, Decimal, Double, Integral, Schema
from belvedere.algebra.typing import decimals
from belvedere.languages.oql.calculus import Const, Term
from belvedere.languages.oql.scalars import apply, converted, or_empty, refuse_maps
from belvedere.languages.oql.values import struct_of
from belvedere.objects.types import OType, data_type

Fresh = Callable[[str], str]


@dataclass(frozen=True)
class Folded:
    """Aggregates by column name, and the value over those columns; NULL columns stand for a group that is not there."""

    aggs: tuple[tuple[str, Agg], ...]
    value: Callable[[Schema], Scalar]


def fold(
    monoid: str, head: Term, value: Scalar, t: OType, fresh: Fresh, *,
    condition: Scalar | None = None, place: Scalar | None = None, at: str = "",
) -> Folded:  # fmt: skip
    """⊕ of a value over a group. `condition`: which rows count. `place`: where a member of a list belongs. `at`: where in the
    text it stands."""
    if monoid == "sum" and isinstance(head, Const) and head.value == 1:
        return _counted(fresh, condition)
    if monoid == "sum":
        return _sum(fresh, _given(value, condition), data_type(t))
    if monoid in ("min", "max", "avg"):
        return _extreme(monoid, fresh, _given(value, condition), data_type(t))
    if monoid in ("or", "and"):
        return _logic(monoid, fresh, value, condition)
    if monoid == "element":
        return _element(fresh, value, condition, at)
    return _collected(monoid, fresh, value, condition, place)


def _given(value: Scalar, condition: Scalar | None) -> Scalar:
    return value if condition is None else when(condition, value, null(value.type))


def _indicator(test: Scalar) -> Scalar:
    return apply("cast(case when a then 1 else 0 end as bigint)", test)


def _zero(column: str, schema: Schema) -> Scalar:
    return apply("coalesce(a, cast(0 as bigint))", col(schema[column]))


def _counted(fresh: Fresh, condition: Scalar | None) -> Folded:
    n = fresh("n")
    agg = Agg("count", (), BigInt()) if condition is None else Agg("sum0", (_indicator(condition),), BigInt())
    return Folded(((n, agg),), lambda s: _zero(n, s))


def _sum(fresh: Fresh, value: Scalar, t: DataType) -> Folded:
    n = fresh("sum")
    agg = Agg("sum0", (value if value.type.is_numeric else cast(value, Double()),), t)
    return Folded(((n, agg),), lambda s: converted(apply(f"coalesce(a, cast(0 as {t}))", col(s[n])), t))


def _extreme(fn: str, fresh: Fresh, value: Scalar, t: DataType) -> Folded:
    n = fresh(fn)
    made = t
    if fn == "avg":
        if isinstance(value.type, Decimal):
            made = decimals.average_of(value.type)
        elif not isinstance(value.type, Integral):
            value = converted(value, Double())
    return Folded(((n, Agg(fn, (value,), made)),), lambda s: converted(col(s[n]), t))


def _logic(monoid: str, fresh: Fresh, value: Scalar, condition: Scalar | None) -> Folded:
    """∨: true if one is true, else UNDEFINED if one is, else false; ∧ the other way round."""
    deciding, unsure = fresh("deciding"), fresh("unsure")
    value = converted(value, Boolean())
    decides = value if monoid == "or" else apply("not a", value)
    missing = apply("a is null", value)
    if condition is not None:
        decides, missing = (apply("a and b", condition, x) for x in (decides, missing))
    found, otherwise = ("true", "false") if monoid == "or" else ("false", "true")
    text = f"case when coalesce(a, 0) > 0 then {found} when coalesce(b, 0) > 0 then cast(null as boolean) else {otherwise} end"
    aggs = ((deciding, Agg("sum0", (_indicator(decides),), BigInt())), (unsure, Agg("sum0", (_indicator(missing),), BigInt())))
    return Folded(aggs, lambda s: apply(text, col(s[deciding]), col(s[unsure])))


def _element(fresh: Fresh, value: Scalar, condition: Scalar | None, at: str) -> Folded:
    """The only member. Anything else fails when it is asked for: the cast of a text that says why. So it may only be asked of
    groups that there are, and never of the half rows of an outer join."""
    counted = _counted(fresh, condition)
    held = fresh("held")
    boxed = struct_of([("v", value)])
    refuse_maps(value.type, "element")
    agg = Agg("collect_list", (_given(boxed, condition),), Array(boxed.type))
    place = f" at {at}" if at else ""
    message = f"concat('{SAID[0]}element(){place} takes exactly one member, and there are ', cast(a as string), '{SAID[1]}')"
    text = f"case when a = 1 then get(b, 0).v when cast({message} as int) > 0 then null end"
    return Folded((*counted.aggs, (held, agg)), lambda s: apply(text, counted.value(s), col(s[held])))


def _collected(monoid: str, fresh: Fresh, value: Scalar, condition: Scalar | None, place: Scalar | None) -> Folded:
    """Members in canonical order, UNDEFINED last (collecting leaves NULLs out, so each is put into a box); a list by place."""
    refuse_maps(value.type, f"a {monoid}")
    n = fresh(monoid)
    first = place if monoid == "list" and place is not None else apply("a is null", value)
    boxed = struct_of([("n", first), ("v", value)])
    fn = "collect_set" if monoid == "set" else "collect_list"
    agg = Agg(fn, (_given(boxed, condition),), Array(boxed.type))
    return Folded(((n, agg),), lambda s: or_empty(apply("transform(a, x -> x.v)", col(s[n]))))
