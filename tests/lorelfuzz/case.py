"""One seed's worth: a graph, Lorel views over it, and transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.lorel.oracle.graph import Graph
from tests.lorelfuzz import text
from tests.lorelfuzz.changes import AddEdge, AddObject, Change, SetName
from tests.lorelfuzz.features import features

from belvedere.languages.lorel.syntax import View


@dataclass(frozen=True)
class ViewSpec:
    """A view. `reader`: whether a SQL view reads its edges. `asked`: whether its query is also asked by itself."""

    name: str
    view: View
    mode: str = "deferred"
    reader: bool = False
    asked: bool = False
    verify: bool = False

    @property
    def text(self) -> str:
        return text.view(self.view)

    @property
    def features(self) -> frozenset[str]:
        return frozenset(features(self.view))


@dataclass(frozen=True)
class Transaction:
    """`refresh`: the views follow after it, and are compared."""

    changes: tuple[Change, ...]
    refresh: bool = True


@dataclass(frozen=True)
class Case:
    """`load`: how the graph gets in, as OEM "text", or by the "calls" of a transaction, when every oid is the warehouse's."""

    seed: str
    graph: Graph = field(hash=False)
    views: tuple[ViewSpec, ...]
    transactions: tuple[Transaction, ...]
    load: str = "text"

    @property
    def count(self) -> int:
        """How many cases it holds: one view × one comparison is one."""
        return len(self.views) * sum(t.refresh for t in self.transactions)

    def keep(self, wanted: Callable[[ViewSpec], bool]) -> Case:
        return replace(self, views=tuple(v for v in self.views if wanted(v)))


def setup(case: Case) -> tuple[tuple[str, str] | None, tuple[Change, ...]]:
    """What makes the graph out of nothing: a name with OEM text, if that is how it is loaded, and the changes after it."""
    graph = case.graph
    if case.load == "text":
        (first, root), *others = graph.names.items()
        return (first, text.oem(graph, root)), tuple(SetName(n, o) for n, o in others)
    objects: list[Change] = [AddObject(o, graph.values.get(o)) for o in sorted(graph.objects)]
    return None, (*objects, *(AddEdge(*e) for e in sorted(graph.edges)), *(SetName(n, o) for n, o in graph.names.items()))
