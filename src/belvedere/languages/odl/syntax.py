"""What an ODL text says, as written: names not looked up yet, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Name:
    """A word and where it stands."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class TypeSyntax:
    """A type: a word of ODL's own or a name, with the types in its angle brackets."""

    name: Name
    arguments: tuple[AnyType, ...] = ()


@dataclass(frozen=True)
class FieldSyntax:
    name: Name
    type: AnyType


@dataclass(frozen=True)
class StructSyntax:
    """`at` is where it stands; `name` is None for one that is written where it is used and has none."""

    at: Name
    name: Name | None
    fields: tuple[FieldSyntax, ...]


@dataclass(frozen=True)
class EnumSyntax:
    at: Name
    name: Name | None
    members: tuple[Name, ...]


AnyType = TypeSyntax | StructSyntax | EnumSyntax


@dataclass(frozen=True)
class TypedefSyntax:
    type: AnyType
    names: tuple[Name, ...]


@dataclass(frozen=True)
class ConstSyntax:
    """`value` is a literal, or the name of another constant."""

    type: AnyType
    name: Name
    value: Any
    at: Name


@dataclass(frozen=True)
class AttributeSyntax:
    name: Name
    type: AnyType
    readonly: bool


@dataclass(frozen=True)
class RelationshipSyntax:
    """`kind` is None for a single reference."""

    name: Name
    kind: Name | None
    target: Name
    inverse_class: Name
    inverse: Name


@dataclass(frozen=True)
class ClassSyntax:
    name: Name
    parents: tuple[Name, ...]
    extent: Name | None
    keys: tuple[tuple[Name, ...], ...]
    members: tuple[AttributeSyntax | RelationshipSyntax, ...]


Declaration = ClassSyntax | StructSyntax | EnumSyntax | TypedefSyntax | ConstSyntax
