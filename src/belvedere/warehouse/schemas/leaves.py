"""Leaves that only one side of a transition has.

What went has an old state and no new one, so its delta is minus the old state; what came has a new state and no old one. With
that said in the leaves, the change rules need not know of transitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Values
from belvedere.algebra.types import Column, Schema
from belvedere.engines.scan import Scan
from belvedere.store.model import Collection
from belvedere.store.store import Store
from belvedere.warehouse.inputs import Inputs
from belvedere.warehouse.resolve import Overlay, Resolver, best_order

if TYPE_CHECKING:
    from belvedere.warehouse.core import Core

GONE, CAME = "#gone:", "#came:"


@dataclass
class OneSided:
    """The leaves of a transition: collections by the names they have in the plan, and constant rows."""

    collections: dict[str, Collection] = field(default_factory=dict)
    constants: dict[str, Values] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        return frozenset({*self.collections, *self.constants})

    def moved(self, node: Node, known: Mapping[str, Collection], side: str) -> Node:
        """The node over leaves of one side."""

        def swap(n: Node) -> Node:
            if isinstance(n, Get):
                c = known[n.name]
                name = f"{side}{c.id}"
                self.collections[name] = c
                return replace(n, name=name)
            if isinstance(n, Values):
                name = f"{side}constant {len(self.constants)}"
                self.constants[name] = n
                return Get(name, n.schema, n.schema.names)
            return n

        return node.transform(swap)


class TransitionResolver(Resolver):
    """A resolver that knows the leaves of a transition, too."""

    def __init__(self, core: Core, store: Store, *, until: int, since: int, overlay: Overlay, leaves: OneSided) -> None:
        super().__init__(store, until=until, since=since, overlay=overlay)
        self.core = core
        self.leaves = leaves
        self._tables: dict[str, Scan] = {}

    def __call__(self, get: Get) -> Scan:
        if get.name not in self.leaves.names:
            return super().__call__(get)
        gone = get.name.startswith(GONE)
        if get.version == ("new" if gone else "old"):
            return Scan(schema=self._schema(get.name))
        found = self._constant(get.name) if get.name in self.leaves.constants else self._stored(get, gone)
        return _negative(found) if gone and get.version == "delta" else found

    def _schema(self, name: str) -> Schema:
        c = self.leaves.collections.get(name)
        return self._constant(name).schema if c is None else c.schema

    def _stored(self, get: Get, gone: bool) -> Scan:
        c = self.leaves.collections[get.name]
        order = best_order(c, tuple(c.schema[get.source(n)].id for n in get.by))
        return self._state(c, self.since, order) if gone else self._new(c, order)

    def rows_behind(self, name: str) -> int:
        """Physical rows of a leaf, on the side that has it."""
        if name in self.leaves.constants:
            return self._constant(name).rows
        c = self.leaves.collections[name]
        return (self._state(c, self.since, None) if name.startswith(GONE) else self._new(c, None)).rows

    def _constant(self, name: str) -> Scan:
        if name not in self._tables:
            values = self.leaves.constants[name]
            table, _ = self.core.small().run(values, self, measured=False)
            schema = Schema(tuple(Column(c.name, c.type, i) for i, c in enumerate(values.schema, 1)))
            physical = table.rename_columns([*(f"c{c.id}" for c in schema), "_w"])
            self._tables[name] = Scan(schema=schema, tables=(physical,), rows=table.num_rows)
        return self._tables[name]


def _negative(scan: Scan) -> Scan:
    """The same rows, with the other sign."""
    turned = tuple(t.set_column(t.schema.get_field_index("_w"), "_w", pc.negate(t.column("_w"))) for t in scan.tables)
    return Scan(schema=scan.schema, files=(), negative=scan.files, tables=turned, rows=scan.rows)


def add_leaves(inputs: Inputs, leaves: OneSided, resolver: TransitionResolver) -> None:
    """What is on one side only has changed."""
    for name in sorted(leaves.names):
        inputs.relevant.add(name)
        (inputs.deleting if name.startswith(GONE) else inputs.inserting).add(name)
        inputs.size[name] = resolver.rows_behind(name)
