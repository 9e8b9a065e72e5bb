"""One seed's worth: databases, SchemaSQL views over them, and transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.schemafuzz import text
from tests.schemafuzz.changes import Change
from tests.schemafuzz.tree import Const, Query
from tests.schemafuzz.world import World


@dataclass(frozen=True)
class Above:
    """A view over a view: "rows", "names" or "cells" of all its relations, in SchemaSQL, or one "relation" of it, in SQL."""

    kind: str
    relation: str = ""


@dataclass(frozen=True)
class ViewSpec:
    """A SchemaSQL view. `reader`: whether a SQL view reads the fixed attributes of its one relation."""

    name: str
    query: Query
    operators: frozenset[str] = frozenset()
    mode: str = "deferred"
    reader: bool = False
    verify: bool = False
    above: Above | None = None

    @property
    def text(self) -> str:
        return text.query(self.query)

    @property
    def fixed(self) -> tuple[str, ...]:
        """The attributes of its header that are no variables."""
        h = self.query.header
        return () if h is None else tuple(a.name for a in h.attrs if isinstance(a, Const))

    @property
    def database(self) -> str:
        """Where its relations live."""
        h = self.query.header
        return (h.db if h else None) or self.name


@dataclass(frozen=True)
class Transaction:
    """`refresh`: the views follow after it, and are compared."""

    changes: tuple[Change, ...]
    refresh: bool = True


@dataclass(frozen=True)
class Case:
    seed: str
    world: World
    views: tuple[ViewSpec, ...]
    transactions: tuple[Transaction, ...]

    @property
    def count(self) -> int:
        """How many cases it holds: one view × one comparison is one."""
        return len(self.views) * sum(t.refresh for t in self.transactions)

    def keep(self, wanted: Callable[[ViewSpec], bool]) -> Case:
        return replace(self, views=tuple(v for v in self.views if wanted(v)))
