"""What aggregates take and give: Spark's names, the casts of their arguments, the types of their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.types import Array, BigInt, Boolean, DataType, Decimal, Double, Integral, Variant, Void
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.context import Context
from belvedere.algebra.typing.expect import ANY, BOOLEAN, DOUBLE, NUMBER, ORDERED, Expect
from belvedere.errors import TypeMismatch

Types = list[DataType]


def _sum(types: Types) -> DataType:
    t = types[0]
    if isinstance(t, Decimal):
        return decimals.sum_of(t)
    return BigInt() if isinstance(t, Integral) else Double()


def _average(types: Types) -> DataType:
    t = types[0]
    return decimals.average_of(t) if isinstance(t, Decimal) else Double()


def _first(types: Types) -> DataType:
    return types[0]


def _list(types: Types) -> DataType:
    return Array(types[0])


def _fixed(t: DataType) -> Callable[[Types], DataType]:
    return lambda _: t


@dataclass(frozen=True)
class Aggregation:
    """Parameters and result of an aggregate. `guard` is the argument that a filter clause can blank out with NULL, because
    rows with NULL there do not count."""

    params: tuple[Expect, ...]
    result: Callable[[Types], DataType]
    guard: int = 0
    variadic: bool = False


AGGREGATES: dict[str, Aggregation] = {
    "count": Aggregation((), _fixed(BigInt()), variadic=True),
    "sum": Aggregation((NUMBER,), _sum),
    "avg": Aggregation((NUMBER,), _average),
    "min": Aggregation((ORDERED,), _first),
    "max": Aggregation((ORDERED,), _first),
    "bool_and": Aggregation((BOOLEAN,), _fixed(Boolean())),
    "bool_or": Aggregation((BOOLEAN,), _fixed(Boolean())),
    "min_by": Aggregation((ANY, ORDERED), _first, guard=1),
    "max_by": Aggregation((ANY, ORDERED), _first, guard=1),
    "collect_list": Aggregation((ANY,), _list),
    "collect_set": Aggregation((ORDERED,), _list),
    "stddev_samp": Aggregation((DOUBLE,), _fixed(Double())),
    "stddev_pop": Aggregation((DOUBLE,), _fixed(Double())),
    "var_samp": Aggregation((DOUBLE,), _fixed(Double())),
    "var_pop": Aggregation((DOUBLE,), _fixed(Double())),
}

#: other names for the same function, Spark's own synonyms
SYNONYMS: dict[str, str] = {
    "mean": "avg", "every": "bool_and", "any": "bool_or", "some": "bool_or", "array_agg": "collect_list", "std": "stddev_samp",
    "stddev": "stddev_samp", "variance": "var_samp",
}  # fmt: skip


def aggregate_type(ctx: Context, node: exp.Expr, fn: str, args: list[exp.Expr], *, distinct: bool = False) -> DataType:
    """Visit and cast the arguments of an aggregate; its result's type. The arguments must have a parent to be cast in."""
    rule = AGGREGATES[fn]
    if not rule.variadic and len(args) != len(rule.params):
        raise ctx.error(TypeMismatch, f"{fn} takes {len(rule.params)} argument(s), and {len(args)} are given", node)
    types: Types = []
    for i, a in enumerate(args):
        expect = ANY if rule.variadic else rule.params[i]
        t = ctx.visit(a)
        target = expect.accept(t)
        if target is None or (distinct and t.contains(Variant)):
            raise ctx.mismatch(a, expect.what, t, fn)
        types.append(ctx.cast(a, target) if not isinstance(target, Void) else target)
    return rule.result(types)
