"""Who lives, found from the names anew: for changes that touch a large part of the graph.

Following a change object by object costs little where little is touched, and more than looking at everything where most of a
large graph goes. Here the depths are the ranks of a closure that an engine evaluates, and what differs is told column by column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.ops import Closure, Get, Project
from belvedere.algebra.scalar import Scalar, cast, col, integer, string
from belvedere.algebra.types import Int
from belvedere.changes.zset import consolidate, negate, weighted
from belvedere.store.model import Collection
from belvedere.warehouse.graphs.reading import Edge, Reader
from belvedere.warehouse.graphs.tables import EDGES, NAMES, OBJECTS, VALUES
from belvedere.warehouse.objects.reading import whole
from belvedere.warehouse.resolve import Resolver

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

#: so many objects are followed one by one in any case, and this part of a larger graph
FEW, PART = 20_000, 0.1
#: and so many lookups are made, besides one for each 2000 objects, which is about what reading them all costs
ROUNDS = 40


class TooMany(Exception):
    """More objects are touched than are worth following."""


class Counted:
    """Lookups of edges that give up when they have led to more than a part of the graph, or were too many by themselves, as
    they are along a chain."""

    def __init__(self, tx: Transaction, reader: Reader) -> None:
        self._reader = reader
        c = tx.registry.collection(OBJECTS)
        size = Resolver(tx.core.store, until=tx.commit.base, overlay=tx.overlay).size(Get(c.name, c.schema, c.schema.names))
        self._objects = max(FEW, int(size * PART))
        self._lookups = ROUNDS + size // 2000

    def out_of(self, oids: list[str]) -> list[Edge]:
        return self._reader.out_of(self._counted(oids)) if oids else []

    def into(self, oids: list[str]) -> list[Edge]:
        return self._reader.into(self._counted(oids)) if oids else []

    def _counted(self, oids: list[str]) -> list[str]:
        self._objects -= len(oids)
        self._lookups -= 1
        if self._objects < 0 or self._lookups < 0:
            raise TooMany
        return oids


def sweep(tx: Transaction) -> None:
    """Write what differs from the truth: depths, and the edges and values of what no name reaches."""
    names, edges = (_leaf(tx, t) for t in (NAMES, EDGES))
    state = cast(integer(0), Int())
    seeds = _named(names, ("src", string("")), ("state", state), ("node", col(names.schema["oid"])))
    source, target = col(edges.schema["source"]), col(edges.schema["target"])
    steps = _named(edges, ("s1", state), ("a", source), ("s2", state), ("b", target))
    found = tx.evaluate(Closure(seeds, steps, ranked=True))
    living = pa.table({"oid": found.column("node"), "depth": found.column("rank").cast(pa.int64())})
    objects = tx.registry.collection(OBJECTS)
    tx.write(objects, consolidate(pa.concat_tables([weighted(living), negate(weighted(whole(tx, objects, ["oid", "depth"])))])))
    oids = living.column("oid").combine_chunks()
    for table, column in ((EDGES, "source"), (VALUES, "oid")):
        c = tx.registry.collection(table)
        rows = whole(tx, c, c.schema.names)
        tx.write(c, negate(weighted(rows.filter(pc.invert(pc.is_in(rows.column(column), value_set=oids))))))


def _leaf(tx: Transaction, table: str) -> Get:
    c: Collection = tx.registry.collection(table)
    return Get(c.name, c.schema, c.schema.names)


def _named(leaf: Get, *columns: tuple[str, Scalar]) -> Project:
    return Project(leaf, columns)
