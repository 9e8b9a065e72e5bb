"""What was learned from queries that were really asked: a cost function and a join factor per edge and direction (and per set of
edges asked at once), and what moving a value to or from each source costs.

A query that moved rows for a known time teaches both: that time the network, the rest the cost function. Join factors fade faster
than costs, because data changes more often than machines do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from belvedere.planning.sources.graph import Direction, Edge, Hop, ViewGraph
from belvedere.planning.sources.regression import FIRST, Fit

COST_KEEP = 0.99
FACTOR_KEEP = 0.8


class Seen(Protocol):
    """A query that was asked. `moved` is the part of `seconds` that went into moving rows, None if nobody knows."""

    @property
    def origins(self) -> tuple[str, ...]: ...
    @property
    def to(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def attributes(self) -> int: ...
    @property
    def rows_out(self) -> int: ...
    @property
    def attributes_out(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def moved(self) -> float | None: ...


@dataclass
class Ratio:
    """A quotient of two fading sums."""

    top: float = 0.0
    bottom: float = 0.0

    def add(self, top: float, bottom: float, keep: float) -> None:
        self.top = self.top * keep + top
        self.bottom = self.bottom * keep + bottom

    def value(self, otherwise: float) -> float:
        return self.top / self.bottom if self.bottom > 0 else otherwise


@dataclass
class Experience:
    """Changes with every query observed; `to_dict` and `from_dict` store it."""

    keep: float = COST_KEEP
    fits: dict[Hop, Fit] = field(default_factory=dict)
    factors: dict[Hop, Ratio] = field(default_factory=dict)
    network: dict[str, Ratio] = field(default_factory=dict)

    def observe(self, seen: Seen) -> None:
        if not seen.origins or seen.rows <= 0:
            return
        hop = (frozenset(seen.origins), seen.to)
        moved = min(seen.moved or 0.0, seen.seconds)
        self.fits.setdefault(hop, Fit(self.keep)).add(seen.rows, seen.attributes, seen.seconds - moved)
        self.factors.setdefault(hop, Ratio()).add(seen.rows_out, seen.rows, FACTOR_KEEP)
        if seen.moved is not None:
            values = seen.rows * seen.attributes + seen.rows_out * seen.attributes_out
            self.network.setdefault(seen.source, Ratio()).add(moved, values, self.keep)

    def applied_to(self, graph: ViewGraph) -> ViewGraph:
        """The graph with everything that was learned in place of what was guessed."""
        edges = tuple(self._edge(e) for e in graph.edges)
        seen = dict(graph.seen)
        for hop, fit in self.fits.items():
            if len(hop[0]) > 1 and hop[0] | {hop[1]} <= set(graph.names):
                seen[hop] = Direction(self.factors[hop].value(1.0), fit.function())
        network = {**graph.network, **{s: r.value(0.0) for s, r in self.network.items()}}
        return replace(graph, edges=edges, seen=seen, network=network)

    def _edge(self, e: Edge) -> Edge:
        forward = self._direction(e.left, e.right, e.forward)
        return replace(e, forward=forward, backward=self._direction(e.right, e.left, e.backward))

    def _direction(self, origin: str, to: str, guess: Direction) -> Direction:
        hop = (frozenset((origin,)), to)
        if hop not in self.fits:
            return guess
        return Direction(self.factors[hop].value(guess.factor), self.fits[hop].function(guess.cost or FIRST))

    def to_dict(self) -> dict[str, Any]:
        return {
            "keep": self.keep,
            "hops": [
                {"from": sorted(hop[0]), "to": hop[1], "fit": fit.to_dict(),
                 "factor": [self.factors[hop].top, self.factors[hop].bottom]}
                for hop, fit in self.fits.items()
            ],
            "network": {s: [r.top, r.bottom] for s, r in self.network.items()},
        }  # fmt: skip

    @staticmethod
    def from_dict(d: Mapping[str, Any]) -> Experience:
        out = Experience(float(d["keep"]))
        for h in d["hops"]:
            hop = (frozenset(h["from"]), str(h["to"]))
            out.fits[hop] = Fit.from_dict(h["fit"])
            out.factors[hop] = Ratio(*h["factor"])
        out.network = {s: Ratio(*r) for s, r in d["network"].items()}
        return out
