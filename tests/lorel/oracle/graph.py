"""OEM as plain Python: names, edges, values. Slow, small, and easy to believe; what the warehouse holds is compared with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

#: an atomic value: bool, int, float, str, date or datetime (which is a date to Python)
Value = bool | int | float | str | date
Edge = tuple[str, str, str]


class Unfit(Exception):
    """A change that cannot be made of this graph."""


@dataclass
class Graph:
    """An object is complex if it is in `objects` and has no value. Edges are a set."""

    names: dict[str, str] = field(default_factory=dict)
    objects: set[str] = field(default_factory=set)
    edges: set[Edge] = field(default_factory=set)
    values: dict[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, names: dict[str, str], edges: Iterable[Edge], values: dict[str, Value]) -> Graph:
        every = set(edges)
        objects = {*names.values(), *values, *(s for s, _, _ in every), *(t for _, _, t in every)}
        return cls(dict(names), objects, every, dict(values))

    def copy(self) -> Graph:
        return Graph(dict(self.names), set(self.objects), set(self.edges), dict(self.values))

    def out(self, oid: str) -> list[tuple[str, str]]:
        """(label, target) of the edges that leave it."""
        return [(label, t) for s, label, t in self.edges if s == oid]

    def by_source(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for s, label, t in self.edges:
            found.setdefault(s, []).append((label, t))
        return found

    def is_complex(self, oid: str) -> bool:
        return oid in self.objects and oid not in self.values

    # the elementary changes

    def add_object(self, oid: str, value: Value | None = None) -> None:
        if oid in self.objects:
            raise Unfit(f"{oid} is there already")
        self.objects.add(oid)
        if value is not None:
            self.values[oid] = value

    def add_edge(self, source: str, label: str, target: str) -> None:
        if not self.is_complex(source) or target not in self.objects:
            raise Unfit(f"no edge from {source} to {target}")
        self.edges.add((source, label, target))

    def remove_edge(self, source: str, label: str, target: str) -> None:
        if (source, label, target) not in self.edges:
            raise Unfit(f"no edge {source}.{label} {target}")
        self.edges.remove((source, label, target))

    def set_value(self, oid: str, value: Value) -> None:
        if oid not in self.values:
            raise Unfit(f"{oid} is not atomic")
        self.values[oid] = value

    def set_name(self, name: str, oid: str) -> None:
        if oid not in self.objects:
            raise Unfit(f"{oid} is not there")
        self.names[name] = oid

    def remove_name(self, name: str) -> None:
        if name not in self.names:
            raise Unfit(f"no name {name}")
        del self.names[name]

    def reachable(self) -> set[str]:
        """What some name reaches."""
        out = self.by_source()
        found, todo = set(self.names.values()), list(self.names.values())
        while todo:
            for _, t in out.get(todo.pop(), ()):
                if t not in found:
                    found.add(t)
                    todo.append(t)
        return found

    def collect(self) -> None:
        """The end of a transaction: what no name reaches is gone."""
        self.objects = self.reachable()
        self.edges = {e for e in self.edges if e[0] in self.objects}
        self.values = {o: v for o, v in self.values.items() if o in self.objects}
