"""What a SchemaSQL text can range over: databases, their relations, and the relations' columns.

A name in the text follows renames: it is kept with the id that it meant. A name that is data is the present one. Relations that
are reached through a range are kept by their id alone, so that a new table under an old name is not mistaken for the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.errors import InvalidView
from belvedere.languages.schemasql.catalog import Attribute, Broken, Member
from belvedere.languages.sql.catalog import Relation
from belvedere.store.model import Collection
from belvedere.warehouse.sources.mirrors import is_remote, refuse_reading

if TYPE_CHECKING:
    from belvedere.warehouse.registry import Registry


def split_name(name: str) -> tuple[str | None, str]:
    """
    >>> split_name("univ-A.salInfo"), split_name("salInfo")
    (('univ-A', 'salInfo'), (None, 'salInfo'))
    """
    database, dot, relation = name.rpartition(".")
    return (database, relation) if dot and database and relation else (None, name)


def full_name(database: str | None, name: str) -> str:
    return name if database is None else f"{database}.{name}"


class Members:
    """The part of the names that SchemaSQL asks for."""

    registry: Registry
    used: dict[str, dict[str, Any]]
    #: the view that is being bound: neither it nor what reads it is ranged over
    own: str | None
    #: databases whose relations the text ranges over; "databases" under the empty list if it ranges over those
    ranges: dict[str, list[str | None]]
    #: names in the text that differ from a variable in their case, and mean what is called exactly so
    exact: set[str]

    def databases(self) -> list[str]:
        self.ranges.setdefault("databases", [])
        return sorted({d for d, *_ in self._all() if d is not None})

    def relations_of(self, database: str | None) -> list[Member]:
        known = self.ranges.setdefault("relations", [])
        if database not in known:
            known.append(database)
        every = list(self._all())
        found = [e for e in every if e[0] == database]
        if not found and database is not None:
            low = database.lower()
            found = [e for e in every if e[0] is not None and e[0].lower() == low]
        if not found:
            self.registry.refuse_unmirrored(database)
        return [
            self._part(view, None if view == full else relation, f"#{full}") if view is not None
            else self._table_member(self.registry.collection(full), f"#{full}")
            for _, relation, full, view in found
        ]  # fmt: skip

    def relation_in(self, database: str | None, name: str) -> Member | None:
        asked = full_name(database, name)
        full = self._meant(asked)
        if full is None:
            self.registry.refuse_unmirrored(database)
        if full is None or self._is_database(full):
            return None
        member = self._member(full, asked.lower())
        member.plan()
        return member

    def _is_database(self, full: str) -> bool:
        """A view with a relation for each name in its data is no relation, but the database of those."""
        outline = self.registry.outline(full) if full in self.registry.view_names() else None
        return outline is not None and not outline.single

    def is_called(self, database: str | None, name: str) -> bool:
        """Whether a relation or database is called exactly so. Kept with the text: it goes on to mean that, whatever comes."""
        low = None if database is None else database.lower()
        asked = full_name(database, name)
        for d, relation, *_ in self._all():
            if (relation == name and (None if d is None else d.lower()) == low) or (database is None and d == name):
                self.exact.add(asked)
        return asked in self.exact

    def was_relation(self, name: str) -> bool:
        return False

    def _all(self) -> Iterator[tuple[str | None, str, str, str | None]]:
        """(database, relation, full name, view) of all that can be ranged over; a table has no view."""
        registry = self.registry
        for t in registry.tables():
            if not is_remote(registry.collection(t)):
                yield (*split_name(t), t, None)
        left_out = set() if self.own is None else {self.own, *registry.readers(self.own)}
        for v in registry.view_names():
            outline = registry.outline(v)
            if v in left_out or (outline is not None and not outline.headless):
                continue
            yield (*split_name(v), v, v)
        for full, (view, relation) in registry.graph_relations().items():
            if view not in left_out:
                yield view, relation, full, view
        for full, (view, relation) in registry.schema_relations().items():
            if view not in left_out:
                outline = registry.outline(view)
                assert outline is not None
                yield outline.database(view), relation, full, view

    def _meant(self, asked: str) -> str | None:
        """The present full name of what a name in the text means."""
        return self._find(asked)

    def _written(self, key: str, table: int) -> dict[str, int]:
        """What names in the text meant, as columns of this very table; one that took the place of another knows none."""
        return {}

    def _member(self, full: str, key: str) -> Member:
        registry = self.registry
        if full in registry.tables():
            refuse_reading(registry.collection(full))
            return self._table_member(registry.collection(full), key)
        if full in registry.view_names():
            return self._part(full, None, key)
        return self._part(*(registry.graph_relations().get(full) or registry.schema_relations()[full]), key)

    def _part(self, view: str, part: str | None, key: str) -> Member:
        """A view, or one relation of it."""
        registry = self.registry
        relation: Relation | None = None
        database, name = split_name(view)
        if part is not None:
            outline = registry.outline(view)
            database, name = view if outline is None else outline.database(view), part

        def plan() -> Node:
            nonlocal relation
            if relation is None:
                relation = self._view(key, view) if part is None else self._view_relation(key, view, part)
            return relation.plan()

        known = f"view:{view}" if part is None else f"view:{view}/{part}"
        try:
            attributes = tuple(Attribute(c.name, c.type) for c in registry.relation_schema(view, part))
        except InvalidView as e:  # it counts where a condition on its name lets it: then it says what is wrong with it
            return Broken(database, name, None, known, (), plan, lambda _: None, str(e))
        return Member(database, name, None, known, attributes, plan, lambda text: _matching(text, attributes))

    def _table_member(self, c: Collection, key: str) -> Member:
        use_key = f"#{c.id}" if key.startswith("#") else key
        attributes = tuple(Attribute(x.name, x.type, x.id) for x in c.schema)
        written = self._written(use_key, c.id)

        def plan() -> Node:
            self.used.setdefault(use_key, {"id": c.id, "columns": {}})
            return Get(c.name, c.schema, c.schema.names)

        def attribute(text: str) -> Attribute | None:
            meant = written.get(text)
            found = next((a for a in attributes if a.id == meant), None) if meant is not None else None
            found = found or _matching(text, attributes)
            if found is not None:
                plan()
                self.used[use_key]["columns"][text] = found.id
            return found

        database, name = split_name(c.name)
        return Member(database, name, c.id, f"table:{c.id}", attributes, plan, attribute)

    def _find(self, name: str) -> str | None:
        raise AssertionError("the names say")

    def _view(self, asked: str, name: str) -> Relation:
        raise AssertionError("the names say")

    def _view_relation(self, asked: str, view: str, relation: str) -> Relation:
        raise AssertionError("the names say")


def _matching(text: str, attributes: tuple[Attribute, ...]) -> Attribute | None:
    exact = next((a for a in attributes if a.name == text), None)
    return exact or next((a for a in attributes if a.name.lower() == text.lower()), None)
