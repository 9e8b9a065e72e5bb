"""The header over the select list: which attribute is fixed, which one is the pivot, what names the relation."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.typing.dialect import located
from belvedere.errors import TypeMismatch, Unsupported
from belvedere.languages.schemasql.syntax import Parsed, Word
from belvedere.languages.schemasql.tokens import error
from belvedere.languages.schemasql.variables import TupleVariable, Variables


@dataclass(frozen=True)
class Shape:
    """`fixed`: (item, attribute) in order. `pivot` and `relation` are variables; `data` is the item that fills the cells."""

    database: str | None
    relation_name: str | None
    relation: str | None
    fixed: tuple[tuple[int, str], ...]
    pivot: str | None = None
    data: int | None = None
    pivot_at: int = 0

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the output is named by: pivot, relation."""
        return tuple(v for v in (self.pivot, self.relation) if v is not None)


def shape_of(parsed: Parsed, variables: Variables, items: list[str]) -> Shape:
    """`items`: the names that a SQL view would show for the select list."""
    header, text = parsed.header, parsed.text
    if header is None:
        return Shape(None, None, None, tuple(enumerate(items)))
    if header.database is not None and header.database.text in variables.all:
        message = f"a variable as the database of a view ('{header.database.text}'); name it"
        raise error(text, header.database.start, message, Unsupported)
    relation = _variable(header.name, variables)
    database = header.database.text if header.database is not None else None
    named = None if relation is not None else header.name.text
    if header.attributes is None:
        return Shape(database, named, relation, tuple(enumerate(items)))
    if len(header.attributes) != len(items):
        message = f"the header has {len(header.attributes)} attribute(s), and the select list {len(items)} item(s)"
        raise error(text, header.attributes[0].start, message)
    fixed: list[tuple[int, str]] = []
    pivot: tuple[int, str] | None = None
    for i, word in enumerate(header.attributes):
        variable = _variable(word, variables)
        if variable is None:
            if any(word.text == name for _, name in fixed):
                raise error(text, word.start, f"the attribute '{word.text}' stands twice in the header; give one another name")
            fixed.append((i, word.text))
        elif pivot is not None:
            message = f"a second variable among the attributes of a view ('{word.text}'); only one can name columns"
            raise error(text, word.start, message, Unsupported)
        else:
            pivot = (i, variable)
    if pivot is None:
        return Shape(database, named, relation, tuple(fixed))
    return Shape(database, named, relation, tuple(fixed), pivot[1], pivot[0], pivot[0])


def _variable(word: Word, variables: Variables) -> str | None:
    """The variable that a name in the header means, written just so: a name that comes near is a name. Tuples name nothing, so a
    tuple variable's name is a constant there."""
    found = variables.all.get(word.text)
    return None if found is None or isinstance(found, TupleVariable) else found.name


def need_unique(columns: list[str], parsed: Parsed) -> None:
    """Without a header the result is read like a SQL view, by its columns' names."""
    for i, name in enumerate(columns):
        if name in columns[:i]:
            message = f"two columns of the result are named '{name}'; give one of them another name with `as`"
            raise located(TypeMismatch, message, parsed.text, parsed.select.expressions[i])
