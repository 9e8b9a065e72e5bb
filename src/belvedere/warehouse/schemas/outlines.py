"""The part of the registry that knows the relations of SchemaSQL views, as of the epoch and transaction it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from belvedere.algebra.types import Column, Schema
from belvedere.changes.names import WEIGHT
from belvedere.errors import InvalidView
from belvedere.languages.sql.catalog import Relation
from belvedere.store.model import Collection
from belvedere.warehouse.graph_views.relations import GraphRelations
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas.clashes import with_clashes
from belvedere.warehouse.schemas.counts import Counts, stage_of
from belvedere.warehouse.schemas.fragments import FRAGMENTS, stage_name
from belvedere.warehouse.schemas.members import full_name, split_name
from belvedere.warehouse.schemas.outline import KIND, Outline, Raw, nothing
from belvedere.warehouse.schemas.reading import fragments_of, relation_node

if TYPE_CHECKING:
    from belvedere.warehouse.core import Core
    from belvedere.warehouse.resolve import Overlay

#: so many names are shown in a message
SHOWN = 20


class Outlines(GraphRelations):
    """Outlines by view. Those that the running transaction has written count before those of the epoch."""

    core: Core
    overlay: Overlay
    _epoch: int
    _kept_outlines: dict[str, Outline]
    #: full names, and the outlines that they were made of
    _full_names: tuple[dict[str, Outline], dict[str, tuple[str, str]]] = ({}, {})
    #: views whose names are taken, and the state of the catalog in which that was found
    _clashes: tuple[tuple[Any, ...], dict[str, Outline]] = ((), {})

    def _load_outlines(self, epoch: int) -> dict[str, Outline]:
        """An outline that is as it was is kept: it may know its relations already."""
        found: dict[str, Outline] = {}
        for view, doc in self.core.store.docs(KIND, epoch).items():
            made = Outline.of(doc, partial(_relations, self.core, view, doc, epoch))
            known = self._kept_outlines.get(view)
            found[view] = known if known is not None and known == made and known.is_known else made
        return found

    def _load(self) -> None:
        raise AssertionError("the registry says")

    def tables(self) -> list[str]:
        raise AssertionError("the registry says")

    def view_names(self) -> list[str]:
        raise AssertionError("the registry says")

    def collection(self, name: str) -> Collection:
        raise AssertionError("the registry says")

    def document(self, name: str) -> dict[str, Any]:
        raise AssertionError("the registry says")

    def downstream(self, name: str) -> list[str]:
        raise AssertionError("the registry says")

    def definition(self, name: str) -> Any:
        raise AssertionError("the registry says")

    def outline(self, view: str) -> Outline | None:
        """How a view in SchemaSQL is read, and whether it can be; None for other views."""
        written = self.written_outline(view)
        return written if written is None else self._clashing().get(view, written)

    def written_outline(self, view: str) -> Outline | None:
        """As its last refresh has left it, whatever else has its relations' names."""
        self._load()
        written: Outline | None = self.overlay.outlines.get(view)
        return self._kept_outlines.get(view) if written is None else written

    def _clashing(self) -> dict[str, Outline]:
        """Views that are invalid because names from their data are taken."""
        overlay = self.overlay
        written = tuple((v, id(o)) for v, o in overlay.outlines.items())
        seen = (self._epoch, tuple(overlay.collections), frozenset(overlay.dropped), written)
        if self._clashes[0] != seen:
            every = {v: o for v in {**self._kept_outlines, **overlay.outlines} if (o := self.written_outline(v)) is not None}
            given = {**dict.fromkeys(self.graph_relations(), "part of a view in Lorel"),
                     **dict.fromkeys(self.view_names(), "view"), **dict.fromkeys(self.tables(), "table")}  # fmt: skip
            self._clashes = (seen, with_clashes(every, given))
        return self._clashes[1]

    def read_as(self, view: str) -> tuple[Any, ...] | None:
        """All that a plan over a SchemaSQL view depends on: its outline, and the columns of its fragments."""
        outline = self.outline(view)
        if outline is None:
            return None
        stored = self.collection(stage_name(view, FRAGMENTS))
        return outline, stored.id, str(stored.schema)

    def schema_relations(self) -> Mapping[str, tuple[str, str]]:
        """Full name → (view, relation), of all relations that SchemaSQL views have. Those of a view that is invalid have their
        names still, so that who reads one is told why it cannot."""
        self._load()
        every = {v: o for v in {**self._kept_outlines, **self.overlay.outlines} if (o := self.outline(v)) is not None}
        if not _same(self._full_names[0], every):
            found: dict[str, tuple[str, str]] = {}
            for view, outline in sorted(every.items(), key=lambda named: named[1].invalid is not None):
                for relation in outline.relation_names():
                    found.setdefault(full_name(outline.database(view), relation), (view, relation))
            self._full_names = (every, found)
        return self._full_names[1]

    def full_relation(self, view: str, relation: str) -> str | None:
        """The full name of a view's relation; None if it is not there, or another view's has that name."""
        outline = self.outline(view)
        if outline is None or outline.invalid is not None or not outline.has_relation(relation):
            return None
        full = full_name(outline.database(view), relation)
        return full if self.schema_relations().get(full) == (view, relation) else None

    def readers(self, view: str) -> set[str]:
        """All views that read a view, directly or through others."""
        found: set[str] = set()
        todo = [view]
        while todo:
            for reader in self.downstream(todo.pop()):
                if reader not in found:
                    found.add(reader)
                    todo.append(reader)
        return found

    def view_relation(self, view: str, relation: str | None) -> Relation:
        """A relation of a view, to be read in a plan; the view itself if it is one relation only."""
        outline = self.outline(view)
        assert outline is not None
        if outline.invalid is not None:
            raise InvalidView(f"view {view!r}, which it reads, is invalid: {outline.invalid}")
        names = outline.relation_names()
        if relation is None and not outline.single:
            some = ", ".join(repr(full_name(outline.database(view), n)) for n in names[:3])
            such = f", such as {some}" if some else "; it has none now"
            raise InvalidView(f"view {view!r} has a relation for each name in its data; read one of them{such}")
        if relation is not None and not outline.has_relation(relation):
            some = f"{', '.join(map(repr, names[:SHOWN]))}{', …' if len(names) > SHOWN else ''}"
            raise InvalidView(f"view {view!r} has no relation {relation!r} now; it has {some or 'none'}")
        if any(n.lower() == WEIGHT for n in outline.columns()):
            message = f"view {view!r} has a column {WEIGHT!r}, a name that queries keep for themselves; use view.relation(…)"
            raise InvalidView(message)
        node = relation_node(fragments_of(self.collection(stage_name(view, FRAGMENTS))), outline, relation)
        schema = Schema(tuple(Column(n, c.type) for n, c in zip(outline.columns(), node.schema, strict=True)))
        return Relation(view if relation is None else full_name(outline.database(view), relation), schema, node)

    def relation_schema(self, view: str, relation: str | None) -> Schema:
        """The columns of a view, or of one relation of it."""
        if self.outline(view) is not None:
            return self.view_relation(view, relation).schema
        if relation is not None:
            return self.graph_relation(view, relation).schema
        d = self.definition(view)
        return Schema(tuple(Column(n, c.type) for n, c in zip(d.columns, d.visible.schema, strict=False)))

    def ranged_views(self, own: str, ranges: dict[str, list[str | None]]) -> set[str]:
        """The views whose relations a text ranges over, if only for their names: those must be up to date first."""
        left_out = {own, *self.readers(own)}
        databases = {d.lower() for d in ranges.get("relations", []) if d is not None}
        outlines = {v: o for v in self.view_names() if v not in left_out and (o := self.outline(v)) is not None}
        return {v for v, o in outlines.items()
                if not o.headless and ("databases" in ranges or o.database(v).lower() in databases)}  # fmt: skip

    def ranged_over(self, own: str, ranges: dict[str, list[str | None]]) -> tuple[Any, ...]:
        """What there is in the databases that a text ranges over: changes when their relations or columns do."""
        databases = {None if d is None else d.lower() for d in ranges.get("relations", [])}
        every: list[tuple[Any, ...]] = []
        for t in self.tables():
            database = split_name(t)[0]
            if "databases" in ranges or (None if database is None else database.lower()) in databases:
                c = self.collection(t)
                every.append((t, c.id, tuple((x.name, x.id, str(x.type)) for x in c.schema)))
        left_out = {own, *self.readers(own)}
        views = [(v, tuple(self.document(v)["columns"])) for v in self.view_names() if v not in left_out]
        others = {v: o for v in self.view_names() if v not in left_out and (o := self.outline(v)) is not None}
        relations = [(v, o.database(v), o.token or o.relation_names(), o.columns(), o.invalid is None) for v, o in others.items()]
        graphs = sorted(full for full, (v, _) in self.graph_relations().items() if v not in left_out)
        return tuple(sorted(every)), tuple(sorted(views)), tuple(sorted(relations)), tuple(graphs)


def _same(a: dict[str, Outline], b: dict[str, Outline]) -> bool:
    return list(a) == list(b) and all(a[v] is b[v] for v in a)


def _relations(core: Core, view: str, doc: Mapping[str, Any], epoch: int) -> Iterable[Raw]:
    """The relations that an outline of an epoch does not list."""
    outline = Outline.of(doc, nothing)
    column = outline.layout.relation
    assert column is not None
    name = stage_name(view, stage_of(column, outline.layout, outline.dictionaries))
    stored = core.store.collection(name, epoch)
    assert stored is not None
    return Counts(core, Resolver(core.store, until=epoch), stored).present(column, outline.dictionaries)
