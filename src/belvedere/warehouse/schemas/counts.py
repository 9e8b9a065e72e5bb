"""Which names a SchemaSQL view has: a stage holds every combination of names and ids that its fragments have, and the weight of a
row is the number of its fragments. It is linear, so its delta is that of the fragments with fewer columns: nothing is looked up.

A name is there as long as a row of it is, beside ids that still have names. What came and what went is the set of the names after
the change minus the set before it, asked for the names that the change can have touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Consolidate, Get, Negate, UnionAll
from belvedere.algebra.scalar import col
from belvedere.engines.scan import Scan
from belvedere.languages.schemasql.bound import Layout
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.store.model import Collection
from belvedere.warehouse.resolve import Resolver, fitted
from belvedere.warehouse.schemas.outline import Dictionaries, Raw
from belvedere.warehouse.schemas.reading import living

if TYPE_CHECKING:
    from belvedere.warehouse.core import Core

NAMES, PIVOTS, RELATIONS = "names", "pivots", "relations"
#: a stage of up to so many rows is summed up here, which is quicker than to ask an engine
FEW = 1_024
#: names are looked up if the delta is such a part of the stage; else all of it is read
PART = 0.1


def count_stages(layout: Layout, dictionaries: Dictionaries) -> dict[str, tuple[str, ...]]:
    """The columns of each stage, by its name. All columns of ids are in each, so that names can be told without an id that went.
    Where the relations' or the columns' names are ids, one stage for both has no more rows than one of the two."""
    ids = sorted(dictionaries)
    both = layout.relation is not None and layout.pivot is not None
    if both and (layout.relation in dictionaries or layout.pivot in dictionaries):
        wanted: dict[str, tuple[str | None, ...]] = {NAMES: (layout.relation, layout.pivot)}
    else:
        wanted = {RELATIONS: (layout.relation,), PIVOTS: (layout.pivot,)}
    return {
        part: tuple(dict.fromkeys((*(n for n in names if n is not None), *ids)))
        for part, names in wanted.items()
        if any(n is not None for n in names)
    }


def stage_of(column: str, layout: Layout, dictionaries: Dictionaries) -> str:
    """The stage that tells the names in a column."""
    return next(p for p, columns in count_stages(layout, dictionaries).items() if p == NAMES or columns[0] == column)


@dataclass
class Counts:
    """One stage of names, seen through a resolver whose old state is that before the change. `read` counts the rows it took."""

    core: Core
    resolver: Resolver
    stored: Collection
    read: int = field(default=0)

    @property
    def leaf(self) -> Get:
        return Get(self.stored.name, self.stored.schema, self.stored.schema.names)

    @cached_property
    def _scan(self) -> Scan:
        return self.resolver(self.leaf)

    @property
    def few(self) -> bool:
        return self._scan.rows <= FEW

    def present(self, column: str, dictionaries: Dictionaries) -> set[Raw]:
        """All values that a column has now, beside ids that have names."""
        if self.few:
            return set(self._summed(column, dictionaries))
        return {value for value, _ in self._asked(self._distinct(self.leaf, column, dictionaries), column)}

    def concerned(self, column: str, before: Dictionaries, after: Dictionaries) -> bool:
        """Whether values of a column can have come or gone."""
        lost = any(lost_ids(before, after, n) for n in self._beside(column, after))
        return lost or self.resolver.overlay.touched(self.stored.name)

    def moved(self, column: str, before: Dictionaries, after: Dictionaries) -> tuple[set[Raw], set[Raw]]:
        """The values that came, and those that went."""
        leaf, name = self.leaf, self.stored.name
        old, new = leaf.at("old"), leaf
        rows = self.resolver.overlay.rows(name)
        lost = any(lost_ids(before, after, n) for n in self._beside(column, after))
        sides: list[Node] = [new, old]
        if not lost and name not in self.resolver.overlay.replaced and rows < PART * self._scan.rows:
            change = Change.of(leaf, frozenset({name}))
            value = col(leaf.schema[column])
            keys, names = keys_of(leaf.at("delta"), [value], change)
            sides = [restrict(side, keys, [(value, names[0])], change) for side in (new, old)]
        after_them, before_them = (self._distinct(s, column, d) for s, d in zip(sides, (after, before), strict=True))
        found = list(self._asked(Consolidate(UnionAll((after_them, Negate(before_them)))), column))
        return {v for v, w in found if w > 0}, {v for v, w in found if w < 0}

    def _beside(self, column: str, dictionaries: Dictionaries) -> list[str]:
        return [n for n in self.stored.schema.names if n != column and n in dictionaries]

    def _distinct(self, node: Node, column: str, dictionaries: Dictionaries) -> Node:
        node = living(node, dictionaries, self._beside(column, dictionaries))
        return Aggregate(node, ((column, col(node.schema[column])),), ())

    def _asked(self, node: Node, column: str) -> Iterator[tuple[Raw, int]]:
        table, metrics = self.core.small().run(node, self.resolver)
        self.read += metrics.rows_read
        yield from zip(table.column(column).to_pylist(), table.column("_w").to_pylist(), strict=True)

    def _summed(self, column: str, dictionaries: Dictionaries) -> Iterator[Raw]:
        at = self.stored.schema.names.index(column)
        live = [(self.stored.schema.names.index(n), {i for i, _ in dictionaries[n]}) for n in self._beside(column, dictionaries)]
        for row, weight in self._sums.items():
            if weight and all(row[i] in known for i, known in live):
                yield row[at]

    @cached_property
    def _sums(self) -> dict[tuple[Raw, ...], int]:
        """The rows of a small stage, with the sums of their weights."""
        scan, found = self._scan, defaultdict[tuple[Raw, ...], int](int)
        for table in (*(fitted(self.core.small_runs.read(f), self.stored) for f in scan.files), *scan.tables):
            self.read += table.num_rows
            columns = [table.column(f"c{c.id}").to_pylist() for c in self.stored.schema]
            for row, weight in zip(zip(*columns, strict=True), table.column("_w").to_pylist(), strict=True):
                found[row] += weight
        return found


def lost_ids(before: Dictionaries, after: Dictionaries, column: str) -> bool:
    """Whether ids of a column have lost their names."""
    now = dict(after[column])
    return any(i not in now for i, _ in before.get(column, ()))
