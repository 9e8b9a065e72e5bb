"""One seed's worth: a schema, objects, OQL views (some over others), and transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.oqlfuzz.coding_atoms import PARAMETERS
from tests.oqlfuzz.estimate import children
from tests.oqlfuzz.schema import Schema
from tests.oqlfuzz.updates import Transaction

from belvedere.languages.oql import ast


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

    @property
    def parameters(self) -> dict[str, Any] | None:
        """The values of $1, $2, … that the text has."""
        used = numbers_in(self.program)
        return {str(n): PARAMETERS[n][1] for n in sorted(used)} or None


def numbers_in(node: Any) -> set[int]:
    own = {node.number} if isinstance(node, ast.Parameter) else set()
    return own.union(*(numbers_in(c) for c in children(node)))


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
