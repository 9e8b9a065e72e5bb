"""Bindings of variables as rows, and hops that add to them.

Bindings are sets; rows may still come more than once, because whatever reads them in the end takes them as a set.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Join, Project, Values, keep
from belvedere.algebra.scalar import Scalar, col, equal, true
from belvedere.algebra.types import Column, Schema
from belvedere.languages.lorel.automaton import automaton
from belvedere.languages.lorel.graph import Graph, Leaf, reached, seeds
from belvedere.languages.lorel.resolved import Enter, Follow, Hop, Walk


@dataclass(frozen=True)
class Frame:
    """`columns`: variable → the column that holds its object, or its label."""

    node: Node
    columns: dict[str, str]

    def column(self, variable: str) -> Column:
        return self.node.schema[self.columns[variable]]

    def scalar(self, variable: str) -> Scalar:
        return col(self.column(variable))

    def over(self, node: Node) -> Frame:
        """The same variables over other rows, without whatever columns were added meanwhile."""
        return Frame(keep(node, self.node.schema.names), self.columns)

    def distinct(self, variables: tuple[str, ...]) -> Frame:
        keys = tuple((self.columns[v], self.scalar(v)) for v in variables)
        return Frame(Aggregate(self.node, keys, ()), {v: self.columns[v] for v in variables})

    def narrowed(self, variables: tuple[str, ...], graph: Graph) -> Frame:
        """Some of the variables, under new column names, to be joined with the frame itself."""
        own = {v: graph.session.fresh(self.columns[v]) for v in variables}
        return Frame(Project(self.node, tuple((own[v], self.scalar(v)) for v in variables)), own)


def nothing_bound() -> Frame:
    """One row, no variables."""
    return Frame(Values(Schema(()), ((),)), {})


def extended(frame: Frame | None, hops: tuple[Hop, ...], graph: Graph, around: Frame | None = None) -> Frame | None:
    """The frame with the hops' variables. Without a frame, the first hop begins one, with its source as a variable like any
    other; None where hops hang together in no way, or where a hop's source is to come from nowhere. `around` has the
    bindings of such a source, of which an automaton needs to know where to start."""
    for hop in hops:
        if isinstance(hop, Enter):
            frame = _entered(frame, hop, graph)
        elif frame is not None and hop.source not in frame.columns:
            return None
        elif isinstance(hop, Follow):
            frame = _followed(frame, hop, graph)
        else:
            source = frame if frame is not None else around
            if source is None or hop.source not in source.columns:
                return None
            frame = _walked(frame, hop, source, graph)
    return frame


def _entered(frame: Frame | None, hop: Enter, graph: Graph) -> Frame:
    leaf = graph.root(hop)
    if frame is None:
        return Frame(leaf.node, {hop.target: leaf.columns["oid"]})
    return Frame(Join(frame.node, leaf.node, true()), {**frame.columns, hop.target: leaf.columns["oid"]})


def _followed(frame: Frame | None, hop: Follow, graph: Graph) -> Frame:
    edges = graph.edges(hop.labels)
    bound = {hop.target: edges.columns["target"]}
    if hop.label_variable is not None:
        bound[hop.label_variable] = edges.columns["label"]
    return _joined(frame, hop.source, edges, "source", bound)


def _walked(frame: Frame | None, hop: Walk, source: Frame, graph: Graph) -> Frame:
    machine = automaton(hop.steps)
    start = source.columns[hop.source]
    closure = graph.closure(seeds(source.node, start), machine.transitions)
    states = len({0, *machine.entered})
    leaf = reached(closure, machine.accepting, states, graph.session)
    return _joined(frame, hop.source, leaf, "src", {hop.target: leaf.columns["node"]})


def _joined(frame: Frame | None, source: str, leaf: Leaf, by: str, bound: dict[str, str]) -> Frame:
    if frame is None:
        return Frame(leaf.node, {source: leaf.columns[by], **bound})
    return Frame(Join(frame.node, leaf.node, equal(frame.column(source), leaf.column(by))), {**frame.columns, **bound})
