"""The types of ODL and OQL. What the algebra does not tell apart (set, bag, list; a reference and a number) is told apart here.

In the algebra a reference is a bigint (the object's identity, NULL for nil), a set or bag is an array in canonical order
(`objects/canonical.py`: sorted; a set without duplicates), a list or array is an array in its own order, a dictionary is a
map. A time is a bigint, the microseconds since midnight, and so is an interval: then both can be compared and summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from belvedere.algebra.types import (
    Array,
    BigInt,
    Boolean,
    DataType,
    Date,
    Double,
    Float,
    Int,
    Map,
    SmallInt,
    String,
    Struct,
    Timestamp,
    Void,
)

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


#: ODL's own types by their words. Unsigned types are kept one size wider; updates hold them to their range.
PRIMITIVES: dict[str, Primitive] = {
    p.name: p
    for p in (
        Primitive("short", SmallInt()), Primitive("unsigned short", Int()), Primitive("long", Int()),
        Primitive("unsigned long", BigInt()), Primitive("long long", BigInt()), Primitive("float", Float()),
        Primitive("double", Double()), Primitive("boolean", Boolean()), Primitive("char", String()),
        Primitive("octet", SmallInt()), Primitive("string", String()), Primitive("date", Date()), Primitive("time", BigInt()),
        Primitive("interval", BigInt()), Primitive("timestamp", Timestamp()),
    )
}  # fmt: skip


def data_type(t: OType) -> DataType:
    """How the algebra holds values of a type.

    >>> str(data_type(CollectionType("set", StructType((("a", PRIMITIVES["long"]), ("r", Ref("person")))))))
    'array<struct<a:int,r:bigint>>'
    """
    match t:
        case Primitive(data=data):
            return data
        case Enum():
            return String()
        case Ref():
            return BigInt()
        case StructType(fields=fields):
            return Struct(tuple((n, data_type(f)) for n, f in fields))
        case CollectionType(element=element):
            return Array(data_type(element))
        case DictionaryType(key=key, value=value):
            return Map(data_type(key), data_type(value))
        case _:
            return Void()


def classes_in(t: OType) -> frozenset[str]:
    """The classes that values of a type can refer to, at any depth."""
    match t:
        case Ref(cls=cls):
            return frozenset({cls})
        case StructType(fields=fields):
            return frozenset().union(*(classes_in(f) for _, f in fields))
        case CollectionType(element=element):
            return classes_in(element)
        case DictionaryType(key=key, value=value):
            return classes_in(key) | classes_in(value)
        case _:
            return frozenset()
