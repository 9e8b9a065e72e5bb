"""Looking things up in the graph, as a transaction sees it: a few keys, a few rows.

What was asked once is remembered until the transaction writes; each question goes to the tables for the rest only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from belvedere.warehouse.graphs.tables import EDGES, NAMES, OBJECTS, VALUES
from belvedere.warehouse.graphs.values import Atom
from belvedere.warehouse.objects.reading import find

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

Edge = tuple[str, str, str]
"""(source, label, target)"""


class Reader:
    """Lookups by oid, by edge and by name."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx

    def _rows(self, table: str, given: dict[str, list[str]]) -> list[tuple[object, ...]]:
        if not any(given.values()):
            return []
        found = find(self.tx, self.tx.registry.collection(table), given)
        return list(zip(*(c.to_pylist() for c in found.columns), strict=True))

    def depths(self, oids: Iterable[str]) -> dict[str, int]:
        """Of living objects, as `oem.objects` has them."""
        return {str(o): int(str(d)) for o, d in self._rows(OBJECTS, {"oid": list(oids)})}

    def values(self, oids: Iterable[str]) -> dict[str, Atom]:
        """Of atomic objects."""
        return {str(r[0]): r[1:] for r in self._rows(VALUES, {"oid": list(oids)})}  # type: ignore[misc]

    def names(self, names: Iterable[str]) -> dict[str, str]:
        """What the names denote."""
        return {str(n): str(o) for n, o in self._rows(NAMES, {"name": list(names)})}

    def named(self, oids: Iterable[str]) -> set[str]:
        """Those that have a name."""
        return {str(o) for _, o in self._rows(NAMES, {"oid": list(oids)})}

    def existing(self, edges: Iterable[Edge]) -> set[Edge]:
        """Those that are there."""
        columns: list[tuple[str, ...]] = list(zip(*edges, strict=True)) or [(), (), ()]
        given = dict(zip(("source", "label", "target"), map(list, columns), strict=True))
        return set(self._rows(EDGES, given))  # type: ignore[arg-type]

    def out_of(self, oids: Iterable[str]) -> list[Edge]:
        """The edges that leave these objects."""
        return self._rows(EDGES, {"source": list(oids)})  # type: ignore[return-value]

    def into(self, oids: Iterable[str]) -> list[Edge]:
        """The edges that lead to these objects."""
        return self._rows(EDGES, {"target": list(oids)})  # type: ignore[return-value]
