"""A select: from, where, group by, having, windows, qualify, the list, distinct, order and limit, in that order."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Aggregate, Filter
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.typing.coerce import groupable
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.aggregation import Grouping, is_grouped
from belvedere.languages.sql.columns import resolve
from belvedere.languages.sql.decorrelate import domain_frame
from belvedere.languages.sql.expressions import as_condition, finish
from belvedere.languages.sql.fresh import distinct as distinct_names
from belvedere.languages.sql.from_clause import bind_from
from belvedere.languages.sql.generators import bind_generator, is_generator
from belvedere.languages.sql.items import Item, aliases_of, expand
from belvedere.languages.sql.ordering import order_trees, sorted_query
from belvedere.languages.sql.relations import project
from belvedere.languages.sql.state import Env, Frame, Query
from belvedere.languages.sql.where import apply_conditions, must_be_local
from belvedere.languages.sql.windows import Windows, inline_named

_KNOWN = {
    "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows", "distinct", "order", "limit",
    "offset", "with_", "hint", "kind", "operation_modifiers",
    # how rows are spread over workers, which the result does not show
    "sort", "cluster", "distribute",
}  # fmt: skip
_CLAUSES = {"into": "select into", "match": "match_recognize", "connect": "connect by", "sample": "tablesample", "fetch": "fetch"}


def bind_select(select: exp.Select, env: Env) -> Query:
    _refuse_unknown(select, env)
    select = select.copy()
    inline_named(select, env)
    domain = domain_frame(env)
    frame, left_over = bind_from(select, env, domain)
    where = select.args.get("where")
    pending = apply_conditions(frame, [*left_over, *([where.this] if where is not None else [])], env, "where")
    items = _generated(expand(select, frame, env), frame, env)
    _check_references(items, env)
    aliases = aliases_of(items)
    trees = _resolved(items, frame, env)
    order = order_trees(select, items, trees, frame, env, aliases)
    having, qualify = (
        _clause(select, k, frame, env, dict(zip([i.name for i in items], trees, strict=True)), items)
        for k in ("having", "qualify")
    )
    one_row = False
    generated = next((e for e in select.expressions if is_generator(_unaliased(e))), None)
    if is_grouped(select, [*trees, *order, *([having] if having is not None else [])], env):
        if generated is not None:
            message = "a function that makes rows together with group by or aggregates; put it into lateral view"
            raise env.session.unsupported(message, generated)
        grouping = Grouping(select, frame, env, pending, items, trees)
        trees, order = [grouping.reduce(t) for t in trees], [grouping.reduce(t) for t in order]
        having = grouping.reduce(having) if having is not None else None
        qualify = grouping.reduce(qualify) if qualify is not None else None
        frame, pending = grouping.build()
        one_row = grouping.one_row and having is None
        if having is not None:
            apply_having(having, frame, env)
    elif having is not None:
        raise env.session.unsupported("having without group by or aggregates; use where", select.args["having"])
    windows = Windows(frame, env)
    trees, order = [windows.extract(t) for t in trees], [windows.extract(t) for t in order]
    qualify = windows.extract(qualify) if qualify is not None else None
    if windows.calls:
        must_be_local(pending, env)
        if generated is not None:
            raise env.session.unsupported(
                "a function that makes rows together with window functions; put it into lateral view", generated
            )
    windows.build()
    if qualify is not None:
        frame.node = Filter(frame.node, as_condition(finish(qualify, frame, env), env, "qualify"))
    scalars = [finish(t, frame, env) for t in trees]
    keys = [finish(t, frame, env) for t in order]
    return _project(select, frame, env, items, scalars, keys, pending, one_row)


def _refuse_unknown(select: exp.Select, env: Env) -> None:
    for key, value in select.args.items():
        if value and key not in _KNOWN:
            raise env.session.unsupported(f"{_CLAUSES.get(key, key.rstrip('_').replace('_', ' '))} in a select", select)
    if select.args.get("kind"):
        raise env.session.unsupported(f"select as {select.args['kind']}", select)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise env.session.unsupported("distinct on; use row_number() and qualify", distinct)


def _generated(items: list[Item], frame: Frame, env: Env) -> list[Item]:
    """explode(x) in the select list becomes rows of the frame, and its columns items."""
    out: list[Item] = []
    seen = False
    for item in items:
        call, names = item.expr, [item.name] if item.aliased else []
        if isinstance(call, exp.Aliases):
            call, names = call.this, [a.name for a in item.expr.expressions]
        if not is_generator(call):
            out.append(item)
            continue
        if seen:
            raise env.session.unsupported("two generators in one select list; put one of them into lateral view", call)
        seen = True
        from belvedere.languages.sql.columns import internal

        before = frame.scope
        visible = bind_generator(call, frame, env, names=names, alias="")
        frame.scope = before
        out += [Item(v.name, internal(v.column, call), True) for v in visible]
    return out


def _unaliased(e: exp.Expr) -> exp.Expr:
    return e.this if isinstance(e, (exp.Alias, exp.Aliases)) else e


def _check_references(items: list[Item], env: Env) -> None:
    for i in items:
        if isinstance(i.expr, exp.Aliases):
            raise env.session.error(TypeMismatch, "several aliases are given for one value", i.expr)


def _resolved(items: list[Item], frame: Frame, env: Env) -> list[exp.Expr]:
    """Each item over the frame's columns; an item may use the aliases of those before it."""
    known: dict[str, exp.Expr] = {}
    trees: list[exp.Expr] = []
    for item in items:
        tree = resolve(item.expr, frame.scope, env, known)
        trees.append(tree)
        if item.aliased:
            known[item.name] = tree
    return trees


def _clause(
    select: exp.Select, key: str, frame: Frame, env: Env, trees: dict[str, exp.Expr], items: list[Item]
) -> exp.Expr | None:
    clause = select.args.get(key)
    if clause is None:
        return None
    usable = {n: t for n, t in trees.items() if any(i.aliased and i.name == n for i in items)}
    return resolve(clause.this, frame.scope, env, usable)


def apply_having(having: exp.Expr, frame: Frame, env: Env) -> None:
    must_be_local(apply_conditions(frame, [having], env, "having"), env)


def _project(
    select: exp.Select, frame: Frame, env: Env, items: list[Item], scalars: list[Scalar], keys: list[Scalar],
    pending: list[Scalar], one_row: bool,
) -> Query:  # fmt: skip
    """The list itself; behind it what the outer query still needs, and what the order needs."""
    correlation = env.correlation
    visible = [i.name for i in items]
    # A subquery's columns meet those of the query around it, so their names are fresh; others are named as they are shown.
    names = distinct_names(visible) if correlation is None else tuple(env.session.fresh(n) for n in visible)
    outputs = list(zip(names, scalars, strict=True))
    hidden: list[tuple[str, Scalar]] = []
    domain: dict[str, str] = {}
    if correlation is not None and correlation.domain is not None:
        for outer, local in correlation.domain.items():
            hidden.append((local, col(frame.schema[local])))
            domain[outer] = local
    needed = {c for p in pending for c in p.columns if c in frame.schema}
    hidden += [(c.name, col(c)) for c in frame.schema if c.name in needed]
    node = project(frame.node, tuple(outputs) + tuple(hidden))
    distinct = select.args.get("distinct") is not None
    if distinct:
        for item, s in zip(items, scalars, strict=True):
            if not groupable(s.type):
                raise env.session.error(TypeMismatch, f"distinct cannot compare '{item.name}' of type {s.type}", item.expr)
        deduplicated = Aggregate(node, tuple((c.name, col(c)) for c in node.schema), ())
    query = Query(deduplicated if distinct else node, tuple(i.name for i in items), tuple(pending), domain, one_row=one_row)
    return sorted_query(select, query, env, frame, outputs, hidden, keys, distinct=distinct)
