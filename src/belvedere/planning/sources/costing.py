"""What the next query of a batch sequence costs, given the nodes that were visited before it.

The cost is linear in the rows sent: fixed + per_row · Card. Both parts and the join factor depend on the visited set and the next
node only, so they are worked out once per pair and shared by all steps of a plan and all searches.
Conditions from all visited nodes go along in one query. Never measured together, their selectivities S/C multiply (they are taken
as independent) and their costs are averaged; once measured together, that counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.planning.sources.graph import KEYS, Direction, ViewGraph
from belvedere.planning.sources.regression import CostFunction


@dataclass(frozen=True, slots=True)
class Extension:
    """Visiting one more node."""

    fixed: float
    per_row: float
    factor: float
    attributes: float
    origins: tuple[str, ...]


#: (visited set afterwards, the node, fixed, per_row, factor)
Move = tuple[int, int, float, float, float]


class Costing:
    """The costs of one graph. Nodes are numbered in their order; a set of nodes is a bit mask."""

    def __init__(self, graph: ViewGraph) -> None:
        self.graph = graph
        self.names = graph.names
        self.size = len(self.names)
        self.full = (1 << self.size) - 1
        self.number = {n: i for i, n in enumerate(self.names)}
        neighbours = graph.neighbours()
        self.near = [sum(1 << self.number[m] for m in neighbours[n]) for n in self.names]
        self._directions = graph.directions()
        self._columns = graph.sent_columns()
        self._hops: dict[tuple[int, int], tuple[tuple[str, ...], Direction]] = {}
        self._moves: dict[int, list[Move]] = {}

    def next_nodes(self, visited: int) -> list[int]:
        """Nodes outside the visited set that an edge leads to."""
        return [j for j in range(self.size) if not visited >> j & 1 and self.near[j] & visited]

    def moves(self, visited: int) -> list[Move]:
        """Everything that can come next, with its cost."""
        found = self._moves.get(visited)
        if found is None:
            found = []
            for to in self.next_nodes(visited):
                e = self.extension(visited, to)
                found.append((visited | 1 << to, to, e.fixed, e.per_row, e.factor))
            self._moves[visited] = found
        return found

    def extension(self, visited: int, to: int) -> Extension:
        key = (visited & self.near[to], to)
        known = self._hops.get(key)
        if known is None:
            origins = tuple(self.names[i] for i in range(self.size) if key[0] >> i & 1)
            known = self._hops[key] = (origins, self.hop(origins, self.names[to]))
        origins, hop = known
        width = self.width(visited, origins, self.names[to])
        node = self.graph.nodes[to]
        back = (1 if self.graph.carry == KEYS else width) + node.attributes
        moved = self.graph.network.get(node.source, 0.0) * (width + hop.factor * back)
        fixed = hop.cost.start + hop.cost.per_attribute * width
        return Extension(fixed, hop.cost.per_value * width + moved, hop.factor, width, origins)

    def width(self, visited: int, origins: tuple[str, ...], to: str) -> int:
        """Attributes of a row that is sent: whole tuples of all visited nodes, or a row number and the join columns."""
        if self.graph.carry == KEYS:
            return 1 + sum(self._columns[o, to] for o in origins)
        return sum(n.attributes for i, n in enumerate(self.graph.nodes) if visited >> i & 1)

    def hop(self, origins: tuple[str, ...], to: str) -> Direction:
        """S and J of one query that evaluates the conditions from all `origins` at `to`."""
        known = self.graph.seen.get((frozenset(origins), to))
        if known is not None:
            return known
        each = [self._directions[o, to] for o in origins]
        if len(each) == 1:
            return each[0]
        cardinality = max(self.graph.node(to).cardinality, 1.0)
        factor = cardinality
        for d in each:
            factor *= d.factor / cardinality
        return Direction(factor, CostFunction.mean([d.cost for d in each]))

    @cached_property
    def least(self) -> tuple[float, ...]:
        """What a query to each node costs at the very least: its start."""
        starts = [d.cost.start for d in (*self._directions.values(), *self.graph.seen.values())]
        into: dict[str, float] = dict.fromkeys(self.names, max(starts, default=0.0))
        for (_, to), d in (*self._directions.items(), *self.graph.seen.items()):
            if to in into:
                into[to] = min(into[to], d.cost.start)
        return tuple(into[n] for n in self.names)

    def sequence_cost(self, sequence: tuple[int, ...], card: float) -> float:
        """Seconds of one maintenance step that visits nodes in this order, starting with `card` rows of the first."""
        total, visited = 0.0, 1 << sequence[0]
        for to in sequence[1:]:
            e = self.extension(visited, to)
            total += e.fixed + e.per_row * card
            card *= e.factor
            visited |= 1 << to
        return total
