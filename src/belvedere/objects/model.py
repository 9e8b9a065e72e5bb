"""Classes and where their properties live.

A class has one table: a row for each of its objects and for each object of a class below it, with the column `oid` (bigint,
the key) and one column for each property that is not a collection of references, inherited ones included. So an extent *is*
a table, at the price of one copy of an inherited attribute per class above; the updates keep the copies equal.

A collection of references lives beside it:
 * a collection side of a relationship whose other side is single (1:n) and has no order is not stored at all: it is the other
   side's column, read backwards;
 * every other one is a link table (owner, member), with `pos` (int, from 0) if it is a list or array. Both sides of an n:m
   relationship without an order are one link table, read from either end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.objects.oid import class_number
from belvedere.objects.types import CollectionType, OType, Ref, data_type

OID = "oid"
OWNER = "owner"
MEMBER = "member"
POSITION = "pos"


@dataclass(frozen=True)
class InColumn:
    """In a column of the class's own table, and of the tables of the classes below it."""

    column: str


@dataclass(frozen=True)
class Backwards:
    """The objects of `cls` whose `column` refers to the owner: table `table`, no storage of its own."""

    cls: str
    table: str
    column: str


@dataclass(frozen=True)
class Linked:
    """A link table. `owner` and `member` name its columns as seen from this side."""

    table: str
    owner: str
    member: str
    ordered: bool


Storage = InColumn | Backwards | Linked


@dataclass(frozen=True)
class Property:
    """An attribute or relationship. `inverse` is (class, property) for a relationship."""

    name: str
    type: OType
    cls: str
    storage: Storage
    inverse: tuple[str, str] | None = None
    readonly: bool = False

    @property
    def is_relationship(self) -> bool:
        return self.inverse is not None

    @property
    def target(self) -> str | None:
        """The class referred to, directly or from a collection."""
        t = self.type.element if isinstance(self.type, CollectionType) else self.type
        return t.cls if isinstance(t, Ref) else None


@dataclass(frozen=True)
class ClassDef:
    """A class. `own` are the properties it defines itself; `number` is the part of an object's identity that names its class."""

    name: str
    number: int
    table: str
    extent: str | None
    parents: tuple[str, ...]
    own: tuple[Property, ...]
    keys: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class ObjectModel:
    """All classes of a warehouse, and the types and constants that ODL texts have named."""

    classes: dict[str, ClassDef] = field(default_factory=dict)
    types: dict[str, OType] = field(default_factory=dict)
    constants: dict[str, tuple[OType, Any]] = field(default_factory=dict)

    def above(self, name: str) -> tuple[str, ...]:
        """The class itself, then all classes above it, each once."""
        found: dict[str, None] = {}

        def visit(n: str) -> None:
            if n not in found:
                found[n] = None
                for p in self.classes[n].parents:
                    visit(p)

        visit(name)
        return tuple(found)

    def below(self, name: str) -> tuple[str, ...]:
        """The class itself and all classes below it."""
        return tuple(c for c in self.classes if name in self.above(c))

    def properties(self, name: str) -> Iterator[Property]:
        """Inherited ones first, each once."""
        seen: set[str] = set()
        for c in reversed(self.above(name)):
            for p in self.classes[c].own:
                if p.name not in seen:
                    seen.add(p.name)
                    yield p

    def find(self, name: str, prop: str) -> Property | None:
        return next((p for p in self.properties(name) if p.name == prop), None)

    def by_extent(self, extent: str) -> ClassDef | None:
        return next((c for c in self.classes.values() if c.extent == extent), None)

    def class_of(self, oid: int) -> ClassDef | None:
        """The class that an object was made as, told by its identity alone."""
        number = class_number(oid)
        return next((c for c in self.classes.values() if c.number == number), None)

    def schema(self, name: str) -> Schema:
        """The columns of a class's table."""
        stored = [p for p in self.properties(name) if isinstance(p.storage, InColumn)]
        return Schema((Column(OID, BigInt()), *(Column(p.name, data_type(p.type)) for p in stored)))
