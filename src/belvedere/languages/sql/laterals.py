"""lateral: a relation on the right of a join that reads columns of what stands to its left."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Join, OuterJoin
from belvedere.algebra.ops.outer_join import OuterKind
from belvedere.algebra.scalar import conjunction
from belvedere.languages.sql.decorrelate import bind_correlated, matching
from belvedere.languages.sql.generators import bind_generator, is_generator
from belvedere.languages.sql.joins import on_clause
from belvedere.languages.sql.relations import alias_of
from belvedere.languages.sql.scope import Scope, Source, Visible
from belvedere.languages.sql.state import Env, Frame


def bind_lateral_join(frame: Frame, join: exp.Join, env: Env, outer: OuterKind | None) -> list[exp.Expr]:
    """Join a lateral subquery or generator to the frame; conditions to be applied afterwards come back."""
    lateral = join.this
    if outer in ("right", "full"):
        raise env.session.unsupported(f"a {outer} join with a lateral relation", join)
    if is_generator(lateral.this):
        return _generated(frame, lateral, join, env, outer)
    if not isinstance(lateral.this, exp.Subquery):
        raise env.session.unsupported(f"lateral '{lateral.this.sql('spark')[:60]}'", lateral)
    query = bind_correlated(lateral.this.this, frame, env, rows=True)
    alias, names = alias_of(lateral, env, query.columns)
    visible = tuple(Visible(n, c.name, c.type) for n, c in zip(names, query.node.schema, strict=False))
    scope = frame.scope.joined(Scope.of(Source((alias,) if alias else (), visible)))
    both = Frame(Join(frame.node, query.node, conjunction(())), scope)
    on, later = on_clause(join, both, env, inner=outer is None)
    condition = conjunction([*matching(query, frame), on])
    if outer:
        frame.node = OuterJoin(frame.node, query.node, condition, outer)
    else:
        frame.node = Join(frame.node, query.node, condition)
    frame.scope = scope
    return later


def _generated(frame: Frame, lateral: exp.Lateral, join: exp.Join, env: Env, outer: OuterKind | None) -> list[exp.Expr]:
    on = join.args.get("on")
    if outer and not (isinstance(on, exp.Boolean) and on.this):
        raise env.session.unsupported("a left join with a lateral generator and a condition other than true", join)
    alias = lateral.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    bind_generator(lateral.this, frame, env, names=names, alias=name, outer=outer is not None)
    return [on] if on is not None and not outer else []
