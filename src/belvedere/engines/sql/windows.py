"""Window functions that are not aggregates, and how sqlglot's nodes are called."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import DataType
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering

#: functions of the row's place: ties are broken
POSITIONS = frozenset({"row_number", "lag", "lead", "ntile"})
#: functions of the row's peers: ties stay
PEERS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
#: functions of a row of the frame
VALUES = frozenset({"first_value", "last_value", "nth_value"})

_NAMES: dict[str, str] = {
    "array_agg": "collect_list", "array_unique_agg": "collect_set", "logical_and": "bool_and", "logical_or": "bool_or",
    "first": "first_value", "last": "last_value", "std": "stddev", "arg_max": "max_by", "arg_min": "min_by",
    "variance": "var_samp", "variance_pop": "var_pop",
}  # fmt: skip


def function_name(expr: exp.Expr) -> str:
    """Spark's name of the function that a window call calls.

    >>> function_name(exp.RowNumber()), function_name(exp.Filter(this=exp.Sum()))
    ('row_number', 'sum')
    """
    node = expr
    while isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node = node.this
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower() if isinstance(node, exp.Func) else ""
    return _NAMES.get(name, name)


def native(expr: exp.Expr, block: Block, to: Lowering) -> exp.Expr:
    """The call itself, its operands in this dialect."""
    if isinstance(expr, exp.IgnoreNulls):
        return exp.IgnoreNulls(this=native(expr.this, block, to))
    if isinstance(expr, exp.RespectNulls):
        return native(expr.this, block, to)
    name = function_name(expr)
    operands = expr.expressions if isinstance(expr, exp.Anonymous) else [
        v for k in ("this", "offset", "default", "expression") if isinstance(v := expr.args.get(k), exp.Expr)
    ]  # fmt: skip
    made = []
    for operand in operands:
        t = operand.meta.get("t")
        made.append(to.scalar(Scalar(operand, t if isinstance(t, DataType) else DataType()), block))
    return build.call(name, *made)
