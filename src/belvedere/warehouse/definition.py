"""A view's definition: its text, bound and compiled."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, keep
from belvedere.languages import Parameter
from belvedere.maintenance.relevance import Interest
from belvedere.maintenance.remote import RemoteJoin
from belvedere.maintenance.stages import ViewPlan
from belvedere.objects.result import ResultType
from belvedere.warehouse.graph_views.graphic import Graphic
from belvedere.warehouse.schemas.fragments import Schematic


@dataclass(frozen=True)
class Definition:
    """A view, ready to be maintained. `node` is the definition as bound; `plan` is how it is kept."""

    name: str
    text: str
    language: str
    mode: str
    node: Node
    columns: tuple[str, ...]
    order: tuple[Any, ...]
    plan: ViewPlan
    interests: dict[str, tuple[Interest, ...]]
    uses: dict[str, dict[str, Any]]
    views: frozenset[str]
    #: users' functions that the text calls, with the fingerprints of their code
    functions: dict[str, str]
    parameters: dict[str, Parameter]
    #: what its rows are, for a view in OQL
    result: ResultType | None
    #: what a view in SchemaSQL ranges over, and how its fragments are read
    schema: Schematic | None = None
    #: what a view in Lorel knows of the graph
    graph: Graphic | None = None
    #: the names that it ranges over
    ranges: dict[str, list[str | None]] = field(default_factory=dict)
    #: names in its text that are like a variable's but for their case, and are none
    exact: frozenset[str] = frozenset()
    #: the parts of it that are kept by asking other databases
    remotes: tuple[RemoteJoin, ...] = ()

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.plan.stages)

    @property
    def visible(self) -> Node:
        """The view over its stages, without columns at the end that only its order needs."""
        return keep(self.plan.tail, self.plan.tail.schema.names[: len(self.columns)])

    def document(self) -> dict[str, Any]:
        return {
            "text": self.text, "language": self.language, "mode": self.mode, "uses": self.uses,
            "columns": list(self.columns), "stages": list(self.stage_names), "reads": self.columns_read(),
            "functions": self.functions, "parameters": {n: p.document() for n, p in sorted(self.parameters.items())},
            **({"ranges": self.ranges} if self.ranges else {}), **({"exact": sorted(self.exact)} if self.exact else {}),
            **({"remotes": [r.name for r in self.remotes]} if self.remotes else {}),
        }  # fmt: skip

    def columns_read(self) -> dict[str, list[str]]:
        """Collection → columns that the plan reads."""
        found: dict[str, set[str]] = {}
        for stage in self.plan.stages:
            for n in stage.definition.walk():
                if isinstance(n, Get):
                    found.setdefault(n.name, set()).update(n.columns)
        return {n: sorted(c) for n, c in sorted(found.items())}


@dataclass
class Settled:
    """What was found out while the catalog described the same collections and views, and there were the same functions."""

    collections: Mapping[str, object]
    docs: Mapping[str, object]
    functions: tuple[object, ...]
    #: definitions of views that depend on nothing else
    definitions: dict[str, Definition] = field(default_factory=dict)
    #: those of them that what is stored fits
    fitting: set[str] = field(default_factory=set)

    def holds(self, collections: Mapping[str, object], docs: Mapping[str, object], functions: tuple[object, ...]) -> bool:
        """Whether these are the very same; what is read from the catalog again, and is as it was, is the same value."""
        alike = _same(self.collections, collections) and _same(self.docs, docs)
        return alike and len(functions) == len(self.functions) and all(map(operator.is_, functions, self.functions))


def _same(before: Mapping[str, object], now: Mapping[str, object]) -> bool:
    return before is now or (len(before) == len(now) and all(before.get(n) is v for n, v in now.items()))


class DefinitionCache:
    """Compiled definitions, the latest few of each view: when the catalog changes, the one before is needed once more."""

    KEPT = 3

    def __init__(self) -> None:
        self._known: dict[str, dict[Any, Definition]] = {}
        self._settled = Settled({}, {}, ())

    def settled(
        self, collections: Mapping[str, object], docs: Mapping[str, object], functions: tuple[object, ...]
    ) -> Settled:
        """What is known while all of this is as it is."""
        known = self._settled
        if known.holds(collections, docs, functions):
            known.collections, known.docs = collections, docs  # the next question is about these
        else:
            known = self._settled = Settled(collections, docs, functions)
        return known

    def find(self, name: str, signature: Any) -> Definition | None:
        return self._known.get(name, {}).get(signature)

    def keep(self, name: str, signature: Any, d: Definition) -> None:
        mine = self._known.setdefault(name, {})
        mine.pop(signature, None)
        mine[signature] = d
        while len(mine) > self.KEPT:
            mine.pop(next(iter(mine)))
