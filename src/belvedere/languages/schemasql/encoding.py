"""Which schema variables are kept as permanent ids, and named on reading.

Then a rename costs no row. It is right where nothing but the output looks at the name, and ids and names correspond one to
one: the relations of one database, all of them tables, or the columns of one table.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.languages.schemasql.catalog import Attribute, Member
from belvedere.languages.schemasql.clauses import Clauses, names_in
from belvedere.languages.schemasql.expansion import Expansion
from belvedere.languages.schemasql.references import NAME_OF
from belvedere.languages.schemasql.variables import AttributeVariable, Constant, RelationVariable, Use, Variables


def encoded_variables(
    clauses: Clauses, kept: list[exp.Expr], shown: frozenset[str], hidden: int | None, homes: dict[str, int],
    variables: Variables, expansion: Expansion,
) -> frozenset[str]:  # fmt: skip
    """`kept`: the conditions that SQL decides. `shown`: variables in the header. `hidden`: the item that is the data of a pivot.
    `homes`: how many sources each variable stands in."""
    windows = any(isinstance(n, exp.Window) for _, e in clauses.items for n in e.walk())
    if windows:
        return frozenset()  # a row's value depends on rows of other relations, which must be seen to go
    plain = {e.meta[NAME_OF] for i, (_, e) in enumerate(clauses.items) if e.meta.get(NAME_OF) and i != hidden}
    looked_at = {n.meta[NAME_OF] for e in kept for n in names_in(e)}
    for i, (_, e) in enumerate(clauses.items):
        if i == hidden or not e.meta.get(NAME_OF):
            looked_at.update(n.meta[NAME_OF] for n in names_in(e))
    if clauses.having is not None:
        looked_at.update(n.meta[NAME_OF] for n in names_in(clauses.having))
    if clauses.group is not None:
        keys = {id(e) for e in clauses.group.expressions}
        looked_at.update(n.meta[NAME_OF] for n in names_in(clauses.group) if id(n) not in keys)
    candidates = [v for v in (shown | plain) - looked_at if homes.get(v) == 1]
    return frozenset(v for v in candidates if _one_to_one(v, variables, expansion))


def _one_to_one(name: str, variables: Variables, expansion: Expansion) -> bool:
    match variables.all[name]:
        case RelationVariable(database=database) if not isinstance(database, Use):
            choices = [a[name] for a in expansion.over((name,))]
            return all(isinstance(c.thing, Member) and c.id is not None for c in choices)
        case AttributeVariable(relation=relation) if not relation.variables and isinstance(relation.name, Constant):
            choices = [a[name] for a in expansion.over((name,))]
            return all(isinstance(c.thing, Attribute) and c.id is not None for c in choices)
        case _:
            return False
