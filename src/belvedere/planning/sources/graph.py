"""The view graph: a node for each table of a join view, an edge for each join condition, and what is known of both (§3.1).

An edge has two directions, because sending rows of A to B is another query than sending rows of B to A. Each has a join factor S
(result rows per row sent) and a cost function J.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from belvedere.errors import BelvedereError
from belvedere.planning.estimate import FANOUT
from belvedere.planning.sources.regression import FIRST, CostFunction

#: what a maintenance query carries of the intermediate result: the join columns and a row number, or whole tuples as in the paper
KEYS, TUPLES = "keys", "tuples"
#: work in this process
HERE = CostFunction(0.001, 0.0, 2e-8)
#: (where the rows come from, where they go)
Hop = tuple[frozenset[str], str]


@dataclass(frozen=True)
class Node:
    """A table: C (rows), A (attributes the view needs), |Δ| (changed rows that are due), and the database it lives in."""

    name: str
    cardinality: float
    attributes: int
    delta: float = 0.0
    source: str = ""


@dataclass(frozen=True)
class Direction:
    """One direction of an edge, or of several into one node: S and J."""

    factor: float
    cost: CostFunction = FIRST

    def __post_init__(self) -> None:
        if self.factor < 0:
            raise BelvedereError(f"a join factor of {self.factor} makes no sense; it is the number of result rows per row sent")


@dataclass(frozen=True)
class Edge:
    """The join conditions between two nodes, and how many columns of each side they read."""

    left: str
    right: str
    forward: Direction
    backward: Direction
    left_columns: int = 1
    right_columns: int = 1


@dataclass(frozen=True)
class ViewGraph:
    """A connected graph. `seen` holds what was learned of several edges asked at once; `network` seconds per value moved."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    carry: str = KEYS
    seen: Mapping[Hop, Direction] = field(default_factory=dict)
    network: Mapping[str, float] = field(default_factory=dict)
    #: work at the view itself: remaining conditions, joins after reading everything
    local: CostFunction = HERE

    def __post_init__(self) -> None:
        if self.carry not in (KEYS, TUPLES):
            raise BelvedereError(f"a query carries '{KEYS}' or '{TUPLES}', not {self.carry!r}")
        names = self.names
        if not names or len(set(names)) != len(names):
            raise BelvedereError(f"a view graph needs nodes with different names, not {', '.join(names) or 'none'}")
        pairs: set[frozenset[str]] = set()
        for e in self.edges:
            pair = frozenset((e.left, e.right))
            if len(pair) != 2 or not pair <= set(names):
                raise BelvedereError(f"the edge {e.left}–{e.right} does not join two nodes of the view ({', '.join(names)})")
            if pair in pairs:
                raise BelvedereError(f"two edges between {e.left} and {e.right}: put their conditions into one")
            pairs.add(pair)
        apart = self._unreached()
        if apart:
            raise BelvedereError(
                f"no join condition leads from {names[0]} to {', '.join(apart)}: "
                "the tables of a view over several databases must be joined; add a condition, or attach with mirror=True"
            )

    def _unreached(self) -> list[str]:
        neighbours = self.neighbours()
        reached, todo = {self.names[0]}, [self.names[0]]
        while todo:
            for n in neighbours[todo.pop()] - reached:
                reached.add(n)
                todo.append(n)
        return [n for n in self.names if n not in reached]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(n.name for n in self.nodes)

    def node(self, name: str) -> Node:
        return next(n for n in self.nodes if n.name == name)

    def neighbours(self) -> dict[str, set[str]]:
        out: dict[str, set[str]] = {n: set() for n in self.names}
        for e in self.edges:
            out[e.left].add(e.right)
            out[e.right].add(e.left)
        return out

    def directions(self) -> dict[tuple[str, str], Direction]:
        """(from, to) → S and J, both ways."""
        out: dict[tuple[str, str], Direction] = {}
        for e in self.edges:
            out[e.left, e.right] = e.forward
            out[e.right, e.left] = e.backward
        return out

    def sent_columns(self) -> dict[tuple[str, str], int]:
        """(from, to) → how many columns of `from` the conditions read."""
        out: dict[tuple[str, str], int] = {}
        for e in self.edges:
            out[e.left, e.right] = e.left_columns
            out[e.right, e.left] = e.right_columns
        return out

    def with_deltas(self, deltas: Mapping[str, float]) -> ViewGraph:
        """The same graph with other changes due."""
        nodes = tuple(Node(n.name, n.cardinality, n.attributes, deltas.get(n.name, 0.0), n.source) for n in self.nodes)
        return ViewGraph(nodes, self.edges, self.carry, self.seen, self.network, self.local)


def first_factor(to: Node, joins_key: bool, from_: Node, from_key: bool) -> float:
    """A join factor before anything was measured: 1 into a key; from a key the other side is spread evenly; else a few.

    >>> first_factor(Node("o", 1000, 3), False, Node("c", 100, 2), True)
    10.0
    """
    if joins_key:
        return 1.0
    if from_key:
        return to.cardinality / max(from_.cardinality, 1.0)
    return min(float(FANOUT), max(to.cardinality, 1.0))


def undirected(pairs: Iterable[tuple[str, str]], factor: float = 1.0, cost: CostFunction = FIRST) -> tuple[Edge, ...]:
    """Edges whose directions are all alike: for tests and first guesses."""
    return tuple(Edge(a, b, Direction(factor, cost), Direction(factor, cost)) for a, b in pairs)
