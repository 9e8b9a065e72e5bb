"""The changes of a transaction to the graph: noted when asked for, checked and written together.

Changes are judged in the order in which they were asked for, but all that they need to know of the graph is read at once, with
one lookup for each kind of thing. Which objects live is decided once, at the end of the transaction: until then an object that
nothing leads to can still be linked, and one that lost its last edge can be linked again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.warehouse.graphs.ledger import Ledger
from belvedere.warehouse.graphs.living import GraphChange, settle
from belvedere.warehouse.graphs.oids import Fresh
from belvedere.warehouse.graphs.reading import Edge, Reader
from belvedere.warehouse.graphs.sweep import Counted, TooMany, sweep
from belvedere.warehouse.graphs.tables import EDGES, NAMES, OBJECTS, VALUES, ensure, zset
from belvedere.warehouse.graphs.values import Atom

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Asked:
    """One change as it was asked for. `edge` is (source, label, target) or, for others, what they are about."""

    kind: str
    edge: Edge
    atom: Atom | None = None

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(repr(x) for x in self.edge if x)})"


class GraphSession:
    """One for each transaction that touches the graph."""

    def __init__(self, tx: Transaction) -> None:
        ensure(tx)
        self.tx = tx
        self.reader = Reader(tx)
        self._oids = Fresh(tx.commit)
        self._fresh: set[str] = set()
        self._log: list[Asked] = []
        self._failed: BelvedereError | None = None
        self.depths: Ledger[str, int] = Ledger(self.reader.depths)
        self.atoms: Ledger[str, Atom] = Ledger(self.reader.values)
        self.edges: Ledger[Edge, bool] = Ledger(lambda edges: dict.fromkeys(self.reader.existing(edges), True))
        self.names: Ledger[str, str] = Ledger(self.reader.names)

    # asking

    def make(self, atom: Atom | None, oid: str | None = None) -> str:
        """A new object; it lives if something leads to it at the end. An oid that is given must be free."""
        oid = oid or self._oids.take()
        self._fresh.add(oid)
        self.depths.absent(oid)
        self.atoms.absent(oid)
        if atom is not None:
            self.atoms.put(oid, atom)
        return oid

    def ask(self, kind: str, *about: str, atom: Atom | None = None) -> None:
        first, second, third = (*about, "", "")[:3]
        self._log.append(Asked(kind, (first, second, third), atom))

    # writing

    def flush(self) -> None:
        """Check what was asked for since the last time, and write it where every reader of the transaction looks."""
        if self._failed is not None:
            raise self._failed
        log, self._log = self._log, []
        try:
            self._read(log)
            for asked in log:
                self._judge(asked)
        except BelvedereError as e:
            self._failed = e  # what came after it was not looked at, so this transaction cannot be published
            raise
        self._oids.keep()
        self._write()

    def settle(self) -> None:
        """The end: what no name reaches goes, with its edges and its value."""
        self.flush()
        change = self._change()
        if not change:
            return
        try:
            found = settle(_AfterChange(self, change), change)
        except TooMany:
            sweep(self.tx)
            return
        self._apply(OBJECTS, found.gone, found.came)
        if found.garbage:
            self._apply(EDGES, self.reader.out_of(found.garbage), [])
            self._apply(VALUES, [(o, *a) for o, a in self.reader.values(found.garbage).items()], [])

    def _read(self, log: list[Asked]) -> None:
        edges = [a.edge for a in log if a.kind in ("add_edge", "remove_edge")]
        about = [o for s, _, t in edges for o in (s, t)]
        about += [a.edge[0] for a in log if a.kind == "set_value"] + [a.edge[1] for a in log if a.kind == "set_name"]
        self.depths.know(about)
        self.atoms.know([a.edge[0] for a in log if a.kind in ("add_edge", "set_value")])
        for s, label, t in edges:
            if (s in self._fresh or t in self._fresh) and not self.edges.knows((s, label, t)):
                self.edges.absent((s, label, t))
        self.edges.know(edges)
        self.names.know([a.edge[0] for a in log if a.kind in ("set_name", "remove_name")])

    def _judge(self, a: Asked) -> None:
        first, second, target = a.edge
        match a.kind:
            case "add_edge":
                self._alive(a, first)
                self._alive(a, target)
                if self.atoms[first] is not None:
                    raise BelvedereError(f"{a}: {first} is atomic, it has a value; only a complex object can have edges")
                self.edges.put(a.edge, True)
            case "remove_edge":
                if not self.edges[a.edge]:
                    raise UnknownName(f"{a}: there is no such edge{self._near(a.edge)}")
                self.edges.put(a.edge, None)
            case "set_value":
                self._alive(a, first)
                if self.atoms[first] is None:
                    raise BelvedereError(f"{a}: {first} is a complex object, which has edges and no value")
                self.atoms.put(first, a.atom)
            case "set_name":
                self._alive(a, second)
                self.names.put(first, second)
            case "remove_name":
                if self.names[first] is None:
                    raise UnknownName(f"there is no name {first!r} to remove{suggest(first, self.tx.graph_names())}")
                self.names.put(first, None)

    def _alive(self, a: Asked, oid: str) -> None:
        if oid not in self._fresh and self.depths[oid] is None:
            raise UnknownName(f"{a}: there is no object {oid}; it was never made, or no name reached it any more")

    def _near(self, edge: Edge) -> str:
        """What is there instead, for the message."""
        labels = sorted({label for s, label, t in self.reader.out_of([edge[0]]) if t == edge[2]})
        return f"; the label between them is {', '.join(map(repr, labels))}" if labels else ""

    def _write(self) -> None:
        values = self.atoms.take()
        kept = all(old is not None and new is not None for _, old, new in values)
        gone, came = [(o, *a) for o, a, _ in values if a is not None], [(o, *a) for o, _, a in values if a is not None]
        self._apply(VALUES, gone, came, sets=("type", "integer", "number", "text") if kept else None)
        edges = self.edges.take()
        self._apply(EDGES, [e for e, old, _ in edges if old], [e for e, _, new in edges if new])
        names = self.names.take()
        self._apply(NAMES, [(n, o) for n, o, _ in names if o is not None], [(n, o) for n, _, o in names if o is not None])

    def _apply(self, table: str, gone: Iterable[Any], came: Iterable[Any], sets: tuple[str, ...] | None = None) -> None:
        c = self.tx.registry.collection(table)
        ids = None if sets is None else {c.schema[n].id for n in sets}
        self.tx.write(c, zset(c, gone, -1), zset(c, came), sets=ids)

    # the end

    def _change(self) -> GraphChange:
        edges, names = self.edges.net(), self.names.net()
        return GraphChange(
            edges_in=[e for e, _, new in edges if new],
            edges_out=[e for e, old, _ in edges if old],
            named={o for _, _, o in names if o is not None},
            unnamed={o for _, o, _ in names if o is not None},
            fresh=set(self._fresh),
        )


class _AfterChange:
    """The graph as the settlement looks at it: objects made in the transaction have no edges but those noted in it."""

    def __init__(self, session: GraphSession, change: GraphChange) -> None:
        self._session = session
        self._stored = Counted(session.tx, session.reader)
        self._fresh = change.fresh
        self._out: dict[str, list[Edge]] = {o: [] for o in change.fresh}
        self._in: dict[str, list[Edge]] = {o: [] for o in change.fresh}
        for e in change.edges_in:
            if e[0] in self._fresh:
                self._out[e[0]].append(e)
            if e[2] in self._fresh:
                self._in[e[2]].append(e)

    def depths(self, oids: Iterable[str]) -> dict[str, int]:
        asked = list(oids)
        ledger = self._session.depths
        ledger.know(asked)
        return {o: d for o in asked if (d := ledger[o]) is not None}

    def named(self, oids: Iterable[str]) -> set[str]:
        return self._session.reader.named(oids)

    def out_of(self, oids: Iterable[str]) -> list[Edge]:
        asked = list(oids)
        noted = [e for o in asked for e in self._out.get(o, ())]
        return noted + self._stored.out_of([o for o in asked if o not in self._fresh])

    def into(self, oids: Iterable[str]) -> list[Edge]:
        asked = list(oids)
        noted = [e for o in asked for e in self._in.get(o, ())]
        return noted + self._stored.into([o for o in asked if o not in self._fresh])
