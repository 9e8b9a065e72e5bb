"""The names that a text can use: tables and views, as they are now or as they were called when a view was written.

A view's text is never rewritten. What its names meant is kept beside it by permanent id, so a column or table that was
renamed since still answers to the name in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.ops import Get, renamed
from belvedere.algebra.types import Column, Schema
from belvedere.engines.function import Function
from belvedere.errors import InvalidView, UnknownName
from belvedere.languages.sql.catalog import Relation
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import CollectionType, OType
from belvedere.store.model import Collection
from belvedere.warehouse.schemas.members import Members, full_name, split_name
from belvedere.warehouse.sources.mirrors import refuse_reading

if TYPE_CHECKING:
    from belvedere.warehouse.registry import Registry


class CurrentNames(Members):
    """Names as they are now. `own` is the view whose text is bound, if it is a view's."""

    def __init__(self, registry: Registry, own: str | None = None) -> None:
        self.registry = registry
        self.own = own
        self.used: dict[str, dict[str, Any]] = {}
        self.ranges: dict[str, list[str | None]] = {}
        self.exact: set[str] = set()
        self.functions: dict[str, Function] = {}

    def remembered(self) -> dict[str, dict[str, Any]]:
        """What the names in the text mean, to be kept beside it."""
        return self.used

    def relation_names(self) -> list[str]:
        registry = self.registry
        return [
            *registry.tables(), *registry.view_names(), *registry.schema_relations(), *registry.graph_relations(),
        ]  # fmt: skip

    def objects(self) -> ObjectModel:
        return self.registry.objects()

    def entry_points(self) -> list[str] | None:
        """The names of graphs, for a text in Lorel; None where a name that is gone is no mistake."""
        return self.registry.entry_points()

    def object_type(self, name: str) -> OType | None:
        """The type of a view in OQL whose rows are its members, or that is a single value; None for other relations."""
        exact = self._view_behind(name)
        found = None if exact is None else self.registry.definition(exact).result
        if found is None or (isinstance(found.type, CollectionType) and not found.members):
            return None
        return found.type

    def _view_behind(self, name: str) -> str | None:
        exact = self._find(name)
        return exact if exact in self.registry.view_names() else None

    def udf(self, name: str) -> Function | None:
        found = self.registry.core.udf(name)
        if found is not None:
            self.functions[name.lower()] = found
        return found

    def relation(self, name: str) -> Relation | None:
        exact = self._find(name)
        if exact is None:
            self.registry.refuse_unmirrored(split_name(name)[0])
            return None
        if exact in self.registry.tables():
            c = self.registry.collection(exact)
            if self.own is None:
                refuse_reading(c)
            return self._table(name, c)
        if exact in self.registry.view_names():
            return self._view(name, exact)
        parts = self.registry.graph_relations()
        return self._view_relation(name, *(parts[exact] if exact in parts else self.registry.schema_relations()[exact]))

    def _find(self, name: str) -> str | None:
        every = CurrentNames.relation_names(self)
        if name in every:
            return name
        near = sorted({n for n in every if n.lower() == name.lower()})
        if len(near) > 1:
            shown = ", ".join(map(repr, near))
            raise UnknownName(f"{name!r} can be each of {shown}, which differ in case only; write the name as it is there")
        return next(iter(near), None)

    def _table(self, asked: str, c: Collection) -> Relation:
        self.used[asked.lower()] = {"id": c.id, "columns": {col.name: col.id for col in c.schema}}
        return Relation(c.name, c.schema, Get(c.name, c.schema, c.schema.names))

    def _view(self, asked: str, name: str) -> Relation:
        if self.registry.outline(name) is not None:
            self.used[asked.lower()] = {"view": name}
            return self.registry.view_relation(name, None)
        definition = self.registry.definition(name)
        node = renamed(definition.visible, definition.columns)
        self.used[asked.lower()] = {"view": name}
        return Relation(name, node.schema, node)

    def _view_relation(self, asked: str, view: str, relation: str) -> Relation:
        self.used[asked.lower()] = {"view": view, "relation": relation}
        if self.registry.document(view)["language"] == "lorel":
            return self.registry.graph_relation(view, relation)
        return self.registry.view_relation(view, relation)


class WrittenNames(CurrentNames):
    """Names as a view's text knew them, over what became of them."""

    def __init__(self, registry: Registry, document: dict[str, Any], own: str | None = None) -> None:
        super().__init__(registry, own)
        self.uses: dict[str, dict[str, Any]] = document["uses"]
        self.exact = set(document.get("exact", ()))
        self._functions_written = document.get("functions", {})

    def entry_points(self) -> list[str] | None:
        return None

    def remembered(self) -> dict[str, dict[str, Any]]:
        """What names meant in tables that the text ranged over once, and may range over again."""
        kept = dict(self.used)
        for k, u in self.uses.items():
            if not k.startswith("#") or "id" not in u or self.registry.table_by_id(u["id"]) is None:
                continue
            now = kept.get(k)
            if now is None:
                kept[k] = u
            elif now.get("id") == u["id"]:  # one variable may range over it still, and another not: its names are not lost
                kept[k] = {**now, "columns": {**u["columns"], **now["columns"]}}
        return kept

    def udf(self, name: str) -> Function | None:
        found = super().udf(name)
        if found is None and name.lower() in self._functions_written:
            raise InvalidView(
                f"function {name} is not registered; call wh.register_function({name!r}, …) after opening the warehouse"
            )
        return found

    def relation_names(self) -> list[str]:
        return [*(n for n in self.uses if not n.startswith("#")), *super().relation_names()]

    def is_called(self, database: str | None, name: str) -> bool:
        return full_name(database, name) in self.exact

    def was_relation(self, name: str) -> bool:
        return name.lower() in self.uses

    def _meant(self, asked: str) -> str | None:
        use = self.uses.get(asked.lower())
        if use is None:
            return super()._meant(asked)
        if "view" in use:
            self._need_view(use["view"])
            relation = use.get("relation")
            if relation is not None and f"{use['view']}.{relation}" in self.registry.graph_relations():
                return f"{use['view']}.{relation}"
            return str(use["view"]) if relation is None else self.registry.full_relation(use["view"], relation)
        c = self.registry.table_by_id(use["id"])
        return super()._meant(asked) if c is None else c.name

    def _need_view(self, view: str) -> None:
        if view not in self.registry.view_names():
            raise InvalidView(f"view {view!r}, which it reads, was dropped")
        outline = self.registry.outline(view)
        if outline is not None and outline.invalid is not None:
            raise InvalidView(f"view {view!r}, which it reads, is invalid: {outline.invalid}")

    def _written(self, key: str, table: int) -> dict[str, int]:
        use = self.uses.get(key, {})
        return dict(use["columns"]) if use.get("id") == table else {}

    def _view_behind(self, name: str) -> str | None:
        use = self.uses.get(name.lower())
        if use is None:
            return super()._view_behind(name)
        view = use.get("view")
        return view if view in self.registry.view_names() else None

    def relation(self, name: str) -> Relation | None:
        use = self.uses.get(name.lower())
        if use is None:
            return super().relation(name)
        if "view" in use:
            self._need_view(use["view"])
            if "relation" in use:
                return self._view_relation(name, use["view"], use["relation"])
            return self._view(name, use["view"])
        c = self.registry.table_by_id(use["id"])
        if c is None:
            return super().relation(name)
        return self._as_written(name, c, use["columns"])

    def _as_written(self, asked: str, c: Collection, written: dict[str, int]) -> Relation:
        by_id = {i: n for n, i in written.items()}
        visible, sources = [], []
        for column in c.schema:
            name = by_id.get(column.id, column.name)
            if column.id not in by_id and (taken := written.get(name)) is not None and taken in c.column_ids():
                continue  # a new column under a name that the text uses for a renamed one
            visible.append(Column(name, column.type))
            sources.append(column.name)
        ids = {v.name: c.schema[s].id for v, s in zip(visible, sources, strict=True)}
        self.used[asked.lower()] = {"id": c.id, "columns": ids}
        schema = Schema(tuple(visible))
        return Relation(c.name, schema, Get(c.name, schema, tuple(sources)))
