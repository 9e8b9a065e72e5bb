"""Sort orders that a view's lookups need, found from its own plans of maintenance and built once.

A lookup by a column that no order leads with reads the whole collection. An order costs a copy of the large runs, written
when they are compacted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Array, Map, Struct, Variant
from belvedere.maintenance.stage_delta import Facts, ways
from belvedere.store.model import Collection
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.fanout import Fanouts
from belvedere.warehouse.resolve import best_order

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def arrange(warehouse: Warehouse, view: str) -> list[tuple[str, tuple[str, ...]]]:
    """Add and build the orders that the view's refreshes will look things up by. Returns what was added."""
    store, registry = warehouse.core.store, warehouse.registry
    d = registry.definition(view)
    d.plan.forget()  # how many rows a lookup finds is another matter by now, and so may be the order of joins
    wanted = lookups(d, Fanouts(store))
    added: dict[str, Collection] = {}
    told = []
    for name, columns in wanted:
        c = added.get(name) or registry.collection(name)
        ids = tuple(c.schema[n].id for n in columns if not isinstance(c.schema[n].type, (Array, Map, Struct, Variant)))
        if not ids or best_order(c, ids) is not None:
            continue
        added[name] = replace(c, arrangements=(*c.arrangements, ids))
        told.append((name, columns))
    if not added:
        return []
    with store.begin() as commit:
        for c in added.values():
            commit.alter_collection(c)
        commit.publish()
    warehouse.tidy(added, wait=True)
    return told


def lookups(d: Definition, fanout: Fanouts | None = None) -> list[tuple[str, tuple[str, ...]]]:
    """(collection, columns) that some plan of maintenance looks up, for a change of any one input."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    for source in sorted(d.plan.reads):
        changed = {source}
        for stage in d.plan.stages:
            for facts in _cases(frozenset(changed), fanout if d.graph is None else None):
                for n in (n for plan in ways(stage, facts) for _, node in plan.named for n in node.walk()):
                    if isinstance(n, Get) and n.by and n.version != "delta":
                        found.setdefault((n.name, tuple(n.source(b) for b in n.by)))
            if stage.reads & changed:
                changed.add(stage.name)
    return list(found)


def _cases(changed: frozenset[str], fanout: Fanouts | None) -> tuple[Facts, Facts]:
    """Anything changes, or rows only come."""
    return Facts(changed, changed, changed, fanout=fanout), Facts(changed, frozenset(), changed, fanout=fanout)
