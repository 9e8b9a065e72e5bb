"""The clauses of the select over the readers' columns, conditions on names alone set apart, and its grouping made explicit."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from belvedere.languages.schemasql.references import NAME_OF, References
from belvedere.languages.schemasql.static import is_static
from belvedere.languages.schemasql.syntax import Parsed
from belvedere.languages.sql.aggregate_calls import has_aggregate
from belvedere.languages.sql.expressions import conjuncts
from belvedere.languages.sql.items import shown_name


@dataclass
class Clauses:
    """`items` with the names that a SQL view would show; `static` are conjuncts of where on names alone, `where` the others;
    `group` is the clause as it stands, None if there is none."""

    items: list[tuple[str, exp.Expr]]
    static: list[exp.Expr]
    where: list[exp.Expr]
    group: exp.Group | None
    having: exp.Expr | None
    distinct: bool

    @property
    def aggregated(self) -> bool:
        return any(has_aggregate(e) for _, e in self.items) or (self.having is not None and has_aggregate(self.having))


def clauses_of(parsed: Parsed, references: References) -> Clauses:
    select = parsed.select
    items: list[tuple[str, exp.Expr]] = []
    aliases: dict[str, exp.Expr] = {}
    for e in select.expressions:
        inner = e.this if isinstance(e, exp.Alias) else e
        made = references.rewritten(inner, aliases)
        items.append((e.alias if isinstance(e, exp.Alias) else shown_name(e), made))
        if isinstance(e, exp.Alias):
            aliases[e.alias] = made
    where = select.args.get("where")
    conditions = [references.rewritten(c) for c in conjuncts(where.this)] if where is not None else []
    schema = frozenset(references.variables.schema)
    static = [c for c in conditions if is_static(c, schema)]
    group, having = select.args.get("group"), select.args.get("having")
    return Clauses(
        items, static, [c for c in conditions if c not in static],
        None if group is None else _group(group, references, aliases),
        None if having is None else references.rewritten(having.this, aliases),
        bool(select.args.get("distinct")),
    )  # fmt: skip


def _group(group: exp.Group, references: References, aliases: dict[str, exp.Expr]) -> exp.Group:
    made = group.copy()
    for key, value in group.args.items():
        if isinstance(value, list):
            made.set(key, [references.rewritten(v, aliases) if isinstance(v, exp.Expr) else v for v in value])
        elif isinstance(value, exp.Expr):
            made.set(key, references.rewritten(value, aliases))
    return made


def grouped(clauses: Clauses, output: list[exp.Expr]) -> exp.Group | None:
    """The group by clause. Where aggregates stand without one, the other items and the names in the header are the keys."""
    if clauses.group is not None or not clauses.aggregated:
        return clauses.group
    keys: dict[str, exp.Expr] = {}
    for e in [*(e for _, e in clauses.items if not has_aggregate(e)), *output]:
        # a number would be read as a position in the select list
        key = exp.Cast(this=e.copy(), to=exp.DataType.build("string")) if isinstance(e.unnest(), exp.Literal) else e.copy()
        keys.setdefault(key.sql("spark"), key)
    return exp.Group(expressions=list(keys.values())) if keys else None


def names_in(e: exp.Expr) -> list[exp.Expr]:
    """The places where a schema variable stands for its name."""
    return [n for n in e.walk() if n.meta.get(NAME_OF)]
