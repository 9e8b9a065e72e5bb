"""pivot with a fixed list of values, on a relation of the from clause.

    t pivot (sum(x) as s for c in ('a', 'b' as bee))

One group for each value of the columns that the pivot does not use; in it one aggregate for each value of the list, over
the rows that have it. As in Spark, a cell without rows is NULL, a count too.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.ops import Agg, Aggregate, Project
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.typing.coerce import groupable
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.aggregate_calls import Call, guarded, is_aggregate, parse_call
from belvedere.languages.sql.aggregation import make_agg
from belvedere.languages.sql.columns import resolve
from belvedere.languages.sql.expressions import typed
from belvedere.languages.sql.scope import Scope, Source, Visible
from belvedere.languages.sql.state import Env, Frame
from belvedere.languages.sql.unpivot import bind_unpivot


def bind_pivots(relation: exp.Expr, frame: Frame, env: Env) -> Frame:
    """The frame after the relation's pivots, in order."""
    for pivot in relation.args.get("pivots") or []:
        frame = bind_unpivot(pivot, frame, env) if pivot.args.get("unpivot") else _bind_pivot(pivot, frame, env)
    return frame


def alias_after(pivot: exp.Expr, frame: Frame) -> tuple[str, ...]:
    alias = pivot.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.name:
        return (alias.name,)
    return frame.scope.sources[0].alias if len(frame.scope.sources) == 1 else ()


def _bind_pivot(pivot: exp.Expr, frame: Frame, env: Env) -> Frame:
    fields = pivot.args.get("fields") or []
    if len(fields) != 1 or not isinstance(fields[0], exp.In) or not fields[0].expressions:
        raise env.session.unsupported("a pivot without a fixed list of values: for column in (value, …)", pivot)
    subject, values = fields[0].this, fields[0].expressions
    subjects = [resolve(s, frame.scope, env) for s in (subject.expressions if isinstance(subject, exp.Tuple) else [subject])]
    calls = [_aggregate(e, frame, env) for e in pivot.expressions]
    used = {c.name for tree in subjects for c in tree.find_all(exp.Column)}
    used |= {
        c.name for _, call, _ in calls for a in (*call.args, call.condition) if a is not None for c in a.find_all(exp.Column)
    }
    kept = [v for v in frame.scope.star if v.column not in used]
    for v in kept:
        if not groupable(v.type):
            raise env.session.error(TypeMismatch, f"pivot groups by '{v.name}', and a {v.type} cannot be a key", pivot)
    aggs: dict[str, Agg] = {}
    cells: list[tuple[str, str, str]] = []
    for value in values:
        title, condition = _value(value, subjects, env)
        for name, call, node in calls:
            shown = title if len(calls) == 1 else f"{title}_{name}"
            here = replace(call, condition=_both(call.condition, condition))
            agg = make_agg(guarded(here), node, frame, env)
            column = env.session.fresh(shown)
            aggs[column] = agg
            count = ""
            if agg.fn in ("count", "collect_list", "collect_set"):
                count = env.session.fresh("rows")
                aggs[count] = make_agg(guarded(Call("count", (), condition=condition)), node, frame, env)
            cells.append((shown, column, count))
    grouped = Aggregate(frame.node, tuple((v.column, col(frame.schema[v.column])) for v in kept), tuple(aggs.items()))
    items = [(v.column, col(grouped.schema[v.column])) for v in kept]
    visible = list(kept)
    for shown, cell, count in cells:
        name = env.session.fresh(shown) if count else cell
        scalar = _null_if_empty(cell, count, grouped, env) if count else col(grouped.schema[cell])
        items.append((name, scalar))
        visible.append(Visible(shown, name, scalar.type))
    source = Source(alias_after(pivot, frame), tuple(visible))
    return Frame(Project(grouped, tuple(items)), Scope.of(source))


def _aggregate(e: exp.Expr, frame: Frame, env: Env) -> tuple[str, Call, exp.Expr]:
    inner, name = (e.this, e.alias) if isinstance(e, exp.Alias) else (e, "")
    if not is_aggregate(inner):
        raise env.session.error(TypeMismatch, "pivot takes aggregates: pivot (sum(x) for c in (…))", e)
    node = resolve(inner, frame.scope, env)
    return name or inner.sql("spark", normalize_functions="lower"), parse_call(node, env), node


def _value(value: exp.Expr, subjects: list[exp.Expr], env: Env) -> tuple[str, exp.Expr]:
    """The title of a value's columns, and the condition that a row has it."""
    given = value.this if isinstance(value, (exp.PivotAlias, exp.Alias)) else value
    parts = list(given.expressions) if isinstance(given, exp.Tuple) else [given]
    if len(parts) != len(subjects):
        raise env.session.error(
            TypeMismatch, f"the pivot is for {len(subjects)} column(s), and this value has {len(parts)}", value
        )
    for p in parts:
        if p.find(exp.Column, exp.Query) is not None:
            raise env.session.unsupported("a value of a pivot that is not a constant", value)
    if isinstance(value, (exp.PivotAlias, exp.Alias)):
        alias = value.args["alias"]
        title = alias.name if isinstance(alias, exp.Expr) else str(alias)
    else:
        title = "_".join(_shown(p) for p in parts)
    condition: exp.Expr | None = None
    for subject, part in zip(subjects, parts, strict=True):
        condition = _both(condition, exp.NullSafeEQ(this=exp.Paren(this=subject.copy()), expression=exp.Paren(this=part.copy())))
    assert condition is not None
    return title, condition


def _shown(value: exp.Expr) -> str:
    if isinstance(value, (exp.Cast, exp.Literal)):
        return value.this.name if isinstance(value, exp.Cast) else value.name
    return value.sql("spark").lower()


def _both(a: exp.Expr | None, b: exp.Expr) -> exp.Expr:
    if a is None:
        return b.copy()
    return exp.And(this=exp.Paren(this=a.copy()), expression=exp.Paren(this=b.copy()))


def _null_if_empty(cell: str, count: str, grouped: Aggregate, env: Env) -> Scalar:
    some = exp.GT(this=col(grouped.schema[count]).expr, expression=exp.Literal.number(0))
    return typed(exp.Case(ifs=[exp.If(this=some, true=col(grouped.schema[cell]).expr)]), env, grouped.schema)
