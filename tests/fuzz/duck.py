"""Spark's text as DuckDB's, for the oracle: sqlglot's transpilation, put right where it or DuckDB means something else.

Each repair rewrites the parsed tree before it is printed, so that it holds at any depth of nesting.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import sqlglot
from sqlglot import exp
from tests.fuzz.values import KINDS


def duck_sql(text: str) -> str:
    """A Spark query in DuckDB's dialect."""
    tree = sqlglot.parse_one(text, dialect="spark")
    for kind, repair in REPAIRS:
        for node in list(tree.find_all(kind)):
            new = repair(node)
            if new is not None:
                node.replace(new)
    return tree.sql("duckdb")


@lru_cache(maxsize=4096)
def duck_type(ddl: str) -> str:
    return exp.DataType.build(ddl, dialect="spark").sql("duckdb")


def _parsed(text: str) -> exp.Expression:
    return sqlglot.parse_one(text, dialect="duckdb")


def _average(avg: exp.Expression) -> exp.Expression | None:
    """Spark's average of a decimal of scale 2: exact, rounded half up to four more digits. DuckDB's own would be a double.

    In whole numbers: (2·|sum| + count) // (2·count), the sum counted in units of the last digit of the result.
    """
    column = avg.this
    if not (isinstance(column, exp.Column) and column.name.startswith(KINDS["decimal"].prefix)):
        return None
    name = column.sql("duckdb")
    units, number = f"sum(cast({name} * 100 as hugeint)) * 10000", f"count({name})"
    rounded = f"sign({units}) * ((2 * abs({units}) + {number}) // (2 * {number}))"
    return _parsed(f"case when {number} > 0 then cast({rounded} as decimal(20, 0)) * cast('0.000001' as decimal(7, 6)) end")


def _collected(agg: exp.Expression) -> exp.Expression | None:
    """Spark collects nothing into an empty array, DuckDB into NULL."""
    if isinstance(agg.parent, exp.Coalesce):
        return None
    return exp.Coalesce(this=agg.copy(), expressions=[exp.Array()])


def _by(name: str) -> Callable[[exp.Expression], exp.Expression | None]:
    """Spark's min_by passes over rows whose order is NULL; DuckDB's arg_min also over those whose value is."""
    return lambda node: exp.Anonymous(this=name, expressions=[node.this.copy(), node.expression.copy()])


def _truth(node: exp.Expression) -> exp.Expression | None:
    name = {"every": "bool_and", "some": "bool_or"}.get(str(node.this).lower())
    return name and exp.Anonymous(this=name, expressions=[e.copy() for e in node.expressions])


def _exists(node: exp.Expression) -> exp.Expression | None:
    """exists(array, function): some element for which it holds. The functions here are never NULL."""
    if not isinstance(node.expression, exp.Lambda):
        return None
    found = exp.ArrayFilter(this=node.this.copy(), expression=node.expression.copy())
    return exp.GT(this=exp.Anonymous(this="len", expressions=[found]), expression=exp.Literal.number(0))


def _forall(node: exp.Expression) -> exp.Expression | None:
    if str(node.this).lower() != "forall":
        return None
    array, test = node.expressions
    found = exp.ArrayFilter(this=array.copy(), expression=test.copy())
    sizes = [exp.Anonymous(this="len", expressions=[e]) for e in (found, array.copy())]
    return exp.EQ(this=sizes[0], expression=sizes[1])


def _indexed(node: exp.Expression) -> exp.Expression | None:
    """The index that a function of two arguments gets counts from 0 in Spark, from 1 in DuckDB."""
    if len(node.expression.expressions) < 2:
        return None
    index = node.expression.expressions[1].name
    for found in list(node.expression.this.find_all(exp.Identifier)):
        if found.name == index:
            at = found.parent if isinstance(found.parent, exp.Column) else found
            at.replace(exp.Paren(this=exp.Sub(this=found.copy(), expression=exp.Literal.number(1))))
    return None


def _grouping_sets(node: exp.Expression) -> exp.Expression | None:
    """Over no rows, Spark's empty grouping set gives no row."""
    select = node.parent
    if isinstance(select, exp.Select) and any(isinstance(e, exp.GroupingSets | exp.Rollup | exp.Cube) for e in node.expressions):
        select.having("count(*) > 0", copy=False)
    return None


def _has_key(node: exp.Expression) -> exp.Expression:
    """sqlglot hands the arguments on the wrong way round."""
    names = exp.Anonymous(this="map_keys", expressions=[node.this.copy()])
    return exp.Anonymous(this="list_contains", expressions=[names, node.args["key"].copy()])


def _explode_outer(node: exp.Expression) -> exp.Expression | None:
    """In the select list."""
    if isinstance(node.parent, exp.Lateral):
        return None
    array = node.this.sql("duckdb")
    return _parsed(f"unnest(case when len({array}) > 0 then {array} else [null] end)")


def _lateral_view(node: exp.Expression) -> exp.Expression | None:
    """A lateral view as a join with a lateral subquery, which keeps the row where it is outer."""
    select = node.parent
    if not node.args.get("view") or not isinstance(select, exp.Select):
        return None
    call = node.this
    alias = node.args["alias"]
    names = [c.name for c in alias.columns]
    given = duck_expression(call.this if not isinstance(call, exp.Anonymous) else call.expressions[0])
    match call:
        case exp.Posexplode():
            inner = f"select unnest(range(len({given}))) as {names[0]}, unnest({given}) as {names[1]}"
        case exp.Inline():
            inner = f"select e.x as {names[0]}, e.y as {names[1]} from (select unnest({given}) as e)"
        case _ if len(names) == 2:
            inner = f"select unnest(map_keys({given})) as {names[0]}, unnest(map_values({given})) as {names[1]}"
        case _:
            inner = f"select unnest({given}) as {names[0]}"
    kind = "left" if node.args.get("outer") else "inner"
    join = _parsed(f"select 1 from a {kind} join lateral ({inner}) as {alias.name} on true").args["joins"][0]
    select.args["laterals"].remove(node)
    select.append("joins", join)
    return None


def duck_expression(node: exp.Expression) -> str:
    return node.sql("duckdb")


REPAIRS: tuple[tuple[type[exp.Expression], Callable[[exp.Expression], exp.Expression | None]], ...] = (
    (exp.Avg, _average),
    (exp.ArrayAgg, _collected),
    (exp.ArrayUniqueAgg, _collected),
    (exp.ArgMin, _by("arg_min_null")),
    (exp.ArgMax, _by("arg_max_null")),
    (exp.Anonymous, _truth),
    (exp.Exists, _exists),
    (exp.Anonymous, _forall),
    (exp.Transform, _indexed),
    (exp.Group, _grouping_sets),
    (exp.MapContainsKey, _has_key),
    (exp.ExplodeOuter, _explode_outer),
    (exp.Lateral, _lateral_view),
)
