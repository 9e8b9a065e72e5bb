"""Block: a SELECT that is still open.

Filters, projections and joins are added to the same SELECT as long as its columns are plain; an operator that needs a
relation closes the block into a common table expression. So text stays short, and reads as a person would write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.types import Schema
from belvedere.engines.sql import build


@dataclass(frozen=True)
class Block:
    """FROM source, joins, WHERE where; the value of each visible column and of the weight in that scope."""

    schema: Schema
    alias: str
    source: exp.Expr
    columns: Mapping[str, exp.Expr]
    #: None stands for 1: every row counts once
    weight: exp.Expr | None
    joins: tuple[exp.Expr, ...] = ()
    laterals: tuple[exp.Expr, ...] = ()
    where: tuple[exp.Expr, ...] = ()
    #: no negative weight
    positive: bool = False
    #: no two equal rows
    distinct: bool = False
    #: columns of the sources in which no two rows agree; none if that is not known
    unique: frozenset[build.Place] = frozenset()

    @property
    def is_unique(self) -> bool:
        """Whether no two rows agree in the visible columns, since a key is among them."""
        return bool(self.unique) and self.unique <= {build.place(self.columns[n]) for n in self.schema.names}

    @property
    def key(self) -> list[str]:
        """The visible columns that are of it."""
        return [n for n, c in self.columns.items() if n in self.schema and build.place(c) in self.unique]

    def is_plain(self, names: Iterable[str] | None = None) -> bool:
        """Whether its columns, or those of them that are named, are bare columns of the source."""
        wanted = set(self.schema.names if names is None else names)
        return all(isinstance(self.columns[n], exp.Column) for n in self.schema.names if n in wanted)

    @property
    def is_single(self) -> bool:
        """One source, nothing joined to it."""
        return not self.joins and not self.laterals

    @property
    def is_bare(self) -> bool:
        return self.is_single and not self.where

    def value(self, name: str) -> exp.Expr:
        return copied(self.columns[name])

    def weight_or_one(self) -> exp.Expr:
        return copied(self.weight) if self.weight is not None else build.number(1)

    def filtered(self, condition: exp.Expr) -> Block:
        return replace(self, where=(*self.where, condition))
