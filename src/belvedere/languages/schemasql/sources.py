"""Readers over the expanded variables → sources: a branch for each relation (UNITE) and each folded column (FOLD)."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Project, Values
from belvedere.algebra.scalar import Scalar, cast, col, integer
from belvedere.algebra.types import BigInt, Column, DataType, Schema, String, Variant, Void
from belvedere.algebra.typing.coerce import common
from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.languages.schemasql.bound import Branch, Source
from belvedere.languages.schemasql.catalog import Attribute, Member
from belvedere.languages.schemasql.expansion import Assignment, Expansion
from belvedere.languages.schemasql.formula import range_formula
from belvedere.languages.schemasql.references import Reader
from belvedere.languages.schemasql.tokens import error
from belvedere.languages.schemasql.variables import AttributeVariable, Constant, Term, Use, Variables

#: a column of a source that holds nothing but the presence of a tuple
PRESENT = "present"


@dataclass(frozen=True)
class _Read:
    """One relation, under one choice of names, and the column behind each column of the reader."""

    chosen: Assignment
    member: Member
    attributes: tuple[Attribute, ...]


def variables_of(reader: Reader, variables: Variables) -> tuple[str, ...]:
    """The schema variables that a reader fixes."""
    return variables.closure((*reader.relation.variables, *reader.folds))


def reader_source(
    reader: Reader, names: dict[str, str], encoded: frozenset[str], variables: Variables, expansion: Expansion
) -> Source:
    """`names` gives the column of each schema variable that the reader fixes."""
    types = {n: _type(reader, n, t, variables, expansion) for n, t in reader.columns.items()}
    reads = _reads(reader, tuple(names), list(reader.columns.values()), variables, expansion)
    expansion.read.update(dict.fromkeys(r.member.shown for r in reads))
    columns = list(types.items())
    columns += [(c, BigInt() if v in encoded else String()) for v, c in names.items()]
    branches = tuple(_branch(r, types, names, encoded) for r in reads)
    formula = range_formula(reader, [r.member.shown for r in reads], {v: [r.chosen[v].name for r in reads] for v in names})
    return Source(reader.variable, tuple(columns or [(PRESENT, BigInt())]), branches, reader.distinct, formula)


def names_source(alias: str, names: dict[str, str], encoded: frozenset[str], expansion: Expansion) -> Source:
    """Schema variables that no reader fixes: their names themselves."""
    columns = tuple((c, BigInt() if v in encoded else String()) for v, c in names.items())
    schema = Schema(tuple(Column(n, t) for n, t in columns))
    branches = []
    for chosen in expansion.over(tuple(names)):
        row = tuple(chosen[v].constant(encoded=v in encoded) for v in names)
        branches.append(Branch(("names", *(chosen[v].key for v in names)), Values(schema, (row,))))
    return Source(alias, columns, tuple(branches), formula=f"names of {', '.join(names)}")


def _reads(reader: Reader, names: tuple[str, ...], terms: list[Term], variables: Variables, expansion: Expansion) -> list[_Read]:
    """The relations under each choice of the names, with the columns behind the terms; a choice for which a folded column is not
    there gives nothing."""
    found = []
    for chosen in expansion.over(names):
        member = expansion.member(reader.relation, chosen)
        if member is None:
            continue
        attributes = [_attribute(t, member, chosen, reader, variables, expansion) for t in terms]
        if None not in attributes:
            found.append(_Read(chosen, member, tuple(a for a in attributes if a is not None)))
    return found


def _attribute(
    term: Term, member: Member, chosen: Assignment, reader: Reader, variables: Variables, expansion: Expansion
) -> Attribute | None:
    """The column of a relation that an attribute in the text, or the choice for a folded one, means. One that the text names
    must be there."""
    if isinstance(term, Constant):
        found = member.attribute(term.word.text)
        if found is None:
            known = [a.name for a in member.attributes]
            message = f"the relation '{member.shown}' has no attribute '{term.word.text}'{suggest(term.word.text, known)}"
            if reader.relation.variables:
                message += f"; every relation that '{reader.variable}' ranges over must have it"
            raise error(expansion.text, term.word.start, message, UnknownName)
        return found
    choice = chosen[term.variable]
    variable = variables.all[term.variable]
    assert isinstance(variable, AttributeVariable)
    owner = expansion.member(variable.relation, chosen)
    if owner is not None and owner.key == member.key:
        assert isinstance(choice.thing, Attribute)
        return choice.thing
    return next((a for a in member.attributes if a.name == choice.name), None)


def _type(reader: Reader, name: str, term: Term, variables: Variables, expansion: Expansion) -> DataType:
    """The common type of a column over all relations that the reader ranges over, whatever else it reads of them."""
    folded = (term.variable,) if isinstance(term, Use) else ()
    at = term.word.start if isinstance(term, Constant) else reader.start
    kind: DataType = Void()
    first: _Read | None = None
    for r in _reads(reader, (*reader.relation.variables, *folded), [term], variables, expansion):
        wider = _common(kind, r.attributes[0].type)
        if wider is None:
            assert first is not None
            message = (
                f"{reader.variable}.{name} reads {_shown(first)} and {_shown(r)}, which have no common type; "
                "exclude one of them by a condition on its name"
            )
            raise error(expansion.text, at, message, TypeMismatch)
        if wider != kind:
            kind, first = wider, r
    if reader.distinct and kind.contains(Variant):
        message = f"values of type {kind} cannot be told apart, so '{reader.variable}' has no range"
        raise error(expansion.text, at, message, TypeMismatch)
    return kind


def _common(a: DataType, b: DataType) -> DataType | None:
    """As in a union; but there SQL takes text beside a number for a number, and here it is a forgotten `D <> 'name'`."""
    if not isinstance(a, Void) and not isinstance(b, Void) and isinstance(a, String) != isinstance(b, String):
        return None
    return common(a, b)


def _shown(r: _Read) -> str:
    return f"{r.member.shown}.{r.attributes[0].name} ({r.attributes[0].type})"


def _branch(r: _Read, types: dict[str, DataType], names: dict[str, str], encoded: frozenset[str]) -> Branch:
    node, columns = _narrowed(r.member, r.attributes)
    items: list[tuple[str, Scalar]] = []
    for (name, t), attribute in zip(types.items(), r.attributes, strict=True):
        items.append((name, cast(col(columns[attribute.name]), t)))
    items += [(c, r.chosen[v].constant(encoded=v in encoded)) for v, c in names.items()]
    key = (r.member.key, *(a.name if a.id is None else a.id for a in r.attributes), *(r.chosen[v].key for v in names))
    return Branch(key, Project(node, tuple(items or [(PRESENT, integer(1))])))


def _narrowed(member: Member, attributes: tuple[Attribute, ...]) -> tuple[Node, dict[str, Column]]:
    """The relation with the columns that are read and no others, and each attribute's column. Columns of a table are called by
    their ids, so that the node says nothing else when another column comes or goes, and nothing about names but in its leaf."""
    plan = member.plan()
    by_name = dict(zip((a.name for a in member.attributes), plan.schema, strict=True))
    if not isinstance(plan, Get):
        return plan, by_name
    read = {a.name: a for a in (attributes or member.attributes[:1])}
    made = {
        n: Column(f"c{a.id}" if a.id is not None else by_name[n].name, by_name[n].type, by_name[n].id) for n, a in read.items()
    }
    sources = tuple(plan.source(by_name[n].name) for n in made)
    return Get(plan.name, Schema(tuple(made.values())), sources), made
