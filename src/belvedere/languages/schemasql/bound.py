"""What binding a SchemaSQL view gives: its fragments as algebra, and how they are put together on reading.

A **fragment** is what one satisfying binding of the variables gives: the fixed attributes, at most one cell (pivot, data), and
the relation it belongs to. Fragments are ordinary rows, so everything below the header is ordinary algebra.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from belvedere.algebra.node import Node
from belvedere.algebra.types import DataType
from belvedere.languages.sql import Bound


@dataclass(frozen=True)
class Branch:
    """One relation (and, where its columns are folded, one column) that a tuple variable ranges over. Two branches with equal
    keys and equal nodes give equal rows over equal data. `node` yields the source's columns."""

    key: tuple[object, ...]
    node: Node


@dataclass(frozen=True)
class Source:
    """What one variable of the FROM clause ranges over: UNITE and FOLD, written out. An empty range has no branches.
    `distinct`: each row of the union of the branches counts once. `formula` is the source in the paper's notation.
    `encoded`: (a column that holds the id of a name, constant in each branch; the column of the fragments that shows it)."""

    name: str
    columns: tuple[tuple[str, DataType], ...]
    branches: tuple[Branch, ...]
    distinct: bool = False
    formula: str = ""
    encoded: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Layout:
    """How fragments become relations. Names are columns of the fragments, except `relation_name`, a constant.

    relation: the column that names the relation (SPLIT), or None
    fixed: (column of the fragments, attribute of the output), in the header's order
    pivot, data: the columns of UNFOLD, or None; `pivot_at` is where the cells stand among the fixed attributes
    """

    database: str | None
    relation_name: str | None
    relation: str | None
    fixed: tuple[tuple[str, str], ...]
    pivot: str | None = None
    data: str | None = None
    pivot_at: int = 0


@dataclass(frozen=True)
class SchemaBound(Bound):
    """`node` yields the fragments. `dictionaries`: for a column of the fragments that holds permanent ids instead of names, the
    names that the ids have now; an id that is not in it has no name any more, and its fragments do not count."""

    layout: Layout = field(kw_only=True)
    sources: tuple[Source, ...] = field(kw_only=True)
    #: the fragments over other branches of the same sources
    assemble: Callable[[tuple[Source, ...]], Node] = field(kw_only=True, compare=False)
    dictionaries: dict[str, tuple[tuple[int, str], ...]] = field(kw_only=True)
    #: π and σ in words, for `algebra_text`
    projection: tuple[str, ...] = field(kw_only=True, default=())
    selection: str = field(kw_only=True, default="")
