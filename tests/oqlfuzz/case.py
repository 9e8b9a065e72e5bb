"""One seed's worth: a schema, objects, OQL views (some over others), and transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.oqlfuzz.schema import Schema
from tests.oqlfuzz.updates import Transaction


@dataclass(frozen=True)
class ViewSpec:
    """A view: its program (define … ; query) as a tree, what it reads, which constructs it holds."""

    name: str
    program: Any
    text: str
    reads: tuple[str, ...] = ()
    mode: str = "deferred"
    constructs: tuple[str, ...] = ()
    verify: bool = True


@dataclass(frozen=True)
class Case:
    """`together`: all views are refreshed in one commit, instead of one by one."""

    seed: str
    schema: Schema
    population: Transaction
    views: tuple[ViewSpec, ...]
    transactions: tuple[Transaction, ...]
    together: bool = False

    @property
    def sequences(self) -> int:
        return sum(t.ends for t in self.transactions)

    @property
    def count(self) -> int:
        """How many cases it holds: one view × one sequence is one."""
        return len(self.views) * self.sequences

    def keep(self, wanted: Callable[[ViewSpec], bool]) -> Case:
        """The case with only some views, and those they read."""
        names: set[str] = set()
        for v in reversed(self.views):
            if wanted(v) or v.name in names:
                names |= {v.name, *v.reads}
        return replace(self, views=tuple(v for v in self.views if v.name in names))
