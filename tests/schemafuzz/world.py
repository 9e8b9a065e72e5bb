"""Databases of relations as plain values: what the reference interpreter reads, and what random changes change.

Tables and columns have permanent numbers of their own, because names in a view's text follow renames.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Column:
    number: int
    name: str
    type: str


@dataclass(frozen=True)
class Table:
    """A relation of database `db` ("" is the current one); `key` holds numbers of columns."""

    number: int
    db: str
    name: str
    columns: tuple[Column, ...]
    key: tuple[int, ...] = ()
    rows: tuple[Row, ...] = ()

    @property
    def full_name(self) -> str:
        return f"{self.db}.{self.name}" if self.db else self.name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def at(self, number: int) -> int:
        """Where the column stands in a row."""
        return next(n for n, c in enumerate(self.columns) if c.number == number)

    def column(self, name: str) -> Column | None:
        """A column by name: exactly, then without regard to case."""
        return by_name(self.columns, name)

    def numbered(self, number: int | None) -> Column | None:
        return next((c for c in self.columns if c.number == number), None)

    def ddl(self) -> str:
        return ", ".join(f"{quoted(c.name)} {c.type}" for c in self.columns)

    def as_dict(self, row: Row) -> dict[str, Any]:
        return dict(zip(self.names, row, strict=True))

    def key_of(self, row: Row) -> Row:
        return tuple(row[self.at(k)] for k in self.key)


@dataclass(frozen=True)
class World:
    """All tables, by their permanent numbers. `next` is the next number to give, to a table or a column."""

    tables: tuple[Table, ...] = ()
    next: int = 1

    def databases(self) -> list[str]:
        return sorted({t.db for t in self.tables if t.db})

    def relations(self, db: str) -> list[Table]:
        return sorted((t for t in self.tables if t.db == db), key=lambda t: t.name)

    def table(self, db: str, name: str) -> Table | None:
        """By name: exactly, then without regard to case, in both parts."""
        exact = next((t for t in self.tables if (t.db, t.name) == (db, name)), None)
        lower = (db.lower(), name.lower())
        return exact or next((t for t in self.tables if (t.db.lower(), t.name.lower()) == lower), None)

    def named(self, full_name: str) -> Table:
        return next(t for t in self.tables if t.full_name == full_name)

    def numbered(self, number: int | None) -> Table | None:
        return next((t for t in self.tables if t.number == number), None)

    def with_table(self, table: Table) -> World:
        """The table in place of the one with its number."""
        return replace(self, tables=tuple(table if t.number == table.number else t for t in self.tables))

    def without(self, table: Table) -> World:
        return replace(self, tables=tuple(t for t in self.tables if t.number != table.number))

    def added(self, full_name: str, columns: Iterable[tuple[str, str]], key: Iterable[str] = ()) -> World:
        db, _, name = full_name.rpartition(".")
        made = tuple(Column(self.next + 1 + n, c, t) for n, (c, t) in enumerate(columns))
        keys = tuple(c.number for k in key for c in made if c.name == k)
        return World((*self.tables, Table(self.next, db, name, made, keys)), self.next + 1 + len(made))


def by_name(columns: Iterable[Column], name: str) -> Column | None:
    every = list(columns)
    exact = next((c for c in every if c.name == name), None)
    return exact or next((c for c in every if c.name.lower() == name.lower()), None)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
