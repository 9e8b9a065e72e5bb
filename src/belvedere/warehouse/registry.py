"""Definitions of views: kept as text with what its names mean, bound and compiled when needed, cached until that changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, keep
from belvedere.algebra.types import Column
from belvedere.errors import BelvedereError, InvalidView, UnknownName, Unsupported, suggest
from belvedere.languages import Parameter, bind, result_type
from belvedere.maintenance.relevance import Interest, interests
from belvedere.maintenance.stages import ViewPlan, compile_view
from belvedere.objects.model import ObjectModel
from belvedere.objects.result import ResultType
from belvedere.store.model import Collection
from belvedere.warehouse.core import Core
from belvedere.warehouse.names import CurrentNames, WrittenNames
from belvedere.warehouse.objects.cache import ModelCache
from belvedere.warehouse.resolve import Overlay


@dataclass(frozen=True)
class Definition:
    """A view, ready to be maintained. `node` is the definition as bound; `plan` is how it is kept."""

    name: str
    text: str
    language: str
    mode: str
    node: Node
    columns: tuple[str, ...]
    order: tuple[Any, ...]
    plan: ViewPlan
    interests: dict[str, tuple[Interest, ...]]
    uses: dict[str, dict[str, Any]]
    views: frozenset[str]
    #: users' functions that the text calls, with the fingerprints of their code
    functions: dict[str, str]
    parameters: dict[str, Parameter]
    #: what its rows are, for a view in OQL
    result: ResultType | None

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.plan.stages)

    @property
    def visible(self) -> Node:
        """The view over its stages, without columns at the end that only its order needs."""
        return keep(self.plan.tail, self.plan.tail.schema.names[: len(self.columns)])

    def document(self) -> dict[str, Any]:
        return {
            "text": self.text, "language": self.language, "mode": self.mode, "uses": self.uses,
            "columns": list(self.columns), "stages": list(self.stage_names), "reads": self.columns_read(),
            "functions": self.functions, "parameters": {n: p.document() for n, p in sorted(self.parameters.items())},
        }  # fmt: skip

    def columns_read(self) -> dict[str, list[str]]:
        """Collection → columns that the plan reads."""
        found: dict[str, set[str]] = {}
        for stage in self.plan.stages:
            for n in stage.definition.walk():
                if isinstance(n, Get):
                    found.setdefault(n.name, set()).update(n.columns)
        return {n: sorted(c) for n, c in sorted(found.items())}


#: compiled definitions of one view that are kept
VERSIONS = 4


class Registry:
    """All tables and views by name, seen through what a running transaction has changed."""

    def __init__(self, core: Core, overlay: Overlay | None = None, at: int | None = None) -> None:
        self.core = core
        self.overlay = overlay or Overlay()
        self._at = at
        self._cache: dict[tuple[str, Any], Definition] = {}
        self._binding: list[str] = []
        self._epoch = -1
        self._collections: dict[str, Collection] = {}
        self._docs: dict[str, dict[str, Any]] = {}
        self._model = ModelCache(core.store)

    def over(self, overlay: Overlay, at: int) -> Registry:
        """The same registry as a transaction sees it: one epoch, and the transaction's own changes on top. Compiled
        definitions are shared, because each is kept with the signature of all that it was compiled from."""
        seen = Registry(self.core, overlay, at)
        seen._cache = self._cache
        if self._epoch == at:
            seen._epoch, seen._collections, seen._docs = at, self._collections, self._docs
        seen._model = self._model.copy()
        return seen

    def _load(self) -> None:
        epoch = self.core.store.epoch if self._at is None else self._at
        if epoch != self._epoch:
            self._collections = {c.name: c for c in self.core.store.collections(epoch)}
            self._docs = self.core.store.docs("view", epoch)
            self._epoch = epoch

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

    def view_name(self, name: str) -> str:
        known = self.view_names()
        if name in known:
            return name
        for n in known:
            if n.lower() == name.lower():
                return n
        raise UnknownName(f"there is no view {name!r}{suggest(name, known)}")

    def taken(self, name: str) -> str | None:
        """'table' or 'view' if the name is in use, without regard to case."""
        low = name.lower()
        if any(n.lower() == low for n in self.tables()):
            return "table"
        return "view" if any(n.lower() == low for n in self.view_names()) else None

    def document(self, name: str) -> dict[str, Any]:
        self._load()
        return self._docs[name]

    def define(self, name: str, text: str, language: str, mode: str, parameters: dict[str, Parameter]) -> Definition:
        """Bind a new definition with the names as they are now."""
        names = CurrentNames(self)
        return self._build(name, text, language, mode, names, parameters)

    def definition(self, name: str) -> Definition:
        """The definition of a stored view; InvalidView with the reason if it no longer fits what it reads."""
        doc = self.document(name)
        signature = self._signature(name)
        known = self._cache.get((name, signature))
        if known is not None:
            return known
        if name in self._binding:
            raise InvalidView(f"view {name!r} reads itself: {' → '.join([*self._binding, name])}")
        self._binding.append(name)
        try:
            given = {n: Parameter.read(p) for n, p in doc.get("parameters", {}).items()}
            built = self._build(name, doc["text"], doc["language"], doc["mode"], WrittenNames(self, doc), given)
        except InvalidView:
            raise
        except BelvedereError as e:
            raise InvalidView(f"view {name!r} no longer fits what it reads: {e}") from e
        finally:
            self._binding.pop()
        self._keep(name, signature, built)
        return built

    def _keep(self, name: str, signature: Any, d: Definition) -> None:
        """A few definitions of each view are kept: what it was before a schema change is asked for as well."""
        mine = [key for key in self._cache if key[0] == name]
        for key in mine[: len(mine) + 1 - VERSIONS]:
            del self._cache[key]
        self._cache[name, signature] = d

    def remember(self, d: Definition) -> None:
        """A definition that was just published need not be compiled again."""
        self._load()
        if d.name in self._docs and self._docs[d.name]["text"] == d.text:
            self._keep(d.name, self._signature(d.name), d)

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
            else:
                c = self.table_by_id(use["id"])
                shape = None if c is None else (c.name, tuple((x.name, x.id, str(x.type)) for x in c.schema))
                parts.append((relation, shape, tuple(sorted(use["columns"].items()))))
                if c is None:
                    parts.append(tuple(sorted((n, x.id) for n, x in self.all_collections().items() if x.kind == "table")))
        if doc["language"] == "oql":
            self.objects()
            parts.append(self._model.fingerprint)
        return tuple(map(repr, parts))

    def _build(
        self, name: str, text: str, language: str, mode: str, names: CurrentNames, parameters: dict[str, Parameter]
    ) -> Definition:
        bound = bind(text, names, language, parameters=parameters)
        for f in names.functions.values():
            if not f.deterministic:
                raise Unsupported(
                    f"function {f.name}() is registered with deterministic=False: it may give another value each time, so a view "
                    "of it has no right content; store its value in a column when the row is written, or register it with "
                    "deterministic=True if equal arguments always give equal values"
                )
        # in OQL an order is part of the value, so what it needs is kept; in SQL a view is a bag
        node = bound.ordered or bound.node if language == "oql" else bound.node
        plan = compile_view(name, node, self._keyed() if language == "oql" else None)
        return Definition(
            name=name, text=text, language=language, mode=mode, node=node, columns=tuple(bound.columns),
            order=bound.order if node is (bound.ordered or bound.node) else (), plan=plan,
            interests=interests(s.definition for s in plan.stages),
            uses=names.used, views=frozenset(u["view"] for u in names.used.values() if "view" in u),
            parameters=parameters, functions={n: f.fingerprint for n, f in sorted(names.functions.items())},
            result=result_type(bound, language),
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
            for use in self.document(n)["uses"].values():
                if "view" in use and use["view"] in self.view_names():
                    yield from visit(use["view"])
            yield n

        yield from visit(name)

    def downstream(self, name: str) -> list[str]:
        return [v for v in self.view_names() if any(u.get("view") == name for u in self.document(v)["uses"].values())]

    def in_order(self, names: list[str] | None = None, *, immediate_readers: bool = False) -> list[str]:
        """Views with all that they read, each after what it reads; if asked, with the immediate views that read them."""
        wanted = list(self.view_names() if names is None else names)
        if immediate_readers:
            for n in wanted:  # grows while it is walked
                wanted += [r for r in self.downstream(n) if self.document(r)["mode"] == "immediate" and r not in wanted]
        out: dict[str, None] = {}
        for n in wanted:
            for v in self.upstream(n):
                out.setdefault(v)
        return list(out)
