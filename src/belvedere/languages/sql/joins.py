"""Joins: inner, cross, left, right, full, semi, anti; on, using, natural; lateral on the right."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Join, OuterJoin, SemiJoin
from belvedere.algebra.ops.outer_join import OuterKind
from belvedere.algebra.scalar import Scalar, col, conjunction, true
from belvedere.errors import UnknownName, suggest
from belvedere.languages.sql.expressions import bind_condition, conjuncts, has_subquery, outer_columns, typed
from belvedere.languages.sql.scope import Scope, Visible
from belvedere.languages.sql.state import Env, Frame, NeedsDomain

_OUTER: dict[str, OuterKind] = {"LEFT": "left", "RIGHT": "right", "FULL": "full"}


def bind_join(frame: Frame, join: exp.Join, env: Env) -> list[exp.Expr]:
    """Join a relation to the frame. Returns conditions that must be applied afterwards."""
    from belvedere.languages.sql.from_clause import bind_relation
    from belvedere.languages.sql.laterals import bind_lateral_join

    side, kind, method = (str(join.args.get(k) or "").upper() for k in ("side", "kind", "method"))
    if method not in ("", "NATURAL"):
        raise env.session.unsupported(f"a join by {method.lower()}", join)
    if kind not in ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI") or side not in ("", *_OUTER):
        raise env.session.unsupported(f"a {' '.join(filter(None, (side, kind))).lower()} join", join)
    if isinstance(join.this, exp.Lateral):
        return bind_lateral_join(frame, join, env, _OUTER.get(side))
    right = bind_relation(join.this, env)
    both = Frame(Join(frame.node, right.node, true()), frame.scope.joined(right.scope))
    names = _shared_names(frame, right, join, env, natural=method == "NATURAL")
    later: list[exp.Expr] = []
    if names:
        on = _equalities(frame, right, names, env)
    else:
        on, later = on_clause(join, both, env, inner=not side and kind not in ("SEMI", "ANTI"))
    if kind in ("SEMI", "ANTI"):
        if side == "RIGHT":
            raise env.session.unsupported(f"a right {kind.lower()} join; turn the two sides around", join)
        frame.node = SemiJoin(frame.node, right.node, on, anti=kind == "ANTI")
        return later
    if side:
        frame.node = OuterJoin(frame.node, right.node, on, _OUTER[side])
    else:
        frame.node = Join(frame.node, right.node, on)
    scope = both.scope
    frame.scope = scope
    if names:
        frame.scope = _merged(frame, scope, names, side, env)
    return later


def on_clause(join: exp.Join, both: Frame, env: Env, *, inner: bool) -> tuple[Scalar, list[exp.Expr]]:
    """The join's condition. Parts with subqueries or outer columns of an inner join can wait for the where clause."""
    on = join.args.get("on")
    if on is None:
        return true(), []
    now: list[Scalar] = []
    later: list[exp.Expr] = []
    for part in conjuncts(on):
        if has_subquery(part):
            if not inner:
                message = "a subquery in the condition of an outer, semi or anti join; put it into where or into a view"
                raise env.session.unsupported(message, part)
            later.append(part)
            continue
        scalar = bind_condition(part, both, env, "on")
        if outer_columns(scalar, both):
            if not inner:
                assert env.correlation is not None
                raise NeedsDomain(env.correlation)
            later.append(part)
        else:
            now.append(scalar)
    return conjunction(now), later


def condition_of(part: exp.Expr, frame: Frame, env: Env) -> Scalar:
    scalar = bind_condition(part, frame, env, "on")
    if outer_columns(scalar, frame):
        assert env.correlation is not None
        raise NeedsDomain(env.correlation)
    return scalar


def _shared_names(left: Frame, right: Frame, join: exp.Join, env: Env, *, natural: bool) -> list[tuple[Visible, Visible]]:
    """The pairs of columns that using or natural make equal."""
    if natural:
        known = {v.name.lower() for v in right.scope.star}
        wanted = [(v.name, None) for v in left.scope.star if v.name.lower() in known]
        pairs = [(n, p) for n, p in wanted]
    else:
        pairs = [(u.name, u) for u in join.args.get("using") or []]
    out = []
    for name, position in pairs:
        at: exp.Expr = position if position is not None else join
        out.append((_only(name, left.scope, "left", at, env), _only(name, right.scope, "right", at, env)))
    return out


def _only(name: str, scope: Scope, side: str, at: exp.Expr, env: Env) -> Visible:
    exact = [v for v in scope.star if v.name == name]
    found = exact or [v for v in scope.star if v.name.lower() == name.lower()]
    if not found:
        message = f"using: the {side} side has no column '{name}'{suggest(name, scope.names())}"
        raise env.session.error(UnknownName, message, at)
    if len(found) > 1:
        shown = " or ".join(scope.describe(v) for v in found)
        raise env.session.error(UnknownName, f"using: '{name}' is ambiguous on the {side} side: {shown}", at)
    return found[0]


def _equalities(left: Frame, right: Frame, names: list[tuple[Visible, Visible]], env: Env) -> Scalar:
    from belvedere.algebra.types import Schema

    schema = Schema(left.schema.columns + right.schema.columns)
    parts = []
    for a, b in names:
        tree = exp.EQ(this=col(schema[a.column]).expr, expression=col(schema[b.column]).expr)
        parts.append(typed(tree, env, schema))
    return conjunction(parts)


def _merged(frame: Frame, scope: Scope, names: list[tuple[Visible, Visible]], side: str, env: Env) -> Scope:
    """The common columns once, in front: the left's, the right's for a right join, whichever is there for a full join."""
    merged: list[Visible] = []
    hidden = {v.column for pair in names for v in pair}
    added = []
    for a, b in names:
        if side == "FULL":
            tree = exp.Coalesce(this=col(frame.schema[a.column]).expr, expressions=[col(frame.schema[b.column]).expr])
            scalar = typed(tree, env, frame.schema)
            name = env.session.fresh(a.name)
            added.append((name, scalar))
            merged.append(Visible(a.name, name, scalar.type))
        else:
            merged.append(b if side == "RIGHT" else a)
    frame.extend(added)
    rest = tuple(v for v in scope.star if v.column not in hidden)
    return Scope(scope.sources, (*merged, *rest))
