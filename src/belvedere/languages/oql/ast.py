"""The syntax of OQL: what a text says, before any name has a meaning. Positions do not count when trees are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choice


@dataclass(frozen=True)
class Position:
    """Line and column, from 1; 0 for what no text says."""

    line: int = 0
    column: int = 0


NOWHERE = Position()

LiteralKind = Choice["nil", "undefined", "boolean", "integer", "float", "string", "char", "date", "time", "timestamp"]
CollectionWord = Choice["set", "bag", "list", "array"]

#: tightest last; what binds how is told by text.py
BINARY = (
    "or", "and", "=", "!=", "like", "<", "<=", ">", ">=", "+", "-", "||", "union", "except", "*", "/", "mod", "intersect", "in",
)  # fmt: skip
UNARY = ("+", "-", "abs", "not")
#: functions of one query, by name
FUNCTIONS = (
    "listtoset", "element", "distinct", "flatten", "first", "last", "unique", "exists", "sum", "min", "max", "avg", "count",
    "is_defined", "is_undefined",
)  # fmt: skip


@dataclass(frozen=True)
class Node:
    pos: Position = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Expr(Node):
    """Anything that has a value; a query is an expression."""


@dataclass(frozen=True)
class TypeName(Node):
    """A type as written: `unsigned long`, `employee`, `set<string>` (arguments in `args`)."""

    name: str
    args: tuple[TypeName, ...] = ()


@dataclass(frozen=True)
class Literal(Expr):
    """`value` is a bool, int, float, str (also for char, date, time and timestamp) or None. Numbers are never negative: a minus
    is a Unary."""

    kind: LiteralKind
    value: bool | int | float | str | None = None


@dataclass(frozen=True)
class Parameter(Expr):
    """$n."""

    number: int


@dataclass(frozen=True)
class Name(Expr):
    """A variable, attribute, extent, defined query, table or view; with `args`, even none, a call."""

    name: str
    args: tuple[Expr, ...] | None = None


@dataclass(frozen=True)
class Path(Expr):
    """base.name or base->name, which mean the same; with `args`, even none, an operation."""

    base: Expr
    name: str
    args: tuple[Expr, ...] | None = None


@dataclass(frozen=True)
class Index(Expr):
    base: Expr
    index: Expr


@dataclass(frozen=True)
class Slice(Expr):
    """base[low:high], both ends included, from 0."""

    base: Expr
    low: Expr
    high: Expr


@dataclass(frozen=True)
class Unary(Expr):
    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Expr):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compared(Expr):
    """left op any right, left op all right: a comparison with the members of a collection. `some` is `any`."""

    op: str
    quantifier: Choice["any", "all"]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Quantified(Expr):
    """for all x in domain: body; exists x in domain: body."""

    quantifier: Choice["all", "exists"]
    variable: str
    domain: Expr
    body: Expr


@dataclass(frozen=True)
class Cast(Expr):
    type: TypeName
    operand: Expr


@dataclass(frozen=True)
class Function(Expr):
    """One of FUNCTIONS over a query."""

    name: str
    operand: Expr


@dataclass(frozen=True)
class CountAll(Expr):
    """count(*)."""


@dataclass(frozen=True)
class Struct(Expr):
    fields: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class New(Expr):
    """Class(property: value, …)."""

    cls: str
    fields: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Collection(Expr):
    kind: CollectionWord
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Item(Node):
    """One projection of a select; the label may be missing."""

    expr: Expr
    label: str | None = None


@dataclass(frozen=True)
class Iterator(Node):
    """A variable over a collection, of the from clause; the variable may be missing."""

    domain: Expr
    variable: str | None = None


@dataclass(frozen=True)
class Order(Node):
    expr: Expr
    descending: bool = False


@dataclass(frozen=True)
class Select(Expr):
    """`items` is None for `*`."""

    items: tuple[Item, ...] | None
    iterators: tuple[Iterator, ...]
    where: Expr | None = None
    group: tuple[tuple[str, Expr], ...] = ()
    having: Expr | None = None
    order: tuple[Order, ...] = ()
    distinct: bool = False


@dataclass(frozen=True)
class Define(Node):
    name: str
    parameters: tuple[tuple[TypeName, str], ...]
    body: Expr


@dataclass(frozen=True)
class Undefine(Node):
    name: str


@dataclass(frozen=True)
class Program(Node):
    """Definitions, and the query that they are for; without one, the last definition is the query."""

    definitions: tuple[Define | Undefine, ...]
    query: Expr | None
