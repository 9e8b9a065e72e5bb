"""What a variable of the calculus is while a plan is built: columns, grouped by meaning.

A struct is kept apart into its fields, an object is its identity, whose class's table is joined when a property is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema
from belvedere.algebra.typing import scalar as typed
from belvedere.objects.types import OType, Ref

if TYPE_CHECKING:
    from belvedere.languages.oql.frame import Frame


@dataclass(frozen=True)
class Value: ...


@dataclass(frozen=True)
class Plain(Value):
    """One scalar."""

    scalar: Scalar
    type: OType


@dataclass(frozen=True)
class Table:
    """The columns of a class's properties, and of the references among them as keys."""

    columns: Mapping[str, str]
    keys: Mapping[str, str]

    def renamed(self, names: Mapping[str, str]) -> Table:
        return Table(*({p: names.get(c, c) for p, c in m.items()} for m in (self.columns, self.keys)))


@dataclass(frozen=True)
class Obj(Value):
    """An object, or nil. `total`: it is there and no nil. `table` holds its properties, where they are joined already; `key` is
    a column that a join can use, which holds NIL for nil."""

    oid: Scalar
    cls: str
    total: bool = False
    table: Table | None = None
    key: str | None = None


@dataclass(frozen=True)
class Row(Value):
    """A struct, by its fields; never NULL as a whole."""

    fields: tuple[tuple[str, Value], ...]

    def field(self, name: str) -> Value:
        return dict(self.fields)[name]


@dataclass(frozen=True)
class Partition(Value):
    """The rows of a grouped plan that belong to a group: those of `frame` whose `keys` are `here`, NULL equal to NULL."""

    frame: Frame
    keys: tuple[str, ...]
    here: tuple[Scalar, ...]
    members: Value


def wrap(scalar: Scalar, t: OType) -> Value:
    if isinstance(t, Ref):
        return Obj(scalar, t.cls)
    return Plain(scalar, t)


def leaves(v: Value) -> tuple[Scalar, ...]:
    match v:
        case Plain(scalar=s) | Obj(oid=s):
            return (s,)
        case Row(fields=fields):
            return tuple(s for _, f in fields for s in leaves(f))
        case Partition(here=here):
            return here
    raise AssertionError(type(v).__name__)


def never_null(v: Value) -> tuple[bool, ...]:
    """For each leaf, whether it is known not to be NULL."""
    match v:
        case Obj(total=total):
            return (total,)
        case Row(fields=fields):
            return tuple(b for _, f in fields for b in never_null(f))
        case Partition(here=here):
            return (False,) * len(here)
        case _:
            return (False,)


def rebuilt(v: Value, scalars: Iterator[Scalar]) -> Value:
    """The same shape over other columns, in which no table is joined yet."""
    match v:
        case Plain():
            return replace(v, scalar=next(scalars))
        case Obj():
            return replace(v, oid=next(scalars), table=None, key=None)
        case Row(fields=fields):
            return Row(tuple((n, rebuilt(f, scalars)) for n, f in fields))
        case Partition(here=here):
            return replace(v, here=tuple(next(scalars) for _ in here))
    raise AssertionError(type(v).__name__)


def renamed_value(v: Value, names: Mapping[str, str]) -> Value:
    """The value over a node whose columns have other names."""
    match v:
        case Plain(scalar=s):
            return replace(v, scalar=s.rename(names))
        case Obj(oid=s, table=table, key=key):
            moved = table.renamed(names) if table is not None else None
            return replace(v, oid=s.rename(names), table=moved, key=names.get(key, key) if key is not None else None)
        case Row(fields=fields):
            return Row(tuple((n, renamed_value(f, names)) for n, f in fields))
        case Partition(here=here):
            return replace(v, here=tuple(s.rename(names) for s in here))
    raise AssertionError(type(v).__name__)


def to_scalar(v: Value) -> Scalar:
    """The value as one scalar."""
    match v:
        case Plain(scalar=s) | Obj(oid=s):
            return s
        case Row(fields=fields):
            return struct_of([(n, to_scalar(f)) for n, f in fields])
    raise AssertionError(f"{type(v).__name__} is no value")


def struct_of(fields: list[tuple[str, Scalar]]) -> Scalar:
    from belvedere.algebra.types import Struct

    items = [exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=s.expr.copy()) for n, s in fields]
    for item, (_, s) in zip(items, fields, strict=True):
        item.meta["t"] = s.type
    node = exp.Struct(expressions=items)
    t = Struct(tuple((n, s.type) for n, s in fields))
    node.meta["t"] = t
    return Scalar(node, t)


def as_boolean(value: bool) -> Scalar:
    return typed("true" if value else "false", Schema(()))

