"""Changes of a world: each applies to the reference's tables and to a warehouse's transaction alike.

What a transaction is told is said once, as a method and its arguments: it is done, and it is written into a program that shows a
failure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from tests.schemafuzz.text import literal
from tests.schemafuzz.world import Column, Row, Table, World, quoted


class Unfit(Exception):
    """The change makes no sense in this world (any more)."""


@dataclass(frozen=True)
class _Call:
    """A call of a transaction's method. Its arguments are the fields, unless the change says otherwise."""

    table: str
    method: ClassVar[str]
    kind: ClassVar[str]

    def arguments(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))

    def named(self) -> dict[str, Any]:
        return {}

    def do(self, tx: Any) -> None:
        getattr(tx, self.method)(*self.arguments(), **self.named())

    def call(self) -> str:
        written = [*map(repr, self.arguments()), *(f"{n}={v!r}" for n, v in self.named().items())]
        return f"tx.{self.method}({', '.join(written)})"


@dataclass(frozen=True)
class Insert(_Call):
    rows: tuple[tuple[tuple[str, Any], ...], ...]
    kind, method = "add-tuple", "insert"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        rows = tuple(_row(t, dict(r)) for r in self.rows)
        return world.with_table(_keyed(replace(t, rows=t.rows + rows)))

    def arguments(self) -> tuple[Any, ...]:
        return self.table, [dict(r) for r in self.rows]


@dataclass(frozen=True)
class Delete(_Call):
    """Takes each of the rows once."""

    rows: tuple[tuple[tuple[str, Any], ...], ...]
    kind, method = "delete-tuple", "delete"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        left = Counter(t.rows)
        for r in self.rows:
            row = _row(t, dict(r))
            if not left[row]:
                raise Unfit(f"{self.table} has no {r}")
            left[row] -= 1
        return world.with_table(replace(t, rows=tuple(left.elements())))

    def arguments(self) -> tuple[Any, ...]:
        return (self.table,)

    def named(self) -> dict[str, Any]:
        return {"rows": [dict(r) for r in self.rows]}


@dataclass(frozen=True)
class Update(_Call):
    """Sets columns in all rows where a column has a value (None: is NULL), or in all rows."""

    values: tuple[tuple[str, Any], ...]
    where: tuple[str, Any] | None
    kind, method = "update-tuple", "update"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        sets = {_at(t, n): v for n, v in self.values}
        hit = (lambda row: True) if self.where is None else self._matcher(t, *self.where)
        rows = tuple(tuple(sets.get(n, v) for n, v in enumerate(row)) if hit(row) else row for row in t.rows)
        return world.with_table(_keyed(replace(t, rows=rows)))

    @staticmethod
    def _matcher(t: Table, name: str, wanted: Any) -> Any:
        at = _at(t, name)
        return lambda row: row[at] == wanted

    def condition(self) -> str | None:
        if self.where is None:
            return None
        name, v = self.where
        return f"{quoted(name)} is null" if v is None else f"{quoted(name)} = {literal(v)}"

    def settings(self) -> dict[str, Any]:
        """A string in an update is an expression, so a value that is a string is written as one."""
        return {n: literal(v) if isinstance(v, str) else v for n, v in self.values}

    def arguments(self) -> tuple[Any, ...]:
        return self.table, self.settings()

    def named(self) -> dict[str, Any]:
        return {"where": self.condition()}


@dataclass(frozen=True)
class AddRelation(_Call):
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...] = ()
    kind, method = "add-relation", "add_relation"

    def apply(self, world: World) -> World:
        if any(t.full_name.lower() == self.table.lower() for t in world.tables):
            raise Unfit(f"{self.table} is there")
        return world.added(self.table, self.columns, self.key)

    def ddl(self) -> str:
        return ", ".join(f"{quoted(n)} {t}" for n, t in self.columns)

    def arguments(self) -> tuple[Any, ...]:
        return self.table, self.ddl()

    def named(self) -> dict[str, Any]:
        return {"key": list(self.key) or None}


@dataclass(frozen=True)
class DropRelation(_Call):
    kind, method = "delete-relation", "drop_relation"

    def apply(self, world: World) -> World:
        return world.without(_table(world, self.table))


@dataclass(frozen=True)
class RenameRelation(_Call):
    new: str
    kind, method = "rename-relation", "rename_relation"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        if any(x.full_name.lower() == self.new.lower() for x in world.tables):
            raise Unfit(f"{self.new} is there")
        db, _, name = self.new.rpartition(".")
        return world.with_table(replace(t, db=db, name=name))


@dataclass(frozen=True)
class AddAttribute(_Call):
    name: str
    type: str
    kind, method = "add-attribute", "add_attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        _free(t, self.name)
        wider = replace(t, columns=(*t.columns, Column(world.next, self.name, self.type)), rows=tuple((*r, None) for r in t.rows))
        return replace(world.with_table(wider), next=world.next + 1)


@dataclass(frozen=True)
class DropAttribute(_Call):
    name: str
    kind, method = "delete-attribute", "drop_attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        at = _at(t, self.name)
        if t.columns[at].number in t.key or len(t.columns) == 1:
            raise Unfit(f"{self.name} is part of the key, or all there is")
        rows = tuple(r[:at] + r[at + 1 :] for r in t.rows)
        return world.with_table(replace(t, columns=t.columns[:at] + t.columns[at + 1 :], rows=rows))


@dataclass(frozen=True)
class RenameAttribute(_Call):
    name: str
    new: str
    kind, method = "rename-attribute", "rename_attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        _free(t, self.new)
        at = _at(t, self.name)
        renamed = replace(t.columns[at], name=self.new)
        return world.with_table(replace(t, columns=(*t.columns[:at], renamed, *t.columns[at + 1 :])))


Change = Insert | Delete | Update | AddRelation | DropRelation | RenameRelation | AddAttribute | DropAttribute | RenameAttribute
KINDS = [c.kind for c in Change.__args__]


def _table(world: World, name: str) -> Table:
    found = next((t for t in world.tables if t.full_name == name), None)
    if found is None:
        raise Unfit(f"there is no {name}")
    return found


def _at(t: Table, name: str) -> int:
    if name not in t.names:
        raise Unfit(f"{t.full_name} has no {name}")
    return t.names.index(name)


def _free(t: Table, name: str) -> None:
    if any(n.lower() == name.lower() for n in t.names):
        raise Unfit(f"{t.full_name} has {name}")


def _row(t: Table, given: dict[str, Any]) -> Row:
    if set(given) != set(t.names):
        raise Unfit(f"{t.full_name} has other columns than {given}")
    return tuple(given[n] for n in t.names)


def _keyed(t: Table) -> Table:
    """Keys are kept by the store, and are no matter of views; NULL in them is not tried."""
    keys = [t.key_of(r) for r in t.rows] if t.key else []
    if len(set(keys)) < len(keys) or any(None in k for k in keys):
        raise Unfit(f"the key of {t.full_name}")
    return t
