"""Changes of a world: each applies to the reference's tables and to a warehouse's transaction alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from tests.schemafuzz.text import literal
from tests.schemafuzz.world import Column, Row, Table, World, quoted


class Unfit(Exception):
    """The change makes no sense in this world (any more)."""


@dataclass(frozen=True)
class Insert:
    table: str
    rows: tuple[tuple[tuple[str, Any], ...], ...]
    kind = "add-tuple"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        rows = tuple(_row(t, dict(r)) for r in self.rows)
        return world.with_table(_keyed(replace(t, rows=t.rows + rows)))

    def do(self, tx: Any) -> None:
        tx.insert(self.table, [dict(r) for r in self.rows])

    def call(self) -> str:
        return f"tx.insert({self.table!r}, {[dict(r) for r in self.rows]!r})"


@dataclass(frozen=True)
class Delete:
    """Takes each of the rows once."""

    table: str
    rows: tuple[tuple[tuple[str, Any], ...], ...]
    kind = "delete-tuple"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        left = Counter(t.rows)
        for r in self.rows:
            row = _row(t, dict(r))
            if not left[row]:
                raise Unfit(f"{self.table} has no {r}")
            left[row] -= 1
        return world.with_table(replace(t, rows=tuple(left.elements())))

    def do(self, tx: Any) -> None:
        tx.delete(self.table, rows=[dict(r) for r in self.rows])

    def call(self) -> str:
        return f"tx.delete({self.table!r}, rows={[dict(r) for r in self.rows]!r})"


@dataclass(frozen=True)
class Update:
    """Sets columns in all rows where a column has a value (None: is NULL), or in all rows."""

    table: str
    values: tuple[tuple[str, Any], ...]
    where: tuple[str, Any] | None
    kind = "update-tuple"

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

    def do(self, tx: Any) -> None:
        tx.update(self.table, self.settings(), where=self.condition())

    def call(self) -> str:
        return f"tx.update({self.table!r}, {self.settings()!r}, where={self.condition()!r})"


@dataclass(frozen=True)
class AddRelation:
    table: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...] = ()
    kind = "add-relation"

    def apply(self, world: World) -> World:
        if any(t.full_name.lower() == self.table.lower() for t in world.tables):
            raise Unfit(f"{self.table} is there")
        return world.added(self.table, self.columns, self.key)

    def ddl(self) -> str:
        return ", ".join(f"{quoted(n)} {t}" for n, t in self.columns)

    def do(self, tx: Any) -> None:
        tx.add_relation(self.table, self.ddl(), key=list(self.key) or None)

    def call(self) -> str:
        return f"tx.add_relation({self.table!r}, {self.ddl()!r}, key={list(self.key) or None!r})"


@dataclass(frozen=True)
class DropRelation:
    table: str
    kind = "delete-relation"

    def apply(self, world: World) -> World:
        return world.without(_table(world, self.table))

    def do(self, tx: Any) -> None:
        tx.drop_relation(self.table)

    def call(self) -> str:
        return f"tx.drop_relation({self.table!r})"


@dataclass(frozen=True)
class RenameRelation:
    table: str
    new: str
    kind = "rename-relation"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        if any(x.full_name.lower() == self.new.lower() for x in world.tables):
            raise Unfit(f"{self.new} is there")
        db, _, name = self.new.rpartition(".")
        return world.with_table(replace(t, db=db, name=name))

    def do(self, tx: Any) -> None:
        tx.rename_relation(self.table, self.new)

    def call(self) -> str:
        return f"tx.rename_relation({self.table!r}, {self.new!r})"


@dataclass(frozen=True)
class AddAttribute:
    table: str
    name: str
    type: str
    kind = "add-attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        _free(t, self.name)
        wider = replace(t, columns=(*t.columns, Column(world.next, self.name, self.type)), rows=tuple((*r, None) for r in t.rows))
        return replace(world.with_table(wider), next=world.next + 1)

    def do(self, tx: Any) -> None:
        tx.add_attribute(self.table, self.name, self.type)

    def call(self) -> str:
        return f"tx.add_attribute({self.table!r}, {self.name!r}, {self.type!r})"


@dataclass(frozen=True)
class DropAttribute:
    table: str
    name: str
    kind = "delete-attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        at = _at(t, self.name)
        if t.columns[at].number in t.key or len(t.columns) == 1:
            raise Unfit(f"{self.name} is part of the key, or all there is")
        rows = tuple(r[:at] + r[at + 1 :] for r in t.rows)
        return world.with_table(replace(t, columns=t.columns[:at] + t.columns[at + 1 :], rows=rows))

    def do(self, tx: Any) -> None:
        tx.drop_attribute(self.table, self.name)

    def call(self) -> str:
        return f"tx.drop_attribute({self.table!r}, {self.name!r})"


@dataclass(frozen=True)
class RenameAttribute:
    table: str
    name: str
    new: str
    kind = "rename-attribute"

    def apply(self, world: World) -> World:
        t = _table(world, self.table)
        _free(t, self.new)
        at = _at(t, self.name)
        renamed = replace(t.columns[at], name=self.new)
        return world.with_table(replace(t, columns=(*t.columns[:at], renamed, *t.columns[at + 1 :])))

    def do(self, tx: Any) -> None:
        tx.rename_attribute(self.table, self.name, self.new)

    def call(self) -> str:
        return f"tx.rename_attribute({self.table!r}, {self.name!r}, {self.new!r})"


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
