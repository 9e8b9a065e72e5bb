"""The with clause: the edges along its paths, from the objects that select gives. An edge counts also where its path goes no
further."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Join, Project, UnionAll
from belvedere.algebra.scalar import cols, equal
from belvedere.languages.lorel.automaton import Automaton, automaton
from belvedere.languages.lorel.frames import Frame
from belvedere.languages.lorel.graph import Graph, Leaf, reached, seeds
from belvedere.languages.lorel.resolved import Enter, Follow, Hop, Walk
from belvedere.languages.lorel.syntax import Label


def adjunct_edges(hops: tuple[Hop, ...], starts: dict[str, Frame], graph: Graph) -> Node | None:
    """(oid, label, target), each edge once; None without a with clause."""
    frames = dict(starts)
    parts: list[Node] = []
    for hop in hops:
        assert not isinstance(hop, Enter)
        start = frames[hop.source]
        taken, frames[hop.target] = _followed(start, hop, graph) if isinstance(hop, Follow) else _walked(start, hop, graph)
        parts += taken
    if not parts:
        return None
    together = parts[0] if len(parts) == 1 else UnionAll(tuple(parts))
    return Aggregate(together, cols(together.schema), ())


def _edge(node: Node, edges: Leaf) -> Node:
    columns = zip(("oid", "label", "target"), ("source", "label", "target"), strict=True)
    return Project(node, tuple((shown, edges.scalar(c)) for shown, c in columns))


def _followed(frame: Frame, hop: Follow, graph: Graph) -> tuple[list[Node], Frame]:
    edges = graph.edges(hop.labels)
    joined = Join(frame.node, edges.node, equal(frame.column(hop.source), edges.column("source")))
    return [_edge(joined, edges)], Frame(joined, {hop.target: edges.columns["target"]})


def _walked(frame: Frame, hop: Walk, graph: Graph) -> tuple[list[Node], Frame]:
    """The objects on the way are reached from all starts together; the edges are the steps that can be taken from them."""
    machine = automaton(hop.steps)
    closure = graph.closure(seeds(frame.node, frame.columns[hop.source], src=False), machine.transitions)
    states = frozenset({0, *machine.entered})
    parts = []
    for labels, sources in _sources(machine).items():
        places = reached(closure, sources, len(states), graph.session)
        edges = graph.edges(labels)
        parts.append(_edge(Join(places.node, edges.node, equal(places.column("node"), edges.column("source"))), edges))
    ends = reached(closure, machine.accepting, len(states), graph.session)
    return parts, Frame(ends.node, {hop.target: ends.columns["node"]})


def _sources(machine: Automaton) -> dict[tuple[Label, ...], frozenset[int]]:
    """The labels that lead on, with the states they lead on from; states with the same labels together."""
    labels: dict[int, list[Label]] = {}
    for s, label, _ in machine.transitions:
        if label not in labels.setdefault(s, []):
            labels[s].append(label)
    found: dict[tuple[Label, ...], set[int]] = {}
    for s, own in labels.items():
        found.setdefault(tuple(sorted(own, key=lambda x: (x.text, x.pattern))), set()).add(s)
    return {own: frozenset(s) for own, s in found.items()}
