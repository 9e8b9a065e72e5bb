"""The changes of a graph: of the Python graph, of a transaction, and as a line of a program.

A new object has a made-up oid here; the warehouse gives it one of its own, and `oids` remembers which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tests.lorel.oracle.graph import Graph, Value

Oids = dict[str, str]


@dataclass(frozen=True)
class AddObject:
    kind: ClassVar[str] = "new object"
    oid: str
    value: Value | None = None

    def apply(self, graph: Graph) -> None:
        graph.add_object(self.oid, self.value)

    def do(self, tx: Any, oids: Oids) -> None:
        oids[self.oid] = tx.add_object() if self.value is None else tx.add_object(value=self.value)

    def call(self) -> str:
        return f"{self.oid[1:]} = tx.add_object({'' if self.value is None else f'value={self.value!r}'})"


@dataclass(frozen=True)
class AddEdge:
    kind: ClassVar[str] = "Ins"
    source: str
    label: str
    target: str

    def apply(self, graph: Graph) -> None:
        graph.add_edge(self.source, self.label, self.target)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.add_edge(real(self.source, oids), self.label, real(self.target, oids))

    def call(self) -> str:
        return f"tx.add_edge({variable(self.source)}, {self.label!r}, {variable(self.target)})"


@dataclass(frozen=True)
class RemoveEdge:
    kind: ClassVar[str] = "Del"
    source: str
    label: str
    target: str

    def apply(self, graph: Graph) -> None:
        graph.remove_edge(self.source, self.label, self.target)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.remove_edge(real(self.source, oids), self.label, real(self.target, oids))

    def call(self) -> str:
        return f"tx.remove_edge({variable(self.source)}, {self.label!r}, {variable(self.target)})"


@dataclass(frozen=True)
class SetValue:
    kind: ClassVar[str] = "Chg"
    oid: str
    value: Value

    def apply(self, graph: Graph) -> None:
        graph.set_value(self.oid, self.value)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.set_value(real(self.oid, oids), self.value)

    def call(self) -> str:
        return f"tx.set_value({variable(self.oid)}, {self.value!r})"


@dataclass(frozen=True)
class SetName:
    kind: ClassVar[str] = "name"
    name: str
    oid: str

    def apply(self, graph: Graph) -> None:
        graph.set_name(self.name, self.oid)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.set_name(self.name, real(self.oid, oids))

    def call(self) -> str:
        return f"tx.set_name({self.name!r}, {variable(self.oid)})"


@dataclass(frozen=True)
class RemoveName:
    kind: ClassVar[str] = "no name"
    name: str

    def apply(self, graph: Graph) -> None:
        graph.remove_name(self.name)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.remove_name(self.name)

    def call(self) -> str:
        return f"tx.remove_name({self.name!r})"


Change = AddObject | AddEdge | RemoveEdge | SetValue | SetName | RemoveName
KINDS = ("new object", "Ins", "Del", "Chg", "name", "no name")


def real(oid: str, oids: Oids) -> str:
    return oids.get(oid, oid)


def is_new(oid: str) -> bool:
    """Objects of the first graph have an oid of the case's choice; later ones have the warehouse's."""
    return oid.startswith("&new")


def variable(oid: str) -> str:
    """How a program speaks of an object."""
    return oid[1:] if is_new(oid) else repr(oid)


def applied(graph: Graph, changes: tuple[Change, ...]) -> Graph:
    """The graph after a transaction of these."""
    after = graph.copy()
    for c in changes:
        c.apply(after)
    after.collect()
    return after
