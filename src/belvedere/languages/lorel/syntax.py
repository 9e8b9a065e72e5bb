"""The syntax tree of Lorel: what the text says, before any name is looked up.

Every part knows where it stands (`at`, an offset into the text), which plays no part in whether two trees are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.oem_text import OemTree


def _at() -> int:
    return field(default=0, compare=False, kw_only=True)


# -- paths -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Label:
    """What a step asks of an edge's label: to be this text or, as a pattern, to fit it; `%` fits anything, also nothing."""

    text: str
    pattern: bool = False

    @property
    def any(self) -> bool:
        return self.pattern and set(self.text) == {"%"}

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Step:
    """`.label`, `.lab%`, `.lab%@L` (L is bound to the label), `.label{x}` (x is bound to the object reached)."""

    label: Label
    label_variable: str | None = None
    variable: str | None = None
    at: int = _at()


@dataclass(frozen=True)
class AnyPath:
    """`.#`: any number of steps, also none."""

    variable: str | None = None
    at: int = _at()


@dataclass(frozen=True)
class Group:
    """`(.a|.b.c)`, and with `repeat` one of `?`, `*`, `+`. Inside there are no variables."""

    alternatives: tuple[tuple[PathStep, ...], ...]
    repeat: str = ""
    variable: str | None = None
    at: int = _at()


PathStep = Step | AnyPath | Group


@dataclass(frozen=True)
class Start:
    """Where a path begins: a variable or a name (`name`; which of the two the scope decides), or an oid such as `&12`."""

    text: str
    oid: bool = False
    at: int = _at()


@dataclass(frozen=True)
class Path:
    start: Start
    steps: tuple[PathStep, ...] = ()
    at: int = _at()


# -- values ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    constant: Constant
    at: int = _at()


@dataclass(frozen=True)
class Aggregate:
    """count, sum, avg, min or max over the set of objects that a path reaches or a query gives."""

    function: str
    over: Path | Query
    at: int = _at()


# -- conditions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class And:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    condition: Condition


@dataclass(frozen=True)
class Comparison:
    """`op`: = != < <= > >= like compare values, == compares oids. A path or a query stands for any object it gives."""

    op: str
    left: Path | Literal | Aggregate | Query
    right: Path | Literal | Aggregate | Query
    at: int = _at()


@dataclass(frozen=True)
class Exists:
    """`exists x in domain: condition`; without a condition whether the domain gives anything (also a bare path)."""

    variable: str | None
    domain: Path | Query
    condition: Condition | None = None
    at: int = _at()


@dataclass(frozen=True)
class ForAll:
    variable: str
    domain: Path | Query
    condition: Condition
    at: int = _at()


@dataclass(frozen=True)
class Member:
    """`element in domain`: some object of the domain is the same object, or has an equal value."""

    element: Path | Literal | Aggregate | Query
    domain: Path | Query
    at: int = _at()


Condition = And | Or | Not | Comparison | Exists | ForAll | Member


# -- queries, views, updates -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """An element of select, and the label that `as` gives it."""

    value: Path | Literal | Aggregate | Query
    label: str | None = None
    at: int = _at()


@dataclass(frozen=True)
class Range:
    """`path [variable]` or `variable in path`, in from and in with."""

    path: Path
    variable: str | None = None
    at: int = _at()


@dataclass(frozen=True)
class Query:
    items: tuple[Item, ...]
    ranges: tuple[Range, ...] = ()
    where: Condition | None = None
    distinct: bool = False
    at: int = _at()


@dataclass(frozen=True)
class View:
    """`define view V as N = query with …`; `name` and `title` are None where the text is nothing but the query."""

    query: Query
    with_: tuple[Range, ...] = ()
    name: str | None = None
    title: str | None = None


#: what an update puts in: a query in which a path or an oid alone is also allowed, a constant, or an object written out
Source = Query | Path | Literal | OemTree


@dataclass(frozen=True)
class SetName:
    """`name X := source`."""

    name: str
    source: Source
    at: int = _at()


@dataclass(frozen=True)
class DropName:
    """`drop name X`."""

    name: str
    at: int = _at()


@dataclass(frozen=True)
class Update:
    """`update path op source [from …] [where …]`, op one of :=, +=, -=."""

    path: Path
    op: str
    source: Source
    ranges: tuple[Range, ...] = ()
    where: Condition | None = None
    at: int = _at()


Statement = SetName | DropName | Update
