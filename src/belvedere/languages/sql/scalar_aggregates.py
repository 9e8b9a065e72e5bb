"""The commonest correlated subquery: one aggregate, correlated by equality.

    (select sum(x) from t where t.k = o.k)

It is grouped by t.k once for all, joined to the outer query on equality, and its select expression is evaluated after the
join, so that rows without a group get what the expression gives over no rows (a count is 0, a sum is NULL).
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import OuterJoin
from belvedere.algebra.scalar import conjunction
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.aggregate_calls import has_aggregate
from belvedere.languages.sql.columns import resolve, rewrite
from belvedere.languages.sql.expressions import finish
from belvedere.languages.sql.state import Correlation, Env, Frame, NeedsDomain


def plant_aggregate(node: exp.Expr, frame: Frame, env: Env) -> str | None:
    """The column with the subquery's value, or None where the subquery is not of this kind."""
    select = node
    while isinstance(select, (exp.Subquery, exp.Paren)) and not any(
        select.args.get(k) for k in ("order", "limit", "offset", "with_")
    ):
        select = select.this
    if not isinstance(select, exp.Select) or len(select.expressions) != 1 or not _plain(select):
        return None
    mark = env.session.fresh.mark()
    correlation = Correlation(frame, env)
    try:
        planted = _plant(select, frame, env, env.within(correlation))
        if planted is not None:
            return planted
    except NeedsDomain as e:
        if e.correlation is not correlation:
            raise
    env.session.fresh.reset(mark)
    return None


def _plain(select: exp.Select) -> bool:
    item = select.expressions[0]
    absent = all(select.args.get(k) is None for k in ("group", "distinct", "limit", "offset", "qualify", "windows"))
    return absent and has_aggregate(item) and item.find(exp.Window) is None


def _plant(select: exp.Select, frame: Frame, env: Env, inside: Env) -> str | None:
    from belvedere.languages.sql.aggregation import Grouping, empty_as_zero
    from belvedere.languages.sql.from_clause import bind_from
    from belvedere.languages.sql.items import expand
    from belvedere.languages.sql.query import with_ctes
    from belvedere.languages.sql.where import apply_conditions

    inside = with_ctes(select, inside)
    inner, left_over = bind_from(select, inside, None)
    where = select.args.get("where")
    pending = apply_conditions(inner, [*left_over, *([where.this] if where is not None else [])], inside, "where")
    if not pending:
        return None
    items = expand(select, inner, inside)
    if len(items) != 1:
        raise env.session.error(TypeMismatch, f"a subquery used as a value gives one column, and this gives {len(items)}", select)
    tree = resolve(items[0].expr, inner.scope, inside)
    having = select.args.get("having")
    condition = resolve(having.this, inner.scope, inside, {items[0].name: tree}) if having is not None else None
    grouping = Grouping(select, inner, inside, pending, items, [tree], scalar=True)
    tree = grouping.reduce(tree)
    if condition is not None:
        tree = exp.Case(ifs=[exp.If(this=grouping.reduce(condition), true=tree)])
    grouped, on = grouping.build()
    frame.node = OuterJoin(frame.node, grouped.node, conjunction(on), "left")
    filled = {n: empty_as_zero(n, a, frame.schema) for n, a in dict(grouping.aggs.values()).items()}

    def fill(e: exp.Expr) -> exp.Expr | None:
        if isinstance(e, exp.Column) and e.name in filled and filled[e.name].column is None:
            return filled[e.name].expr.copy()
        return None

    value = finish(rewrite(tree, fill), frame, env)
    if value.column is not None:
        return value.column
    name = env.session.fresh(items[0].name if items[0].aliased else "value")
    frame.extend([(name, value)])
    return name
