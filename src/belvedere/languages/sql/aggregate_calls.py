"""Calls of aggregate functions as the parser sees them: which are aggregates, and which function of the algebra each is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from belvedere.algebra.typing.aggregates import AGGREGATES, SYNONYMS
from belvedere.algebra.typing.context import name_of
from belvedere.algebra.typing.functions import refused
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import is_subquery
from belvedere.languages.sql.state import Env

_BY_CLASS: dict[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max", exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or", exp.ArrayAgg: "collect_list", exp.ArrayUniqueAgg: "collect_set", exp.ArgMax: "max_by",
    exp.ArgMin: "min_by", exp.Stddev: "stddev_samp", exp.StddevSamp: "stddev_samp", exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp", exp.VariancePop: "var_pop", exp.CountIf: "count_if", exp.AnyValue: "any_value",
    exp.GroupConcat: "listagg",
}  # fmt: skip
_BY_NAME = {*AGGREGATES, *SYNONYMS, "count_if", "any_value"}
#: read as aggregates by the parser, but they are functions of a window
_WINDOW_ONLY = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.RowNumber, exp.Rank, exp.DenseRank,
                exp.PercentRank, exp.CumeDist, exp.Ntile)  # fmt: skip
_DISTINCT_IS_IDLE = {"min", "max", "bool_and", "bool_or", "collect_set", "any_value", "min_by", "max_by"}


@dataclass(frozen=True)
class Call:
    """An aggregate call taken apart."""

    fn: str
    args: tuple[exp.Expr, ...]
    distinct: bool = False
    condition: exp.Expr | None = None


def is_aggregate(node: exp.Expr) -> bool:
    """An aggregate call, with its filter or within-group clause around it."""
    if isinstance(node, (exp.Filter, exp.WithinGroup)):
        return True
    if isinstance(node, (exp.IgnoreNulls, exp.RespectNulls)):
        return is_aggregate(node.this)
    if isinstance(node, exp.Any):
        return isinstance(node.this, exp.Paren) and not isinstance(node.parent, exp.Predicate)
    if isinstance(node, exp.Anonymous):
        name = name_of(node)
        return name in _BY_NAME or name in _APPROXIMATE
    return isinstance(node, exp.AggFunc) and not isinstance(node, _WINDOW_ONLY)


_APPROXIMATE = {"count_min_sketch", "hll_sketch_agg", "histogram_numeric", "bitmap_construct_agg", "bitmap_or_agg"}


def has_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate of this very query stands in the expression, subqueries and window functions left out."""
    if is_subquery(node):
        return False
    if isinstance(node, exp.Window):
        function = window_function(node)
        inner = _children(function) + [c for k in ("partition_by", "order") for c in _children_of(node, k)]
        return any(has_aggregate(c) for c in inner)
    if is_aggregate(node):
        return True
    return any(has_aggregate(c) for c in _children(node))


def window_function(node: exp.Window) -> exp.Expr:
    """The function under its filter and null treatment."""
    inner = node.this
    while isinstance(inner, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        inner = inner.this
    assert isinstance(inner, exp.Expr)
    return inner


def _children(node: exp.Expr) -> list[exp.Expr]:
    return list(node.iter_expressions())


def _children_of(node: exp.Expr, key: str) -> list[exp.Expr]:
    value = node.args.get(key)
    return (
        [v for v in value if isinstance(v, exp.Expr)]
        if isinstance(value, list)
        else [value]
        if isinstance(value, exp.Expr)
        else []
    )


def parse_call(node: exp.Expr, env: Env) -> Call:
    """Take a call apart and bring it down to the functions of the algebra."""
    condition = None
    if isinstance(node, exp.Filter):
        condition, node = node.expression.this, node.this
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
        node = node.this
    if isinstance(node, (exp.IgnoreNulls, exp.RespectNulls)):
        message = f"{name_of(node.this)}() depends on the order of rows, which a table has not; use min_by or max_by"
        raise env.session.unsupported(message, node)
    if isinstance(node, exp.WithinGroup):
        raise env.session.unsupported(f"{name_of(node.this)} within group", node)
    call = replace(_taken_apart(node, env), condition=condition)
    if call.distinct and call.fn in _DISTINCT_IS_IDLE:
        call = replace(call, distinct=False)
    return _desugared(call, node, env)


def _taken_apart(node: exp.Expr, env: Env) -> Call:
    if type(node) in refused.RULES or (isinstance(node, exp.Anonymous) and name_of(node) in refused.NAMED):
        rule = refused.RULES.get(type(node)) or refused.NAMED[name_of(node)]
        from belvedere.algebra.types import Schema
        from belvedere.algebra.typing.context import Context

        rule(Context(Schema(()), env.session.text), node)
    if isinstance(node, (exp.First, exp.Last, exp.FirstValue, exp.LastValue)):
        raise env.session.unsupported(
            f"{name_of(node)}() depends on the order of rows, which a table has not; use min_by(x, order) or max_by(x, order)",
            node,
        )
    if isinstance(node, exp.Any):
        return Call("bool_or", (node.this.this,))
    if isinstance(node, exp.Anonymous):
        name = name_of(node)
        fn = SYNONYMS.get(name, name)
        args: list[exp.Expr] = list(node.expressions)
    elif type(node) in _BY_CLASS:
        fn = _BY_CLASS[type(node)]
        args = [v for k, v in node.args.items() if k in ("this", "expression", "separator") and isinstance(v, exp.Expr)]
        args += list(node.expressions)
    else:
        raise env.session.unsupported(f"the aggregate {name_of(node)}()", node)
    distinct = False
    if args and isinstance(args[0], exp.Distinct):
        distinct = True
        args = [*args[0].expressions, *args[1:]]
    if isinstance(node, exp.ArrayAgg) and args and isinstance(args[0], exp.Order):
        raise env.session.unsupported(f"{name_of(node)} with an order of its own; sort the result with sort_array", node)
    return Call(fn, tuple(args), distinct)


def _desugared(call: Call, node: exp.Expr, env: Env) -> Call:
    """count(*) counts rows; count of several values counts rows that have them all; count_if counts what is true."""
    if call.fn == "count":
        if not call.args:
            raise env.session.error(TypeMismatch, "count takes * or at least one argument", node)
        if not call.distinct:
            if len(call.args) == 1 and (isinstance(call.args[0], exp.Star) or _is_constant(call.args[0])):
                return replace(call, args=())
            if len(call.args) > 1:
                return replace(call, args=(_when(_all_known(call.args), exp.Literal.number(1)),))
        elif any(isinstance(a, exp.Star) for a in call.args):
            raise env.session.unsupported("count(distinct *); name the columns", node)
        return call
    if call.fn == "count_if":
        if len(call.args) != 1:
            raise env.session.error(TypeMismatch, "count_if takes one condition", node)
        return replace(call, fn="count", args=(_when(call.args[0].copy(), exp.Literal.number(1)),))
    if call.fn == "any_value":
        return replace(call, fn="min", args=call.args[:1])
    if call.fn not in AGGREGATES:
        raise env.session.unsupported(f"the aggregate {call.fn}()", node)
    return call


def _is_constant(e: exp.Expr) -> bool:
    return isinstance(e, (exp.Literal, exp.Boolean))


def _all_known(args: tuple[exp.Expr, ...]) -> exp.Expr:
    known: list[exp.Expr] = [exp.Not(this=exp.Is(this=exp.Paren(this=a.copy()), expression=exp.null())) for a in args]
    tree = known[0]
    for k in known[1:]:
        tree = exp.And(this=tree, expression=k)
    return tree


def _when(condition: exp.Expr, then: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def guarded(call: Call) -> Call:
    """The filter clause moved into an argument: a row that is filtered out has NULL there, and NULL does not count."""
    if call.condition is None:
        return call
    condition = call.condition
    if not call.args:
        return replace(call, args=(_when(condition.copy(), exp.Literal.number(1)),), condition=None)
    at = AGGREGATES[call.fn].guard
    every = call.distinct
    args = tuple(_when(condition.copy(), a.copy()) if every or i == at else a for i, a in enumerate(call.args))
    return replace(call, args=args, condition=None)
