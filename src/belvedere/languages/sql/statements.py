"""Statements of `execute`, as data: names, and slices of the text that are bound when the statement runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from belvedere.algebra.types import Schema


@dataclass(frozen=True)
class Select:
    """A query."""

    query: str


@dataclass(frozen=True)
class CreateTable:
    """create table name (column type, …, primary key (…)), or … as query."""

    name: str
    schema: Schema | None
    key: tuple[str, ...] = ()
    query: str | None = None
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True)
class Insert:
    """insert into table [(columns)] query; `values (…)` is a query too."""

    table: str
    columns: tuple[str, ...]
    query: str
    overwrite: bool = False


@dataclass(frozen=True)
class Update:
    """update table set column = expression, … [where condition]"""

    table: str
    assignments: tuple[tuple[str, str], ...]
    where: str | None = None


@dataclass(frozen=True)
class Delete:
    table: str
    where: str | None = None


@dataclass(frozen=True)
class MergeClause:
    """when [not] matched [by source] [and condition] then action. `assignments` are columns and expressions; `star` stands
    for all columns of the source, by name."""

    when: Literal["matched", "not matched", "not matched by source"]
    action: Literal["update", "delete", "insert"]
    condition: str | None = None
    assignments: tuple[tuple[str, str], ...] = ()
    star: bool = False


@dataclass(frozen=True)
class Merge:
    """merge into table [as alias] using source as source_alias on condition …; `source` is a query."""

    table: str
    alias: str
    source: str
    source_alias: str
    on: str
    clauses: tuple[MergeClause, ...]


@dataclass(frozen=True)
class Truncate:
    table: str


@dataclass(frozen=True)
class AddColumns:
    columns: Schema


@dataclass(frozen=True)
class DropColumns:
    columns: tuple[str, ...]


@dataclass(frozen=True)
class RenameColumn:
    column: str
    to: str


@dataclass(frozen=True)
class RenameTable:
    to: str


@dataclass(frozen=True)
class AlterTable:
    table: str
    action: AddColumns | DropColumns | RenameColumn | RenameTable


@dataclass(frozen=True)
class DropTable:
    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class CreateView:
    """create materialized view name [(columns)] [tblproperties ('mode' = '…')] as query."""

    name: str
    query: str
    columns: tuple[str, ...] = ()
    mode: str | None = None
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True)
class DropView:
    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class Refresh:
    """refresh [materialized view] name; without a name, everything that is stale."""

    name: str | None


@dataclass(frozen=True)
class Explain:
    """explain view, or explain query."""

    view: str | None = None
    query: str | None = None


Statement: TypeAlias = (
    Select
    | CreateTable
    | Insert
    | Update
    | Delete
    | Merge
    | Truncate
    | AlterTable
    | DropTable
    | CreateView
    | DropView
    | Refresh
    | Explain
)
