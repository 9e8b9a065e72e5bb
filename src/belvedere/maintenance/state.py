"""The state of an aggregate: partial values that can be brought up to date, and how the visible ones follow from them.

sum(x) is kept as Σx and the number of x that are not NULL, avg(x) too; count and `_n`, the size of the group, as they are.
Those add up under deletion (linear). min and max are kept as they are: they merge on insertion. Everything else is kept as
it is, and read again when its group is touched.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.ops import Agg, Aggregate
from belvedere.algebra.scalar import Scalar, cast, col, compare, integer, is_null, null, when
from belvedere.algebra.types import BigInt, Column, Decimal, Double, Integral
from belvedere.algebra.typing import scalar

#: how partial values of one function merge when nothing was deleted
MERGE = {"count": "sum0", "sum0": "sum0", "min": "min", "max": "max", "bool_and": "bool_and", "bool_or": "bool_or"}


@dataclass(frozen=True)
class State:
    """An aggregate over partial functions only, and the projection that makes the visible columns of it."""

    aggregate: Aggregate
    visible: tuple[tuple[str, Scalar], ...]
    size: str

    @property
    def linear(self) -> bool:
        return all(a.kind == "linear" for _, a in self.aggregate.aggs)

    @property
    def mergeable(self) -> bool:
        return all(a.fn in MERGE and not a.distinct and a.kind != "holistic" for _, a in self.aggregate.aggs)

    def summands(self) -> tuple[tuple[str, Scalar], ...]:
        """For a linear state: what one input row of weight 1 adds to each partial value."""
        return tuple((n, summand(a)) for n, a in self.aggregate.aggs)


def summand(a: Agg) -> Scalar:
    """What a row adds to a linear aggregate."""
    if a.fn == "count":
        return when(is_null(a.args[0]), integer(0), integer(1)) if a.args else integer(1)
    return cast(a.args[0], a.type)


class _Partials:
    """Partial functions, each kept once."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.aggs: dict[Agg, str] = {}

    def add(self, agg: Agg, stem: str) -> Column:
        if agg not in self.aggs:
            number = 0
            name = stem
            while name in self.taken:
                number += 1
                name = f"{stem}{number}"
            self.taken.add(name)
            self.aggs[agg] = name
        return Column(self.aggs[agg], agg.type)


def split(node: Aggregate) -> State:
    """Partial state and visible columns of an aggregate."""
    partials = _Partials(set(node.key_names))
    size = partials.add(Agg("count", (), BigInt()), "_n")
    visible = [(n, col(Column(n, s.type))) for n, s in node.keys]
    for name, agg in node.aggs:
        visible.append((name, _visible(agg, partials)))
    aggregate = Aggregate(node.input, node.keys, tuple((n, a) for a, n in partials.aggs.items()))
    return State(aggregate, tuple(visible), size.name)


def _visible(agg: Agg, partials: _Partials) -> Scalar:
    if agg.kind != "linear" or agg.fn not in ("sum", "sum0", "avg"):
        return col(partials.add(agg, f"_{agg.fn}"))
    x = agg.args[0]
    wide = BigInt() if isinstance(x.type, Integral) else Decimal(38, x.type.scale if isinstance(x.type, Decimal) else 0)
    total = partials.add(Agg("sum0", (x,), wide), "_sum")
    if agg.fn == "sum0":
        return cast(col(total), agg.type)
    count = partials.add(Agg("count", (x,), BigInt()), "_count")
    if agg.fn == "sum":
        value = cast(col(total), agg.type)
    else:
        value = _average(total, count, agg)
    return when(compare("=", col(count), integer(0)), null(agg.type), value)


def _average(total: Column, count: Column, agg: Agg) -> Scalar:
    """Σx / n in the type that Spark gives avg; never divides by zero, whatever the engine evaluates first."""
    from belvedere.algebra.types import Schema

    n = f"nullif({_q(count)}, 0)"
    if agg.type == Double():
        text = f"cast({_q(total)} as double) / cast({n} as double)"
    else:
        p, s = (agg.args[0].type.precision, agg.args[0].type.scale) if isinstance(agg.args[0].type, Decimal) else (19, 0)
        text = f"cast({_q(total)} as decimal({min(38, p + 10)},{s})) / cast({n} as decimal(20,0))"
    return cast(scalar(text, Schema((total, count))), agg.type)


def _q(column: Column) -> str:
    return "`" + column.name.replace("`", "``") + "`"
