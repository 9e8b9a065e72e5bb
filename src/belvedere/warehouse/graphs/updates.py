"""The part of a transaction that changes the graph."""

from __future__ import annotations

from typing import Any

from belvedere.errors import BelvedereError
from belvedere.warehouse.graphs.oids import checked
from belvedere.warehouse.graphs.session import GraphSession
from belvedere.warehouse.graphs.tables import NAMES, exist
from belvedere.warehouse.graphs.values import row_of, writable
from belvedere.warehouse.objects.reading import whole


class GraphChanges:
    """Objects, edges, atomic values and names. What no name reaches at the end of the transaction is garbage and goes with it."""

    _graph: GraphSession | None = None

    def _open(self) -> None:
        raise AssertionError("the transaction says")

    def graph_session(self: Any) -> GraphSession:
        self._open()
        if self._graph is None:
            self._graph = GraphSession(self)
        found: GraphSession = self._graph
        return found

    def flush_graph(self) -> None:
        """Let what reads the transaction's tables see the graph as it is now; who lives is decided at the end."""
        if self._graph is not None:
            self._graph.flush()

    def settle_graph(self) -> None:
        """The end of the transaction, for the graph."""
        if self._graph is not None:
            self._graph.settle()

    def graph_names(self: Any) -> list[str]:
        """The names that there are."""
        if not exist(self):
            return []
        return sorted(str(n) for n in whole(self, self.registry.collection(NAMES), ["name"])["name"].to_pylist())

    def restart_graph(self) -> None:
        """Settle who lives now, before the end: only for a transaction in which nothing waits to be linked."""
        self.settle_graph()
        self._graph = None

    def add_object(self, value: Any = None) -> str:
        """Make an atomic object, or a complex one if no value is given; returns its oid. It is kept if, at the end of the
        transaction, an edge or a name leads to it."""
        session = self.graph_session()
        return session.make(None if value is None else row_of(value))

    def add_edge(self, source: str, label: str, target: str) -> None:
        """Lead from a complex object to another object. An edge that is there already stays one edge."""
        session = self.graph_session()
        session.ask("add_edge", *_edge("add_edge", source, label, target))

    def remove_edge(self, source: str, label: str, target: str) -> None:
        """Take an edge away; what no name reaches without it goes too."""
        session = self.graph_session()
        session.ask("remove_edge", *_edge("remove_edge", source, label, target))

    def set_value(self, oid: str, value: Any) -> None:
        """Give an atomic object another value, of any atomic type."""
        session = self.graph_session()
        session.ask("set_value", checked(oid, "set_value"), atom=row_of(value))

    def set_name(self, name: str, oid: str) -> None:
        """Let a name denote an object, from now on instead of what it denoted before."""
        session = self.graph_session()
        session.ask("set_name", checked_name(name), checked(oid, "set_name"))

    def remove_name(self, name: str) -> None:
        """Take a name away; what no other name reaches goes too."""
        session = self.graph_session()
        session.ask("remove_name", checked_name(name))


def checked_name(name: Any) -> str:
    """A name that an entry point can have."""
    if not isinstance(name, str) or not name.strip():
        raise BelvedereError("an entry point of a graph needs a name")
    if name.startswith("&"):
        raise BelvedereError(f"{name!r} cannot be a name: what begins with & is an oid")
    return writable(name)


def _edge(what: str, source: Any, label: Any, target: Any) -> tuple[str, str, str]:
    if not isinstance(label, str):
        raise BelvedereError(f"{what}: the label of an edge is text, and {label!r:.60} is not")
    return checked(source, what), writable(label), checked(target, what)
