"""What the user of a Lorel view asks of it beyond a SQL view: the graph that it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError

if TYPE_CHECKING:
    from belvedere.warehouse.result import Result
    from belvedere.warehouse.warehouse import Warehouse


@dataclass(frozen=True)
class Graph:
    """A view's objects by the identities of the base objects that they stand for.

    primary: what its select gives; edges: (object, label, object) along its with paths; values: of the atomic objects among them;
    labels: under which label a primary object hangs from the view.
    """

    primary: set[str]
    edges: set[tuple[str, str, str]]
    values: dict[str, Any]
    labels: dict[str, tuple[str, ...]]

    @property
    def objects(self) -> set[str]:
        """All objects of the view, primary and adjunct."""
        return self.primary | {o for source, _, target in self.edges for o in (source, target)}

    @property
    def adjunct(self) -> set[str]:
        """What the with paths lead to."""
        return {target for _, _, target in self.edges}


class GraphFace:
    """The part of a view that only Lorel has."""

    warehouse: Warehouse
    name: str

    def _result(self, epoch: int | None) -> Result:
        raise AssertionError("the view says")

    def graph(self, epoch: int | None = None) -> Graph:
        """The view as a graph, now or at an earlier epoch within the retention."""
        language = self.warehouse.registry.document(self.name)["language"]
        if language != "lorel":
            raise BelvedereError(f"view {self.name!r} is in {language}, which makes no graph; read it with rows() or df()")
        from belvedere.warehouse.graphs.values import value_of

        labels: dict[str, list[str]] = {}
        edges: set[tuple[str, str, str]] = set()
        values: dict[str, Any] = {}
        for row in self._result(epoch).arrow().to_pylist():
            match row["kind"]:
                case "primary":
                    labels.setdefault(row["oid"], []).append(row["label"])
                case "edge":
                    edges.add((row["oid"], row["label"], row["target"]))
                case _:
                    values[row["oid"]] = value_of(row)
        return Graph(set(labels), edges, values, {o: tuple(sorted(found)) for o, found in sorted(labels.items())})

    def to_json(self, epoch: int | None = None, *, oids: bool = False) -> dict[str, Any]:
        """The view as a JSON object that load_oem reads; with `oids` every complex object carries the oid of its base object."""
        from belvedere.warehouse.graphs.export import to_json

        graph = self.graph(epoch)
        edges: dict[str, list[tuple[str, str]]] = {}
        for source, label, target in sorted(graph.edges):
            edges.setdefault(source, []).append((label, target))
        roots = [(label, oid) for oid, labels in graph.labels.items() for label in labels]
        return to_json(roots, edges, graph.values, oids=oids)
