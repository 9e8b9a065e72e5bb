"""The aggregate functions that both engines evaluate alike, and what each asks of its rows."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from belvedere.algebra.ops import Agg
from belvedere.engines.sql.aggregates import extremes, floats, linear, lists
from belvedere.engines.sql.aggregates.call import Call, Need
from belvedere.errors import Unsupported

Make = Callable[[Call], exp.Expr]

_EXACT: dict[str, Make] = {"sum": linear.total, "sum0": linear.total, "avg": linear.mean, "mean": linear.mean}
_FLOAT: dict[str, Make] = {"sum": floats.total, "sum0": floats.total, "avg": floats.mean, "mean": floats.mean}
_LINEAR: dict[str, Make] = {"count": linear.count, "count_if": linear.count_if}
_SET: dict[str, Make] = {
    **dict.fromkeys(
        ("min", "max", "bool_and", "bool_or", "every", "some", "any", "any_value", "first", "first_value"), extremes.extreme
    ),
    **dict.fromkeys(("min_by", "max_by"), extremes.extreme_by),
    **dict.fromkeys(("bit_and", "bit_or"), extremes.bits),
    "collect_set": lists.collect,
}
_BAG: dict[str, Make] = {
    **dict.fromkeys(("stddev", "stddev_samp", "std", "stddev_pop", "var_samp", "variance", "var_pop"), floats.moments),
    **dict.fromkeys(("collect_list", "array_agg"), lists.collect),
    "single_value": extremes.single,
    "bit_xor": extremes.bits,
    "listagg": lists.joined,
    **dict.fromkeys(("percentile", "median"), lists.percentile),
}

FUNCTIONS = frozenset({*_EXACT, *_LINEAR, *_SET, *_BAG})


def find(agg: Agg) -> tuple[Make, Need]:
    """How to make a call, and what it needs. Raises Unsupported for a function that is not in the table."""
    if agg.fn in _LINEAR:
        return _LINEAR[agg.fn], "set" if agg.distinct else "weights"
    if agg.fn in _EXACT:
        if agg.args[0].type.is_exact:
            return _EXACT[agg.fn], "set" if agg.distinct else "weights"
        return _FLOAT[agg.fn], "bag"
    if agg.fn in _SET:
        return _SET[agg.fn], "set"
    if agg.fn in _BAG:
        return _BAG[agg.fn], "bag"
    raise Unsupported(f"the aggregate function {agg.fn} is not supported")
