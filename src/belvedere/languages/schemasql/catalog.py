"""What SchemaSQL asks of the warehouse beyond SQL: names as data.

A name in the text follows renames, so it is looked up by what it meant when the view was written (`relation_in`,
`Member.attribute`). A name that is data is what the thing is called now (`databases`, `relations_of`, `Member.attributes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from belvedere.algebra.node import Node
from belvedere.algebra.types import DataType
from belvedere.errors import InvalidView
from belvedere.languages.sql.catalog import Names


@dataclass(frozen=True)
class Attribute:
    """A column as it is called now. `id` is permanent within its relation; None where there is none, as in a view."""

    name: str
    type: DataType
    id: int | None = None


@dataclass(frozen=True)
class Member:
    """A relation of a database.

    name: what it is called now, without its database; `id` is permanent, None for what is no table
    key: tells it from all other relations, whatever they are or were called
    attributes: all its columns, under the names they have now
    plan: a node with those columns, by position (its own column names do not matter); called once it is known to be read
    attribute: the column that a name in the text means, by exact name first, then without regard to case; None if there is none
    """

    database: str | None
    name: str
    id: int | None
    key: str
    attributes: tuple[Attribute, ...]
    plan: Callable[[], Node]
    attribute: Callable[[str], Attribute | None]

    @property
    def shown(self) -> str:
        """As the text would write it."""
        return self.name if self.database is None else f"{self.database}::{self.name}"


@dataclass(frozen=True)
class Broken(Member):
    """A relation of a view that is invalid. It has its name, and nothing else that can be asked for."""

    why: str = ""

    def __getattribute__(self, name: str) -> Any:
        if name in ("attributes", "attribute"):
            raise InvalidView(object.__getattribute__(self, "why"))
        return super().__getattribute__(name)


@runtime_checkable
class SchemaNames(Names, Protocol):
    """Names that can be ranged over. The current database has no name: None. What a view may not range over (itself, its own
    relations, hidden stages) is not among them."""

    def databases(self) -> list[str]:
        """The named databases, as they are called now: those that have a relation."""
        ...

    def relations_of(self, database: str | None) -> list[Member]:
        """All relations of a database, in any order; none if there is no such database. Exact name first, then without
        regard to case."""
        ...

    def relation_in(self, database: str | None, name: str) -> Member | None:
        """The relation that a text names, following renames."""
        ...

    def is_called(self, database: str | None, name: str) -> bool:
        """Whether a relation, or where no database is given a database, was called exactly so when the text was written."""
        ...

    def was_relation(self, name: str) -> bool:
        """Whether the name in the text meant a relation of the current database when it was written, gone or not."""
        ...
