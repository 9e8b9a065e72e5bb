"""Definitions of views: kept as text with what its names mean, bound and compiled when needed, cached until that changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from belvedere.algebra.ops import Consolidate, Get
from belvedere.algebra.types import Column
from belvedere.errors import BelvedereError, InvalidView, UnknownName, Unsupported, suggest
from belvedere.languages import Bound, Parameter, bind, result_type
from belvedere.languages.schemasql.bound import SchemaBound
from belvedere.maintenance.relevance import interests
from belvedere.maintenance.stages import compile_view
from belvedere.objects.model import ObjectModel
from belvedere.store.model import Collection
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition, DefinitionCache, Settled
from belvedere.warehouse.graphs.tables import NAMES
from belvedere.warehouse.names import CurrentNames, WrittenNames
from belvedere.warehouse.objects.cache import ModelCache
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.schemas.branches import digest
from belvedere.warehouse.schemas.fragments import Schematic
from belvedere.warehouse.schemas.fragments import plan as fragment_plan
from belvedere.warehouse.schemas.outlines import Outlines
from belvedere.warehouse.sources.joins import cut_remotes


class Registry(Outlines):
    """All tables and views by name, seen through what a running transaction has changed."""

    def __init__(self, core: Core, overlay: Overlay | None = None, at: int | None = None) -> None:
        self.core = core
        self.overlay = overlay or Overlay()
        self._at = at
        self._cache = DefinitionCache()
        self._binding: list[str] = []
        self._epoch = -1
        self._collections: dict[str, Collection] = {}
        self._docs: dict[str, dict[str, Any]] = {}
        #: the views that views read, as these documents tell
        self._told: dict[str, list[str]] = {}
        self._told_of: dict[str, dict[str, Any]] | None = None
        self._kept_outlines: dict[str, Any] = {}
        self._model = ModelCache(core.store)

    def over(self, overlay: Overlay, at: int) -> Registry:
        """The same registry as a transaction sees it: one epoch, and the transaction's own changes on top. Compiled
        definitions are shared, because each is kept with the signature of all that it was compiled from."""
        seen = Registry(self.core, overlay, at)
        seen._cache = self._cache
        if self._epoch == at:
            seen._epoch, seen._collections, seen._docs = at, self._collections, self._docs
            seen._kept_outlines, seen._full_names, seen._clashes = self._kept_outlines, self._full_names, self._clashes
        seen._model = self._model.copy()
        return seen

    def _load(self) -> None:
        epoch = self.core.store.epoch if self._at is None else self._at
        if epoch != self._epoch:
            self._collections = {c.name: c for c in self.core.store.collections(epoch)}
            self._docs = self.core.store.shared_docs("view", epoch)
            self._kept_outlines = self._load_outlines(epoch)
            self._epoch = epoch

    def settled(self, name: str) -> Settled | None:
        """What stands while nothing is declared anew; None if the view depends on more than tables and functions."""
        doc = self.document(name)
        if self.overlay.collections or self.overlay.dropped or doc["language"] != "sql" or doc.get("ranges"):
            return None
        if any("view" in use for use in doc["uses"].values()):
            return None
        return self._cache.settled(self._collections, self._docs, tuple(self.core.udfs.values()))

    def all_collections(self) -> dict[str, Collection]:
        self._load()
        if not self.overlay.collections and not self.overlay.dropped:
            return self._collections
        kept = {n: c for n, c in self._collections.items() if n not in self.overlay.dropped}
        return kept | self.overlay.collections

    def objects(self) -> ObjectModel:
        """The classes, as they are here."""
        return self._model.at(self.core.store.epoch if self._at is None else self._at)

    def set_objects(self, model: ObjectModel) -> None:
        """Classes that a transaction has declared."""
        self._model.declared(model)

    def entry_points(self) -> list[str]:
        """The names that graphs can be entered by."""
        if NAMES not in self.all_collections():
            return []
        at = self.core.store.epoch if self._at is None else self._at
        c = self.collection(NAMES)
        resolver = Resolver(self.core.store, until=at, overlay=self.overlay)
        rows, _ = self.core.small().run(Consolidate(Get(c.name, c.schema, c.schema.names)), resolver, measured=False)
        return sorted(rows.column("name").to_pylist())

    def tables(self) -> list[str]:
        return [n for n, c in self.all_collections().items() if c.kind == "table"]

    def view_names(self) -> list[str]:
        self._load()
        return list(self._docs)

    def collection(self, name: str) -> Collection:
        return self.all_collections()[name]

    def table(self, name: str) -> Collection:
        """A table by the name a user gives; case counts only where it must."""
        known = self.tables()
        if name in known:
            return self.collection(name)
        for n in known:
            if n.lower() == name.lower():
                return self.collection(n)
        if name in self.view_names():
            raise UnknownName(f"{name!r} is a view; change the tables that it reads instead")
        raise UnknownName(f"there is no table {name!r}{suggest(name, known)}")

    def table_by_id(self, number: int) -> Collection | None:
        return next((c for c in self.all_collections().values() if c.id == number and c.kind == "table"), None)

    def view_name(self, name: str, known: list[str] | None = None) -> str:
        """A view by the name a user gives, of those that are `known` if they were asked for before."""
        known = self.view_names() if known is None else known
        if name in known:
            return name
        for n in known:
            if n.lower() == name.lower():
                return n
        raise UnknownName(f"there is no view {name!r}{suggest(name, known)}")

    def taken(self, name: str) -> str | None:
        """'table', 'view' or 'relation of a view' if the name is in use, without regard to case."""
        low = name.lower()
        if any(n.lower() == low for n in self.tables()):
            return "table"
        if any(n.lower() == low for n in self.view_names()):
            return "view"
        relations = [*self.schema_relations(), *self.graph_relations()]
        return "relation of a view" if any(n.lower() == low for n in relations) else None

    def refuse_unmirrored(self, database: str | None) -> None:
        """A database that is attached, and whose tables are not kept here, is not one without tables."""
        sources = self.core.store.docs("source", self._at) if database is not None else {}
        found = next((n for n, doc in sources.items() if database and n.lower() == database.lower() and not doc["mirror"]), None)
        if found is not None:
            raise UnknownName(
                f"the tables of the source {found!r} are not kept here, so they cannot be read but by views in SQL, and none is "
                "called like that: detach it, and attach it with mirror=True"
            )

    def document(self, name: str) -> dict[str, Any]:
        self._load()
        return self._docs[name]

    def define(self, name: str, text: str, language: str, mode: str, parameters: dict[str, Parameter]) -> Definition:
        """Bind a new definition with the names as they are now."""
        names = CurrentNames(self, name)
        return self._build(name, text, language, mode, names, parameters)

    def definition(self, name: str) -> Definition:
        """The definition of a stored view; InvalidView with the reason if it no longer fits what it reads."""
        settled = self.settled(name)
        if settled is not None and name in settled.definitions:
            return settled.definitions[name]
        made = self._definition(name)
        # another process may have published meanwhile; and a name may be that of a view by now
        if settled is not None and settled is self.settled(name) and not made.views:
            settled.definitions[name] = made
        return made

    def _definition(self, name: str) -> Definition:
        doc = self.document(name)
        signature = self._signature(name)
        cached = self._cache.find(name, signature)
        if cached is not None:
            return cached
        if name in self._binding:
            raise InvalidView(f"view {name!r} reads itself: {' → '.join([*self._binding, name])}")
        self._binding.append(name)
        try:
            given = {n: Parameter.read(p) for n, p in doc.get("parameters", {}).items()}
            built = self._build(name, doc["text"], doc["language"], doc["mode"], WrittenNames(self, doc, name), given)
        except InvalidView:
            raise
        except BelvedereError as e:
            raise InvalidView(f"view {name!r} no longer fits what it reads: {e}") from e
        finally:
            self._binding.pop()
        self._cache.keep(name, signature, built)
        return built

    def remember(self, d: Definition) -> None:
        """A definition that was just published need not be compiled again."""
        self._load()
        if d.name in self._docs and self._docs[d.name]["text"] == d.text:
            self._cache.keep(d.name, self._signature(d.name), d)

    def _signature(self, name: str) -> Any:
        """Changes when the text, or the shape of anything that it reads, changes."""
        doc = self.document(name)
        parts: list[Any] = [doc["text"], doc["mode"], sorted(doc.get("parameters", {}).items())]
        for f in sorted(doc.get("functions", {})):
            udf = self.core.udf(f)
            parts.append(udf and (f, udf.fingerprint, udf.arguments, udf.result, udf.deterministic, udf.null_in_null_out))
        for relation, use in sorted(doc["uses"].items()):
            if "view" in use:
                parts.append((relation, self._signature(use["view"]) if use["view"] in self.view_names() else None))
                parts.append(self.read_as(use["view"]))
            else:
                c = self.table_by_id(use["id"])
                shape = None if c is None else (c.id, c.name, tuple((x.name, x.id, str(x.type)) for x in c.schema))
                parts.append((relation, shape, tuple(sorted(use["columns"].items()))))
                if c is None:
                    # another may have its name
                    others = (x for x in self.all_collections().values() if x.kind == "table")
                    parts.append(sorted((x.name, x.id, str(x.schema), tuple(y.id for y in x.schema)) for x in others))
        if doc.get("ranges"):
            parts.append(self.ranged_over(name, doc["ranges"]))
        if doc["language"] == "oql":
            self.objects()
            parts.append(self._model.fingerprint)
        return tuple(map(repr, parts))

    def _build(
        self, name: str, text: str, language: str, mode: str, names: CurrentNames, parameters: dict[str, Parameter]
    ) -> Definition:
        bound = bind(text, names, language, view=True, parameters=parameters)
        for f in names.functions.values():
            if not f.deterministic:
                raise Unsupported(
                    f"function {f.name}() is registered with deterministic=False: it may give another value each time, so a view "
                    "of it has no right content; store its value in a column when the row is written, or register it with "
                    "deterministic=True if equal arguments always give equal values"
                )
        if isinstance(bound, SchemaBound):
            return self._schematic(name, text, mode, names, parameters, bound)
        if language == "lorel":
            return self._graphic(name, text, mode, names, parameters, bound)
        # in OQL an order is part of the value, so what it needs is kept; in SQL a view is a bag
        node = bound.ordered or bound.node if language == "oql" else bound.node
        order = bound.order if node is (bound.ordered or bound.node) else ()
        node, remotes = cut_remotes(name, node, self.all_collections())
        plan = compile_view(name, node, self._keyed() if language == "oql" else None)
        return Definition(
            name=name, text=text, language=language, mode=mode, node=node, columns=tuple(bound.columns),
            order=order, plan=plan, remotes=remotes,
            interests=interests(s.definition for s in plan.stages),
            uses=names.used, views=frozenset(u["view"] for u in names.used.values() if "view" in u),
            parameters=parameters, functions={n: f.fingerprint for n, f in sorted(names.functions.items())},
            result=result_type(bound, language),
        )  # fmt: skip

    def _schematic(
        self, name: str, text: str, mode: str, names: CurrentNames, parameters: dict[str, Parameter], bound: SchemaBound
    ) -> Definition:
        plan = fragment_plan(name, bound.node, bound.layout, bound.dictionaries)
        return Definition(
            name=name, text=text, language="schemasql", mode=mode, node=bound.node, columns=tuple(plan.tail.schema.names),
            order=(), plan=plan, interests=interests(s.definition for s in plan.stages), uses=names.remembered(),
            views=frozenset(u["view"] for u in names.used.values() if "view" in u), parameters=parameters,
            functions={n: f.fingerprint for n, f in sorted(names.functions.items())}, result=None, ranges=names.ranges,
            schema=Schematic(name, bound, digest(bound.sources, self.all_collections())), exact=frozenset(names.exact),
        )  # fmt: skip

    def _graphic(
        self, name: str, text: str, mode: str, names: CurrentNames, parameters: dict[str, Parameter], bound: Bound
    ) -> Definition:
        from belvedere.warehouse.graph_views.plan import graph_plan

        plan, graphic = graph_plan(name, bound)
        return Definition(
            name=name, text=text, language="lorel", mode=mode, node=bound.node, columns=tuple(bound.columns), order=(), plan=plan,
            interests=interests(s.definition for s in plan.stages), uses=names.used,
            views=frozenset(u["view"] for u in names.used.values() if "view" in u), parameters=parameters,
            functions={n: f.fingerprint for n, f in sorted(names.functions.items())}, result=None, graph=graphic,
        )  # fmt: skip

    def _keyed(self) -> dict[str, tuple[Column, ...]]:
        """Tables with a key: what can tell which row stands behind a row of a view."""
        every = self.all_collections().values()
        return {c.name: tuple(x for x in c.schema if x.id in c.key) for c in every if c.kind == "table" and c.key}

    def upstream(self, name: str) -> Iterator[str]:
        """The views that a view reads, themselves included last, each after what it reads."""
        done: set[str] = set()

        def visit(n: str) -> Iterator[str]:
            if n in done:
                return
            done.add(n)
            for view in self._views_read(n):
                yield from visit(view)
            yield n

        yield from visit(name)

    def _views_read(self, name: str) -> list[str]:
        """The views that a view reads. One that ranges over names may read others by now than when it was computed."""
        doc = self.document(name)
        if self._told_of is not self._docs:
            self._told, self._told_of = {}, self._docs
        if name in self._told:
            return self._told[name]
        found = {u["view"] for u in doc["uses"].values() if "view" in u}
        if not doc.get("ranges"):
            known = self._told[name] = sorted(found.intersection(self.view_names()))
            return known
        found |= self.ranged_views(name, doc["ranges"])
        with suppress(InvalidView):
            found |= self.definition(name).views
        return sorted(found.intersection(self.view_names()))

    def downstream(self, name: str) -> list[str]:
        return [v for v in self.view_names() if any(u.get("view") == name for u in self.document(v)["uses"].values())]

    def in_order(self, names: list[str] | None = None, *, immediate_readers: bool = False) -> list[str]:
        """Views with all that they read, each after what it reads; if asked, with the immediate views that read them."""
        wanted = list(self.view_names() if names is None else names)
        at_once = [v for v in self.view_names() if self.document(v)["mode"] == "immediate"] if immediate_readers else []
        if at_once:
            for n in wanted:  # grows while it is walked
                wanted += [r for r in self.downstream(n) if r in at_once and r not in wanted]
        out: dict[str, None] = {}
        for n in wanted:
            for v in self.upstream(n):
                out.setdefault(v)
        return list(out)
