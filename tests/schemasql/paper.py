"""Parts of the rows of the paper's tables: the name of the row, its changes, and what it does to the view's schema."""

from __future__ import annotations

from typing import Any

from tests.schemafuzz.changes import Change, Insert
from tests.schemafuzz.tree import Cell, Const, Expr, Header, Item, Query, Tuples

Row = tuple[str, tuple[Change, ...], Any]
DB, R = Const("r"), Const("R")
T = Item(Tuples(DB, R), "T")


def add(table: str, **values: Any) -> Insert:
    return Insert(table, (tuple(values.items()),))


def cell(attr: str) -> Cell:
    return Cell("T", Const(attr))


def consts(*names: str) -> tuple[Const, ...]:
    return tuple(Const(n) for n in names)


def view(header: Header, select: list[Expr], items: list[Item], *where: Expr) -> Query:
    return Query(tuple((e, None) for e in select), tuple(items), where, header=header)
