"""The types of the reference: few, plain, and not the product's, so that a mistake in one is not a mistake in both."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A type of values."""


@dataclass(frozen=True)
class Prim(Type):
    """`kind` is one of int, double, string, boolean, date, timestamp; `odl` is how ODL writes it."""

    kind: str
    odl: str = ""

    def __str__(self) -> str:
        return self.odl or self.kind


@dataclass(frozen=True)
class Enum(Type):
    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ref(Type):
    cls: str

    def __str__(self) -> str:
        return self.cls


@dataclass(frozen=True)
class Struct(Type):
    fields: tuple[tuple[str, Type], ...]

    def field(self, name: str) -> Type | None:
        return dict(self.fields).get(name)

    def __str__(self) -> str:
        return f"struct({', '.join(f'{n}: {t}' for n, t in self.fields)})"


@dataclass(frozen=True)
class Coll(Type):
    """`kind` is one of set, bag, list, array."""

    kind: str
    element: Type

    @property
    def ordered(self) -> bool:
        return self.kind in ("list", "array")

    def __str__(self) -> str:
        return f"{self.kind}<{self.element}>"


@dataclass(frozen=True)
class Dictionary(Type):
    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dictionary<{self.key}, {self.value}>"


@dataclass(frozen=True)
class Nothing(Type):
    """The type of `nil`, `undefined` and of the members of an empty constructor; it goes with every type."""

    def __str__(self) -> str:
        return "nothing"


INT = Prim("int", "long")
DOUBLE = Prim("double", "double")
STRING = Prim("string", "string")
BOOLEAN = Prim("boolean", "boolean")
DATE = Prim("date", "date")
TIMESTAMP = Prim("timestamp", "timestamp")
NOTHING = Nothing()
INTS = (INT, Prim("int", "short"), Prim("int", "unsigned long"), Prim("int", "long long"))


def kind(t: Type) -> str:
    """The family that decides what can be done with a value: int, double, string, …, ref, struct, coll, dictionary, nothing."""
    match t:
        case Prim(kind=k):
            return k
        case Enum():
            return "enum"
        case Ref():
            return "ref"
        case Struct():
            return "struct"
        case Coll():
            return "coll"
        case Dictionary():
            return "dictionary"
    return "nothing"


def is_number(t: Type) -> bool:
    return kind(t) in ("int", "double")


def flat(t: Type) -> bool:
    """Neither struct nor collection."""
    return kind(t) not in ("struct", "coll", "dictionary")
