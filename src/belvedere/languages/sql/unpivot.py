"""unpivot: columns become rows, each with the name of the column (or columns) that it comes from.

    t unpivot (value for name in (a, b as 'bee'))

An explode over an array with one struct for each column of the list.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Explode, Filter, Project
from belvedere.algebra.scalar import Scalar, col
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import resolve
from belvedere.languages.sql.expressions import typed
from belvedere.languages.sql.scope import Scope, Source, Visible
from belvedere.languages.sql.state import Env, Frame


def bind_unpivot(pivot: exp.Expr, frame: Frame, env: Env) -> Frame:
    fields = pivot.args.get("fields") or []
    if len(fields) != 1 or not isinstance(fields[0], exp.In) or len(pivot.expressions) != 1:
        raise env.session.unsupported("an unpivot other than: unpivot (value for name in (column, …))", pivot)
    target = pivot.expressions[0]
    values = [e.name for e in target.expressions] if isinstance(target, exp.Tuple) else [target.name]
    label = fields[0].this.name
    rows, used = [], set()
    for entry in fields[0].expressions:
        title, columns = _entry(entry, frame, env)
        if len(columns) != len(values):
            raise env.session.error(
                TypeMismatch, f"the unpivot gives {len(values)} value(s), and this entry has {len(columns)}", entry
            )
        used |= {c.name for e in columns for c in e.find_all(exp.Column)}
        rows.append((title, columns))
    inner = [f"v{i}" for i in range(len(values))]
    structs = [_struct(title, columns, inner) for title, columns in rows]
    fresh = env.session.fresh
    item = fresh("item")
    node = Explode(frame.node, typed(exp.Array(expressions=structs), env, frame.schema), (item,))
    kept = [v for v in frame.scope.star if v.column not in used]
    items: list[tuple[str, Scalar]] = [(v.column, col(node.schema[v.column])) for v in kept]
    visible = list(kept)
    for shown, field in [(label, "name"), *zip(values, inner, strict=True)]:
        tree = exp.Dot(this=col(node.schema[item]).expr, expression=exp.to_identifier(field, quoted=True))
        scalar = typed(tree, env, node.schema)
        name = fresh(shown)
        items.append((name, scalar))
        visible.append(Visible(shown, name, scalar.type))
    from belvedere.languages.sql.pivot import alias_after

    out = Frame(Project(node, tuple(items)), Scope.of(Source(alias_after(pivot, frame), tuple(visible))))
    if not pivot.args.get("include_nulls"):
        out.node = Filter(out.node, _some_value(out, visible[-len(values) :], env))
    return out


def _entry(entry: exp.Expr, frame: Frame, env: Env) -> tuple[str, list[exp.Expr]]:
    given = entry.this if isinstance(entry, (exp.PivotAlias, exp.Alias)) else entry
    columns = list(given.expressions) if isinstance(given, exp.Tuple) else [given]
    resolved = []
    for c in columns:
        if not isinstance(c, exp.Column):
            raise env.session.error(TypeMismatch, "unpivot takes columns of the relation", entry)
        resolved.append(resolve(c, frame.scope, env))
    if given is entry:
        return "_".join(c.name for c in columns), resolved
    alias = entry.args["alias"]
    return alias.name if isinstance(alias, exp.Expr) else str(alias), resolved


def _struct(title: str, columns: list[exp.Expr], inner: list[str]) -> exp.Expr:
    items = [exp.PropertyEQ(this=exp.to_identifier("name", quoted=True), expression=exp.Literal.string(title))]
    items += [exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=c) for n, c in zip(inner, columns, strict=True)]
    return exp.Struct(expressions=items)


def _some_value(frame: Frame, values: list[Visible], env: Env) -> Scalar:
    tree: exp.Expr | None = None
    for v in values:
        known = exp.Not(this=exp.Is(this=col(frame.schema[v.column]).expr, expression=exp.null()))
        tree = known if tree is None else exp.Or(this=tree, expression=known)
    assert tree is not None
    return typed(tree, env, frame.schema)
