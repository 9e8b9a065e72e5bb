"""What the variables of a FROM clause are, with every name in a range either a constant or a variable."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.languages.schemasql.syntax import Word


@dataclass(frozen=True)
class Constant:
    """A name that stands in the text."""

    word: Word


@dataclass(frozen=True)
class Use:
    """A name that a variable gives."""

    variable: str


#: a name in a range; None is the current database
Term = Constant | Use


@dataclass(frozen=True)
class RelationTerm:
    """A relation in a range: [database::]name."""

    database: Term | None
    name: Term

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(t.variable for t in (self.database, self.name) if isinstance(t, Use))


@dataclass(frozen=True)
class Variable:
    name: str
    start: int


@dataclass(frozen=True)
class DatabaseVariable(Variable):
    """`-> D`: the named databases."""


@dataclass(frozen=True)
class RelationVariable(Variable):
    """`db-> R`: the relations of a database."""

    database: Term | None


@dataclass(frozen=True)
class AttributeVariable(Variable):
    """`db::rel-> A`: the attributes of a relation."""

    relation: RelationTerm


@dataclass(frozen=True)
class TupleVariable(Variable):
    """`db::rel T`: the tuples of a relation."""

    relation: RelationTerm


@dataclass(frozen=True)
class ValueVariable(Variable):
    """`T.attr V`: the value in a tuple."""

    tuple: str
    attribute: Term


@dataclass(frozen=True)
class DomainVariable(Variable):
    """`db::rel.attr V`: the distinct values of an attribute."""

    relation: RelationTerm
    attribute: Term


#: variables whose values are names
SchemaVariable = DatabaseVariable | RelationVariable | AttributeVariable


class Variables:
    """The variables of a text, in the order of declaration. A name is matched exactly first, then without regard to case."""

    def __init__(self) -> None:
        self.all: dict[str, Variable] = {}

    def add(self, variable: Variable) -> None:
        self.all[variable.name] = variable

    def find(self, name: str) -> Variable | None:
        if name in self.all:
            return self.all[name]
        return next((v for n, v in self.all.items() if n.lower() == name.lower()), None)

    @property
    def schema(self) -> dict[str, SchemaVariable]:
        return {n: v for n, v in self.all.items() if isinstance(v, SchemaVariable)}

    def closure(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The schema variables with all that their own ranges depend on, in the order of declaration."""
        found = set(names)
        for name in reversed(self.all):
            if name in found:
                found.update(depends_on(self.all[name]))
        return tuple(n for n in self.all if n in found)


def depends_on(variable: Variable) -> tuple[str, ...]:
    """The schema variables in a variable's range."""
    match variable:
        case RelationVariable(database=Use(variable=name)):
            return (name,)
        case AttributeVariable(relation=relation) | TupleVariable(relation=relation):
            return relation.variables
        case DomainVariable(relation=relation, attribute=attribute):
            return (*relation.variables, *((attribute.variable,) if isinstance(attribute, Use) else ()))
        case ValueVariable(attribute=Use(variable=name)):
            return (name,)
        case _:
            return ()
