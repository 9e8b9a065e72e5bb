"""Which objects live: the named ones, and whatever an edge leads to from a living one.

That is a ranked closure with one source and one state: names are its seeds, edges its steps, and depths its ranks, kept in
`oem.objects`. `maintenance.reach` follows its changes by lookups; here is what it asks, and what comes of it: depths that
change, and garbage.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Protocol

from belvedere.maintenance.reach import Moves, Place, Ranked, Row, Step, follow

Edge = tuple[str, str, str]


class Lookups(Protocol):
    """The graph after the change, except for the depths, which are those before it."""

    def depths(self, oids: Iterable[str]) -> dict[str, int]: ...
    def named(self, oids: Iterable[str]) -> set[str]: ...
    def out_of(self, oids: Iterable[str]) -> list[Edge]: ...
    def into(self, oids: Iterable[str]) -> list[Edge]: ...


@dataclass
class GraphChange:
    """What was done to the graph since the depths were right, net."""

    edges_in: list[Edge] = field(default_factory=list)
    edges_out: list[Edge] = field(default_factory=list)
    #: oids that got or lost a name
    named: set[str] = field(default_factory=set)
    unnamed: set[str] = field(default_factory=set)
    #: objects made since
    fresh: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.edges_in or self.edges_out or self.named or self.unnamed or self.fresh)


@dataclass(frozen=True)
class Settled:
    """Rows of `oem.objects` that go and come, and the objects that no name reaches any longer."""

    gone: list[tuple[str, int]]
    came: list[tuple[str, int]]
    garbage: set[str]


def settle(graph: Lookups, change: GraphChange) -> Settled:
    """Who lives after the change."""
    moves = Moves(
        seeds_in={("", 0, o) for o in change.named},
        seeds_out={("", 0, o) for o in change.unnamed},
        steps_in={(0, s, 0, t) for s, _, t in change.edges_in},
        steps_out={(0, s, 0, t) for s, _, t in change.edges_out},
    )
    found = follow(moves, _World(graph, change.fresh))
    garbage = {row[2] for row in found.removed if row not in found.added}
    garbage |= {o for o in change.fresh if ("", 0, o) not in found.added}
    return Settled([(r[2], d) for r, d in found.removed.items()], [(r[2], d) for r, d in found.added.items()], garbage)


class _World:
    """The five lookups."""

    def __init__(self, graph: Lookups, fresh: Set[str]) -> None:
        self._graph = graph
        self._fresh = fresh

    def seeds(self, rows: Set[Row]) -> Iterable[Row]:
        return [("", 0, o) for o in self._graph.named([node for _, _, node in rows])]

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        return [(0, s, 0, t) for s, _, t in self._graph.out_of([node for _, node in places])]

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        return [(0, s, 0, t) for s, _, t in self._graph.into([node for _, node in places])]

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        return self._ranked(node for _, node in places)

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        return self._ranked(node for _, _, node in rows)

    def _ranked(self, oids: Iterable[str]) -> list[Ranked]:
        asked = [o for o in oids if o not in self._fresh]
        return [("", 0, o, d) for o, d in self._graph.depths(asked).items()] if asked else []
