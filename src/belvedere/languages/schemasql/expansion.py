"""Schema variables expanded over the catalog as it is: which names they can stand for, together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from belvedere.algebra.scalar import Scalar, integer, string
from belvedere.errors import UnknownName, suggest
from belvedere.languages.schemasql.catalog import Attribute, Member, SchemaNames
from belvedere.languages.schemasql.references import NAME_OF
from belvedere.languages.schemasql.static import holds
from belvedere.languages.schemasql.tokens import error
from belvedere.languages.schemasql.variables import (
    AttributeVariable,
    Constant,
    DatabaseVariable,
    RelationTerm,
    RelationVariable,
    SchemaVariable,
    Term,
    Use,
    Variables,
)


@dataclass(frozen=True)
class Choice:
    """What a schema variable stands for: its name now, its permanent id if it has one, and what tells it from all others."""

    name: str
    id: int | None
    key: object
    thing: Member | Attribute | None

    def constant(self, *, encoded: bool) -> Scalar:
        """The name, or the permanent id where names are given on reading."""
        if encoded:
            assert self.id is not None
            return integer(self.id)
        return string(self.name)


#: the id of an attribute is its relation's id above so many bits, and its own below; that of a relation stands below alone
ATTRIBUTE_BITS = 32

#: a choice for each of some variables
Assignment = dict[str, Choice]


class Expansion:
    """`conditions` are those on names alone. One counts wherever all that it speaks of is expanded."""

    def __init__(self, text: str, variables: Variables, names: SchemaNames, conditions: list[exp.Expr]) -> None:
        self.text, self.variables, self.names = text, variables, names
        self.conditions = [(c, frozenset(_names_in(c))) for c in conditions]
        #: the relations that are read, by their names
        self.read: dict[str, None] = {}
        self._relations: dict[str | None, list[Member]] = {}
        self._constants: dict[tuple[str | None, str], Member | None] = {}
        self._known: dict[tuple[str, ...], list[Assignment]] = {}
        for name in variables.schema:
            self.over((name,))

    @cached_property
    def databases(self) -> list[str]:
        return sorted(self.names.databases())

    def over(self, variables: tuple[str, ...]) -> list[Assignment]:
        """The choices for these variables, together with those that their ranges depend on."""
        wanted = self.variables.closure(variables)
        if wanted not in self._known:
            self._known[wanted] = list(self._assignments(wanted, {}))
        return self._known[wanted]

    def member(self, relation: RelationTerm, chosen: Assignment) -> Member | None:
        """The relation that a term means under a choice; None if a variable names one that is not there."""
        database = self._database(relation.database, chosen)
        if isinstance(relation.name, Constant):
            return self._constant(relation, database)
        choice = chosen[relation.name.variable]
        variable = self.variables.all[relation.name.variable]
        assert isinstance(choice.thing, Member)
        assert isinstance(variable, RelationVariable)
        if variable.database == relation.database or choice.thing.database == database:
            return choice.thing
        return next((m for m in self._members(database) if m.name == choice.name), None)

    def _constant(self, relation: RelationTerm, database: str | None) -> Member | None:
        assert isinstance(relation.name, Constant)
        word = relation.name.word
        if (database, word.text) not in self._constants:
            self._constants[database, word.text] = self.names.relation_in(database, word.text)
        found = self._constants[database, word.text]
        if isinstance(relation.database, Use):
            return found if found is not None and found.database == database else None
        if found is None:
            raise self._missing(relation, database)
        return found

    def _missing(self, relation: RelationTerm, database: str | None) -> Exception:
        assert isinstance(relation.name, Constant)
        word = relation.name.word
        known = [m.name for m in self._members(database)]
        if word.text in self.variables.all:
            message = f"the variable '{word.text}' is used before it is declared; declare it further left"
        elif database is None:
            hint = f"; '{word.text}' is a database: write {word.text}::relation" if word.text in self.databases else ""
            message = f"there is no relation '{word.text}' in the current database{hint or suggest(word.text, known)}"
        elif not known:
            message = f"there is no database '{database}'{suggest(database, self.databases)}"
        else:
            message = f"there is no relation '{word.text}' in the database '{database}'{suggest(word.text, known)}"
        return error(self.text, word.start, message, UnknownName)

    def _database(self, term: Term | None, chosen: Assignment) -> str | None:
        if term is None:
            return None
        return chosen[term.variable].name if isinstance(term, Use) else term.word.text

    def _members(self, database: str | None) -> list[Member]:
        if database not in self._relations:
            self._relations[database] = sorted(self.names.relations_of(database), key=lambda m: (m.name, m.key))
        return self._relations[database]

    def _choices(self, variable: SchemaVariable, chosen: Assignment) -> Iterator[Choice]:
        match variable:
            case DatabaseVariable():
                for name in self.databases:
                    yield Choice(name, None, name, None)
            case RelationVariable():
                for m in self._members(self._database(variable.database, chosen)):
                    yield Choice(m.name, m.id, m.key, m)
            case AttributeVariable():
                member = self.member(variable.relation, chosen)
                for a in member.attributes if member is not None else ():
                    yield Choice(a.name, _attribute_id(member, a), a.name if a.id is None else a.id, a)

    def _assignments(self, variables: tuple[str, ...], chosen: Assignment) -> Iterator[Assignment]:
        """All choices for the variables, in order; a condition is asked as soon as all it speaks of is chosen."""
        if len(chosen) == len(variables):
            yield dict(chosen)
            return
        name = variables[len(chosen)]
        variable = self.variables.schema[name]
        for choice in self._choices(variable, chosen):
            chosen[name] = choice
            names = {v: c.name for v, c in chosen.items()}
            due = (c for c, v in self.conditions if name in v and v <= names.keys())
            if all(holds(c, names) is True for c in due):
                yield from self._assignments(variables, chosen)
            del chosen[name]


def _attribute_id(relation: Member | None, attribute: Attribute) -> int | None:
    """An id that no attribute of another relation has: those of a relation that is made again under its old name start anew."""
    if relation is None or relation.id is None or attribute.id is None:
        return None
    return relation.id << ATTRIBUTE_BITS | attribute.id


def _names_in(condition: exp.Expr) -> list[str]:
    return [n.meta[NAME_OF] for n in condition.walk() if n.meta.get(NAME_OF)]
