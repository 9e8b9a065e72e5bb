"""How many edges lead to the objects that changed: one lookup, where the answer can decide between the ways to refresh.

A value that every entree shares is looked at under each of them. Following it from object to object then fetches as many objects
as there are, one lookup after the other, and recomputing reads them once, in order.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.ops import Consolidate, Get
from belvedere.algebra.scalar import col
from belvedere.engines.scan import Scan
from belvedere.maintenance.change import Change
from belvedere.maintenance.closures import NODES, given_schema
from belvedere.maintenance.lookup import restrict
from belvedere.store.model import Collection
from belvedere.store.physical import physical_schema
from belvedere.warehouse.core import Core
from belvedere.warehouse.graph_views.graphic import Graphic
from belvedere.warehouse.graph_views.relevance import Felt
from belvedere.warehouse.resolve import Resolver, given_scan

#: views that know fewer objects are followed however shared these are
FEW = 2_000
#: sets of more changed objects are judged without
MANY = 1_000
#: an object fetched by a lookup, with what it takes to write its change, costs as much as so many that are read in order
DEAR = 32


def too_shared(core: Core, graphic: Graphic, felt: Felt, edges: Collection, resolver: Resolver) -> str | None:
    """Why a set of updates is better not followed; None where nothing speaks against it."""
    whole = felt.model(graphic).recompute()
    if whole < FEW or not 0 < len(felt.objects) <= MANY:
        return None
    fetched = felt.fetches(graphic, edges_into(core, edges, felt.objects, resolver))
    if fetched * DEAR <= whole or fetched <= 2 * felt.fetches(graphic):  # many changes that share nothing are followed together
        return None
    return f"what changed is shared: following it fetches about {fetched:,.0f} objects one by one, recomputing {whole:,.0f}"


def edges_into(core: Core, edges: Collection, oids: set[str], resolver: Resolver) -> Mapping[str, int]:
    """Of each object that edges lead to, how many."""
    physical = physical_schema(given_schema(NODES))
    arrays = [pa.array(c, f.type) for c, f in zip((sorted(oids), [1] * len(oids)), physical, strict=True)]
    given = given_scan(NODES, pa.Table.from_arrays(arrays, schema=physical))
    leaf = Get(edges.name, edges.schema, edges.schema.names)
    change = Change.of(leaf, frozenset())
    names = given_schema(NODES).names
    keys = change.share(Get(NODES, given_schema(NODES), names), "given")
    node = Consolidate(restrict(leaf, keys, [(col(edges.schema["target"]), names[0])], change))

    def scans(get: Get) -> Scan:
        return given if get.name == NODES else resolver(get)

    found, _ = core.small().run(node, scans, measured=False)
    counted = pc.value_counts(found.column("target")).to_pylist()
    return {c["values"]: c["counts"] for c in counted}
