"""The table of all rules, made from the families, and what happens to a name that is in none of them."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.scalar import OUTSIDE
from belvedere.algebra.types import BigInt, Binary, DataType, Date, Decimal, Double, SmallInt, Timestamp, TinyInt
from belvedere.algebra.typing import arithmetic, intervals, literals, logic
from belvedere.algebra.typing.context import Context, Rule, name_of
from belvedere.algebra.typing.expect import Expect, take
from belvedere.algebra.typing.functions import collections, dates, json, lambdas, numbers, refused, strings
from belvedere.algebra.typing.literals import cast_by_name
from belvedere.errors import TypeMismatch, UnknownName, suggest

_CHOICES = ("coalesce", "greatest", "if", "ifnull", "least", "nullif", "nvl", "nvl2")
_FAMILIES = (strings, numbers, dates, collections, lambdas, json, refused)

RULES: dict[type[exp.Expr], Rule] = {**literals.RULES, **arithmetic.RULES, **intervals.RULES, **logic.RULES}
NAMED: dict[str, Rule] = {
    **arithmetic.NAMED, **logic.NAMED,
    "bigint": cast_by_name(BigInt()), "smallint": cast_by_name(SmallInt()), "tinyint": cast_by_name(TinyInt()),
    "binary": cast_by_name(Binary()), "decimal": cast_by_name(Decimal(10, 0)), "double": cast_by_name(Double()),
    "date": cast_by_name(Date()), "timestamp": cast_by_name(Timestamp()),
}  # fmt: skip
for _family in _FAMILIES:
    RULES.update(_family.RULES)
    NAMED.update(_family.NAMED)


def function_names() -> list[str]:
    """Every scalar function by the names that Spark has for it."""
    classes = [c for family in _FAMILIES for c in family.RULES if issubclass(c, exp.Func)]
    return sorted({*NAMED, *(n.lower() for c in classes for n in c.sql_names()), *_CHOICES})


def rule_for(ctx: Context, node: exp.Expr) -> Rule:
    if isinstance(node, exp.Anonymous):
        name = name_of(node)
        if ctx.udfs is not None and ctx.udfs(name) is not None:
            return _udf
        return NAMED.get(name, _unknown)
    if isinstance(node, exp.Column) and node.name.lower() in refused.BARE and node.name not in ctx.schema:
        return _bare
    return RULES.get(type(node), _unsupported)


def _bare(ctx: Context, node: exp.Expr) -> DataType:
    """localtimestamp and its kind, read as a column by the parser."""
    return NAMED[node.name.lower()](ctx, exp.Anonymous(this=node.name.lower(), expressions=[]))


def _udf(ctx: Context, node: exp.Expr) -> DataType:
    assert ctx.udfs is not None
    udf = ctx.udfs(name_of(node))
    assert udf is not None
    if ctx.variables:
        message = f"{name_of(node)}() is a Python function, which cannot stand in a lambda"
        raise ctx.unsupported(node, f"{message}; explode the array and call it on the rows")
    node.meta[OUTSIDE] = True
    args = list(node.expressions)
    if len(args) != len(udf.arguments):
        raise ctx.error(TypeMismatch, f"{name_of(node)} takes {len(udf.arguments)} argument(s), and {len(args)} are given", node)
    for a, t in zip(args, udf.arguments, strict=True):
        take(ctx, node, a, _exactly(t))
    return udf.result


def _exactly(t: DataType) -> Expect:
    from belvedere.algebra.typing.coerce import storable

    return Expect(f"a {t}", lambda given: t if storable(given, t) else None)


def _unknown(ctx: Context, node: exp.Expr) -> DataType:
    from belvedere.algebra.typing.aggregates import AGGREGATES

    name = name_of(node)
    if name in AGGREGATES:
        raise ctx.unsupported(node, f"the aggregate {name}() cannot stand here; it needs a select list or a having clause")
    raise ctx.error(UnknownName, f"unknown function {name}(){suggest(name, [*function_names(), *AGGREGATES])}", node)


def _unsupported(ctx: Context, node: exp.Expr) -> DataType:
    if isinstance(node, exp.Placeholder):
        raise ctx.unsupported(node, f"{node.sql('spark')} is a parameter; it belongs in the text of a view or a query, not here")
    if isinstance(node, exp.AggFunc):
        message = f"the aggregate {name_of(node)}() cannot stand here; it belongs in a select list or a having clause"
        raise ctx.unsupported(node, message)
    if isinstance(node, exp.Window):
        raise ctx.unsupported(node, "a window function cannot stand here; it belongs in a select list, order by or qualify")
    if isinstance(node, (exp.Subquery, exp.Query)):
        raise ctx.unsupported(node, "a subquery cannot stand here")
    if isinstance(node, exp.Star):
        raise ctx.error(TypeMismatch, "* stands for columns of a select list, or in count(*); not here", node)
    if isinstance(node, (exp.UDTF, exp.Explode, exp.Inline)):
        raise ctx.unsupported(node, f"{name_of(node)}() makes rows; it belongs in the select list by itself, or in lateral view")
    if isinstance(node, exp.Func):
        raise ctx.unsupported(node, f"the function {name_of(node)}() is not supported")
    raise ctx.unsupported(node, f"{_construct(node)} is not supported here")


def _construct(node: exp.Expr) -> str:
    text = node.sql("spark")
    return f"'{text if len(text) <= 60 else text[:57] + '…'}'"
