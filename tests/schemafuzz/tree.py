"""A SchemaSQL view as a tree: what the random kit makes, writes as text, and evaluates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True)
class Const:
    """A name written out."""

    name: str


@dataclass(frozen=True)
class Ref:
    """A name that a variable gives."""

    var: str


Name = Const | Ref


@dataclass(frozen=True)
class Databases:
    """`->`, where databases are in play."""


@dataclass(frozen=True)
class Relations:
    """`db->`, or `->` for the current database (None)."""

    db: Name | None


@dataclass(frozen=True)
class Attributes:
    """`db::rel->`"""

    db: Name | None
    rel: Name


@dataclass(frozen=True)
class Tuples:
    """`db::rel`"""

    db: Name | None
    rel: Name


@dataclass(frozen=True)
class Values:
    """`db::rel.attr`: the distinct values of an attribute."""

    db: Name | None
    rel: Name
    attr: Name


@dataclass(frozen=True)
class Field:
    """`T.attr`: the value in T's tuple."""

    tuple: str
    attr: Name


Range = Databases | Relations | Attributes | Tuples | Values | Field
SCHEMA = (Databases, Relations, Attributes)


@dataclass(frozen=True)
class Item:
    """One variable of FROM and what it ranges over."""

    range: Range
    var: str


@dataclass(frozen=True)
class Lit:
    value: Any


@dataclass(frozen=True)
class Var:
    """A schema variable or a domain variable as a value."""

    name: str


@dataclass(frozen=True)
class Cell:
    """`T.a` or `T.A`"""

    tuple: str
    attr: Name


@dataclass(frozen=True)
class Op:
    """An operator or function of `scalars.OPERATORS`."""

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Agg:
    """count, sum, min, max, avg; `arg` None is count(*)."""

    fn: str
    arg: Expr | None
    distinct: bool = False


Expr = Lit | Var | Cell | Op | Agg


@dataclass(frozen=True)
class Header:
    """`create view db::name(attrs)`"""

    db: str | None
    name: Name
    attrs: tuple[Name, ...]

    @property
    def pivot(self) -> int | None:
        """Which attribute is a variable."""
        return next((n for n, a in enumerate(self.attrs) if isinstance(a, Ref)), None)


@dataclass(frozen=True)
class Query:
    """`where` is a list of conjuncts; `select` pairs an expression with its alias."""

    select: tuple[tuple[Expr, str | None], ...]
    items: tuple[Item, ...]
    where: tuple[Expr, ...] = ()
    group: tuple[Expr, ...] | None = None
    having: Expr | None = None
    distinct: bool = False
    header: Header | None = None

    def item(self, var: str) -> Item:
        return next(i for i in self.items if i.var == var)

    @property
    def schema_vars(self) -> frozenset[str]:
        return frozenset(i.var for i in self.items if isinstance(i.range, SCHEMA))

    @property
    def aggregated(self) -> bool:
        held = any(isinstance(n, Agg) for e, _ in self.select for n in nodes(e))
        return held or self.group is not None or self.having is not None


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything in it."""
    if isinstance(node, tuple):
        for n in node:
            yield from nodes(n)
    elif is_dataclass(node):
        yield node
        for f in fields(node):
            yield from nodes(getattr(node, f.name))


def names_used(node: Any) -> frozenset[str]:
    """The variables in an expression, a range or a name."""
    found = set()
    for n in nodes(node):
        match n:
            case Ref(var=v) | Var(name=v) | Cell(tuple=v) | Field(tuple=v):
                found.add(v)
            case _:
                pass
    return frozenset(found)
