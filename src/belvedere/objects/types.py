"""The types of ODL and OQL. What the algebra does not tell apart (set, bag, list; a reference and a number) is told apart here.

In the algebra a reference is a bigint (the object's identity, NULL for nil), a set or bag is an array in canonical order
(sorted; a set without duplicates), a list or array is an array in its own order, a dictionary is a map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from belvedere.algebra.types import DataType

CollectionKind = Literal["set", "bag", "list", "array"]


@dataclass(frozen=True)
class OType:
    """A type of OQL values; compare with ==, print with str()."""


@dataclass(frozen=True)
class Primitive(OType):
    """A number, string, boolean, date, time, timestamp or interval, as the algebra has it; `name` is ODL's word for it."""

    name: str
    data: DataType

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Enum(OType):
    """Kept as its word."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ref(OType):
    """An object of a class or of a class below it."""

    cls: str

    def __str__(self) -> str:
        return self.cls


@dataclass(frozen=True)
class Nil(OType):
    """The type of a bare nil."""

    def __str__(self) -> str:
        return "nil"


@dataclass(frozen=True)
class StructType(OType):
    fields: tuple[tuple[str, OType], ...]

    def __str__(self) -> str:
        return f"struct({', '.join(f'{n}: {t}' for n, t in self.fields)})"


@dataclass(frozen=True)
class CollectionType(OType):
    kind: CollectionKind
    element: OType

    def __str__(self) -> str:
        return f"{self.kind}<{self.element}>"


@dataclass(frozen=True)
class DictionaryType(OType):
    key: OType
    value: OType

    def __str__(self) -> str:
        return f"dictionary<{self.key}, {self.value}>"
