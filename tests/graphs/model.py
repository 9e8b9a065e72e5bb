"""A graph in plain Python, to compare with: no depths, no deltas, garbage found by walking from the names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import belvedere as bv
from belvedere.warehouse.graphs.values import value_of

Edge = tuple[str, str, str]


@dataclass
class Graph:
    names: dict[str, str] = field(default_factory=dict)
    edges: set[Edge] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)
    objects: set[str] = field(default_factory=set)

    def copy(self) -> Graph:
        return Graph(dict(self.names), set(self.edges), dict(self.values), set(self.objects))

    def collect(self) -> None:
        """Keep what the names reach."""
        out: dict[str, set[str]] = {}
        for s, _, t in self.edges:
            out.setdefault(s, set()).add(t)
        living, todo = set(self.names.values()), list(self.names.values())
        while todo:
            for t in out.get(todo.pop(), ()):
                if t not in living:
                    living.add(t)
                    todo.append(t)
        self.objects = living
        self.edges = {e for e in self.edges if e[0] in living}
        self.values = {o: v for o, v in self.values.items() if o in living}


def stored(wh: bv.Warehouse) -> Graph:
    """The graph as the tables have it; each row once, and every depth a true certificate."""
    names, edges, values, objects = (wh.query(f"select * from `oem.{t}`").rows() for t in ("names", "edges", "values", "objects"))
    found = Graph(
        {r["name"]: r["oid"] for r in names},
        {(r["source"], r["label"], r["target"]) for r in edges},
        {r["oid"]: value_of(r) for r in values},
        {r["oid"] for r in objects},
    )
    for rows, held in ((names, found.names), (edges, found.edges), (values, found.values), (objects, found.objects)):
        assert len(rows) == len(held)
    depth = {r["oid"]: r["depth"] for r in objects}
    certified = {t for s, _, t in found.edges if depth[s] < depth[t]}
    for oid, d in depth.items():
        assert (d == 0) == (oid in found.names.values())
        assert d == 0 or oid in certified
    return found


def canonical(g: Graph, root: str) -> Any:
    """The part of a graph below an object up to the choice of oids, where each object has a path of labels that is its own
    or values that tell it from its brothers: enough for the graphs of these tests."""
    out: dict[str, list[tuple[str, str]]] = {}
    for s, label, t in g.edges:
        out.setdefault(s, []).append((label, t))

    def shape(oid: str, above: tuple[str, ...], depth: int) -> str:
        if oid in g.values:
            return f"{type(g.values[oid]).__name__}:{g.values[oid]!r}"
        if oid in above:
            return f"up {above[::-1].index(oid)}"
        return str(sorted((label, shape(t, (*above, oid), depth + 1)) for label, t in out.get(oid, ())))

    return shape(root, (), 0)
