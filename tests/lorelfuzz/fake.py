"""A warehouse that answers from the reference itself, and can be told to make a certain mistake: does the kit notice?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from tests.lorel.oracle.coercion import text as text_of
from tests.lorel.oracle.evaluate import Meaning, Scope
from tests.lorel.oracle.graph import Graph
from tests.lorel.oracle.view import Found, view_of
from tests.lorelfuzz import text
from tests.lorelfuzz.case import Case

from belvedere.languages.lorel.syntax import View

MISTAKES = ("lost object", "lost edge", "lost value", "typeless", "stale", "no garbage collected", "changes")


class FakeTransaction:
    """The calls of a transaction on the Python graph, with oids of its own."""

    def __init__(self, warehouse: FakeWarehouse) -> None:
        self.wh = warehouse
        self.graph = warehouse.graph.copy()

    def add_object(self, value: Any = None) -> str:
        self.wh.made += 1
        self.graph.add_object(f"&_{self.wh.made}", value)
        return f"&_{self.wh.made}"

    def add_edge(self, source: str, label: str, target: str) -> None:
        self.graph.add_edge(source, label, target)

    def remove_edge(self, source: str, label: str, target: str) -> None:
        self.graph.remove_edge(source, label, target)

    def set_value(self, oid: str, value: Any) -> None:
        self.graph.set_value(oid, value)

    def set_name(self, name: str, oid: str) -> None:
        self.graph.set_name(name, oid)

    def remove_name(self, name: str) -> None:
        self.graph.remove_name(name)


class FakeView:
    def __init__(self, warehouse: FakeWarehouse, view: View) -> None:
        self.wh = warehouse
        self.view = view
        self.status, self.reason = "fresh", ""
        self.found = Found()
        self.history: dict[int, Counter[Any]] = {}
        self.follow()

    def follow(self) -> None:
        found = view_of(self.wh.graph, self.view)
        match self.wh.mistake:
            case "lost object" if len(found.primary) > 1:
                found.primary.remove(max(found.primary))
            case "lost edge" if len(found.edges) > 1:
                found.edges.remove(max(found.edges))
            case "lost value" if len(found.values) > 1:
                del found.values[max(found.values)]
            case "typeless":
                found.values = {o: text_of(v) for o, v in found.values.items()}
        self.found = found
        self.history[self.wh.epoch] = Counter(tuple(r.values()) for r in self.rows())

    def graph(self) -> Found:
        return self.found

    def rows(self) -> list[dict[str, Any]]:
        f = self.found
        rows = [("primary", o, None, None, None) for o in f.primary] + [("edge", *e, None) for e in f.edges]
        rows += [("value", o, None, None, text_of(v)) for o, v in f.values.items()]
        return [dict(zip(("kind", "oid", "label", "target", "text"), r, strict=True)) for r in rows]

    def changes(self, since: int) -> list[dict[str, Any]]:
        delta = Counter(self.history[max(self.history)])
        if self.wh.mistake != "changes":
            delta.subtract(self.history[max(e for e in self.history if e <= since)])
        return [{**dict(enumerate(row)), "_w": n} for row, n in delta.items() if n]

    def verify(self) -> Any:
        return SimpleNamespace(ok=True)


class FakeWarehouse:
    """`case` gives the meaning of the texts it will be handed. SQL over views it does not have."""

    def __init__(self, case: Case, mistake: str = "") -> None:
        self.case = case
        self.mistake = mistake
        self.graph = Graph()
        self.epoch = 0
        self.made = 0
        self.meant = {v.text: v.view for v in case.views}
        self.queries = {text.query(v.view.query): v.view.query for v in case.views}
        self.views: dict[str, tuple[str, FakeView]] = {}

    def load_oem(self, name: str, data: str) -> None:
        self.graph = self.case.graph.copy()
        self.graph.names = {name: self.graph.names[name]}

    @contextmanager
    def transaction(self) -> Iterator[FakeTransaction]:
        tx = FakeTransaction(self)
        yield tx
        if self.mistake != "no garbage collected":
            tx.graph.collect()
        self.graph = tx.graph
        self.epoch += 1
        self._follow("immediate", "lazy")

    def create_view(self, name: str, query: str, language: str, mode: str) -> None:
        self.views[name] = mode, FakeView(self, self.meant[query])

    def view(self, name: str) -> FakeView:
        return self.views[name][1]

    def query(self, query: str, language: str = "sql") -> Any:
        if language == "sql":  # the graph itself
            rows = [dict(zip(("source", "label", "target"), e, strict=True)) for e in self.graph.edges]
            objects = [{"oid": o} for o in self.graph.objects]
            return SimpleNamespace(rows=lambda: rows if "oem.edges" in query else objects)
        found = {t.oid for _, t in Meaning(self.graph).rows(self.queries[query], Scope())}
        return SimpleNamespace(rows=lambda: [{"oid": o} for o in found])

    def refresh(self) -> list[Any]:
        self.epoch += 1
        if self.mistake != "stale":
            self._follow("deferred")
        return []

    def refresh_views(self, names: None, strategy: str, through: None) -> list[Any]:
        return self.refresh()

    def _follow(self, *modes: str) -> None:
        for mode, view in self.views.values():
            if mode in modes:
                view.follow()
