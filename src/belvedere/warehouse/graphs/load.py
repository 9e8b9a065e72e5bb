"""Loading a graph: what is given → rows of the four tables, in one transaction.

Rows go straight into the tables, past the session that looks after single changes: every object that is written lives, since
the named one leads to it, and its depth is known from where it is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.changes.zset import weighted
from belvedere.errors import BelvedereError, UnknownName
from belvedere.warehouse.graphs.bulk import Numbers, batches, read
from belvedere.warehouse.graphs.oids import Fresh, is_ours
from belvedere.warehouse.graphs.reading import Reader
from belvedere.warehouse.graphs.sources import Element, Line, Progress, source_of
from belvedere.warehouse.graphs.tables import EDGES, NAMES, OBJECTS, VALUES, ensure, zset
from belvedere.warehouse.graphs.updates import checked_name
from belvedere.warehouse.graphs.walk import Columns, Walk

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

#: elements between two reports of progress
_STRIDE = 500


@dataclass(frozen=True)
class Loaded:
    """What a load brought: the named object, and how many objects (atomic ones among them), edges and atomic values."""

    name: str
    oid: str
    objects: int
    edges: int
    values: int


def load_graph(tx: Transaction, name: str, data: Any, *, label: str | None, replace: bool, progress: Progress | None) -> Loaded:
    """Load under a name, which must be free unless what it denotes is to be replaced."""
    checked_name(name)
    ensure(tx)
    if Reader(tx).names([name]):
        if not replace:
            raise BelvedereError(
                f"there is a name {name!r} already; load with replace=True to put the new data in its place, "
                "use another name, or add to it with tx.add_edge or a Lorel update"
            )
        tx.remove_name(name)
        tx.restart_graph()
    return _Load(tx, name, progress).run(data, label or name)


class _Load:
    def __init__(self, tx: Transaction, name: str, progress: Progress | None) -> None:
        self.tx = tx
        self.name = name
        self.progress = progress
        self.reader = Reader(tx)
        self.oids = Fresh(tx.commit)
        self.walk = Walk(self.oids.take, self._full)
        self.checked: set[str] = set()
        self.objects = self.edges = self.values = 0
        self.count = 0
        self.done: float | None = None

    def run(self, data: Any, label: str) -> Loaded:
        source = source_of(data)
        walk = self.walk
        if source.many:
            root: str | None = self.oids.take()
            walk.columns.objects.append(str(root))
            walk.columns.depths.append(0)
            for batch in batches(source.elements):
                if isinstance(batch, Element) or not self._at_once(str(root), label, batch):
                    self._one_by_one(str(root), label, batch)
        else:
            root = next(walk.root(element) for element in source.elements if isinstance(element, Element))
        targets = self._referred()
        self._refer(targets)
        self._full()
        self.oids.keep()
        if root is None:
            [root] = targets.values()
            self.tx.set_name(self.name, root)
        else:
            self._write(NAMES, zset(self.tx.registry.collection(NAMES), [(self.name, root)]))
        return Loaded(self.name, root, self.objects, self.edges, self.values)

    def _one_by_one(self, root: str, label: str, batch: Element | list[Line]) -> None:
        for element in [batch] if isinstance(batch, Element) else batch:
            tree = element if isinstance(element, Element) else element.read()
            self.walk.part(root, label, tree)
            self.done = element.done
            self.count += 1
            if self.count % _STRIDE == 0:
                self._report()

    def _at_once(self, root: str, label: str, lines: list[Line]) -> bool:
        """Read lines by columns, if they are plain."""
        part = read(self.tx.core.duckdb, lines, label)
        if part is None:
            return False
        first = self.oids.take_many(len(part.target))
        target = _oids(part.target + first)
        sources = pc.if_else(pa.array(part.source >= 0), _oids(part.source + first), pa.scalar(root, pa.string()))
        self._rows(EDGES, sources, part.label, target)
        self._rows(OBJECTS, target, pa.array(part.depth))
        atomic, *columns = part.atoms
        self._rows(VALUES, _oids(atomic + first), *columns)
        self.edges += len(part.target)
        self.objects += len(part.target)
        self.values += len(atomic)
        self.done = lines[-1].done
        self._report()
        return True

    # references

    def _referred(self) -> dict[str, str]:
        """Oid as written → the object that it stands for, in the data or in the warehouse."""
        walk = self.walk
        found = {w: walk.given[w] for w in walk.referred if w in walk.given}
        elsewhere = [w for w in walk.referred if w not in found]
        living = self.reader.depths([w for w in elsewhere if not is_ours(w)])
        for written in elsewhere:
            if written not in living:
                label, place = walk.referred[written]
                edge = f"the edge {label!r} refers to {written}" if label else f"this is a reference to {written}"
                why = "there is no such object in the data" + (
                    "; an oid of the form &_<number> is known in the data it stands in only" if is_ours(written)
                    else " or in the warehouse"
                )  # fmt: skip
                raise UnknownName(f"{place.head()}{edge}, but {why}")
            found[written] = written
        return found

    def _refer(self, targets: dict[str, str]) -> None:
        """References become edges; one that is there already is one edge."""
        walk = self.walk
        for source, label, written in walk.references:
            edge = (source, label, targets[written])
            if edge not in walk.held:
                walk.held.add(edge)
                walk.columns.sources.append(source)
                walk.columns.labels.append(label)
                walk.columns.targets.append(edge[2])

    # writing

    def _full(self) -> None:
        """Write what was found so far."""
        self._check_given()
        columns, self.walk.columns = self.walk.columns, Columns()
        self.edges += len(columns.targets)
        self.objects += len(columns.objects)
        self.values += len(columns.atomic)
        self._rows(EDGES, columns.sources, columns.labels, columns.targets)
        self._rows(OBJECTS, columns.objects, columns.depths)
        if columns.atoms:
            self._rows(VALUES, columns.atomic, *zip(*columns.atoms, strict=True))
        self._report()

    def _check_given(self) -> None:
        """Objects with written oids must not be there, before their rows are."""
        new = {o for w, o in self.walk.given.items() if not is_ours(w)} - self.checked
        taken = sorted(self.reader.depths(new))
        if taken:
            raise BelvedereError(
                f"{self.walk.places[taken[0]].head()}there is an object {taken[0]} already"
                + (f" (and {len(taken) - 1:,} more that are written here)" if len(taken) > 1 else "")
                + "; refer to it, or give the new one another oid"
            )
        self.checked |= new

    def _rows(self, table: str, *columns: Any) -> None:
        c = self.tx.registry.collection(table)
        arrays = [v if isinstance(v, pa.Array) else pa.array(v, f.type) for v, f in zip(columns, c.physical, strict=False)]
        self._write(table, weighted(pa.Table.from_arrays(arrays, names=list(c.schema.names))))

    def _write(self, table: str, rows: pa.Table) -> None:
        self.tx.write(self.tx.registry.collection(table), rows)

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(self.edges + len(self.walk.columns.targets), self.done)


def _oids(numbers: Numbers) -> pa.Array:
    return pc.binary_join_element_wise("&_", pa.array(numbers).cast(pa.string()), "")
