"""The four base tables of graphs, made on first use, and how rows get into them.

Edges and objects are looked up in both directions when an edge goes (who else leads to its target?), so edges are kept in two
sort orders. Only this room writes these tables: what no name reaches must go with the edge that reached it last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.types import Schema, parse_schema, to_arrow
from belvedere.changes.zset import weighted
from belvedere.errors import BelvedereError
from belvedere.store.model import Collection

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

NAMES, EDGES, VALUES, OBJECTS = "oem.names", "oem.edges", "oem.values", "oem.objects"

GRAPH = "graph"
"""The property of a collection that is one of these tables."""

#: name → (schema, key, further sort orders)
_SHAPES: dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    NAMES: ("name string, oid string", ("name",), ()),
    EDGES: ("source string, label string, target string", ("source", "label", "target"), (("target", "label"),)),
    VALUES: ("oid string, type string, integer bigint, number double, text string", ("oid",), ()),
    OBJECTS: ("oid string, depth bigint", ("oid",), ()),
}


def schema_of(table: str) -> Schema:
    return parse_schema(_SHAPES[table][0])


def exist(tx: Transaction) -> bool:
    """Whether there has ever been a graph in this warehouse."""
    return tx.registry.taken(EDGES) == "table" and GRAPH in tx.registry.collection(EDGES).properties


def ensure(tx: Transaction) -> None:
    """Make the tables inside the transaction, if they are not there."""
    if exist(tx):
        return
    for name, (_, key, orders) in _SHAPES.items():
        taken = tx.registry.taken(name)
        if taken:
            raise BelvedereError(f"there is a {taken} {name!r} already, and graphs need the name; rename it first")
        made = tx.commit.create_collection(
            name, "table", schema_of(name), key=key, sort=key, arrangements=orders, properties={GRAPH: name}
        )
        tx.overlay.collections[name] = made
        tx.overlay.dropped.discard(name)


def refuse_graph(c: Collection) -> None:
    """Graphs change by edges, names and values, never by rows, or garbage would stay and living objects would go."""
    if GRAPH in c.properties:
        raise BelvedereError(
            f"{c.name!r} holds part of the graph and is kept by the system; use wh.load_oem, tx.add_object, tx.add_edge, "
            "tx.remove_edge, tx.set_value, tx.set_name, or a Lorel update"
        )


def zset(c: Collection, rows: Iterable[Sequence[Any]], weight: int = 1) -> pa.Table:
    """Rows, each a value per column, as a Z-set."""
    columns = list(zip(*rows, strict=True)) or [()] * len(c.schema.columns)
    arrays = [pa.array(values, to_arrow(x.type)) for values, x in zip(columns, c.schema, strict=True)]
    return weighted(pa.Table.from_arrays(arrays, names=list(c.schema.names)), weight)
