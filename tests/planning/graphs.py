"""View graphs for tests: the paper's, random ones, and the grid of nine nodes and twelve edges."""

from __future__ import annotations

import random

from belvedere.planning.sources.graph import KEYS, TUPLES, Direction, Edge, Node, ViewGraph
from belvedere.planning.sources.regression import CostFunction

#: J = 1 + 0.01 · Card · Attr: every figure can be worked by hand
PLAIN = CostFunction(1.0, 0.0, 0.01)
FACTORS = {("1", "2"): (2, 3), ("2", "3"): (0.5, 5), ("2", "4"): (1.5, 4), ("3", "4"): (3, 2)}


def figure2(**deltas: float) -> ViewGraph:
    """Customer 1, FlightRes 2, Participant 3, Tour 4: the triangle 2-3-4 with 1 hanging on 2."""
    nodes = tuple(Node(n, 100, 2, deltas.get("d" + n, 0.0), "s" + n) for n in "1234")
    edges = tuple(Edge(a, b, Direction(f, PLAIN), Direction(g, PLAIN)) for (a, b), (f, g) in FACTORS.items())
    return ViewGraph(nodes, edges, TUPLES, local=CostFunction(0.5, 0.0, 0.001))


def random_graph(seed: int, size: int | None = None, pairs: list[tuple[int, int]] | None = None) -> ViewGraph:
    """Connected, with directed factors that no single set of cardinalities would explain."""
    r = random.Random(seed)
    size = size or r.randint(2, 6)
    if pairs is None:
        pairs = [(r.randrange(i), i) for i in range(1, size)]
        pairs += [(i, j) for i in range(size) for j in range(i + 1, size) if (i, j) not in pairs and r.random() < 0.3]
    sources = [f"s{i}" for i in range(size)]

    def direction() -> Direction:
        cost = CostFunction(r.uniform(0, 0.01), r.uniform(0, 0.001), r.uniform(0, 1e-5))
        return Direction(r.choice([0.0, 0.2, 0.5, 1.0, 2.0, 4.0]), cost)

    nodes = tuple(Node(f"n{i}", r.randint(1, 5000), r.randint(1, 6), r.randint(1, 1000), sources[i]) for i in range(size))
    edges = tuple(Edge(f"n{a}", f"n{b}", direction(), direction(), r.randint(1, 2), r.randint(1, 2)) for a, b in pairs)
    network = {s: r.uniform(0, 1e-4) for s in sources if r.random() < 0.5}
    seen = {}
    for n in nodes:
        near = [e.left if e.right == n.name else e.right for e in edges if n.name in (e.left, e.right)]
        if len(near) > 1 and r.random() < 0.3:
            seen[frozenset(near[:2]), n.name] = direction()
    return ViewGraph(nodes, edges, r.choice([KEYS, TUPLES]), seen, network)


def grid(seed: int) -> ViewGraph:
    """Three by three: nine nodes, twelve edges."""
    across = [(3 * i + j, 3 * i + j + 1) for i in range(3) for j in range(2)]
    down = [(3 * i + j, 3 * i + j + 3) for i in range(2) for j in range(3)]
    return random_graph(seed, 9, across + down)
