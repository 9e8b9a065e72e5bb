"""The universities and airlines of the papers, and a text's meaning over them: fragments made to relations in plain Python."""

from __future__ import annotations

from typing import Any

import belvedere as bv
from belvedere.algebra.ops import Get
from belvedere.languages.schemasql import Attribute, Member, SchemaBound, bind
from belvedere.store.model import Collection
from belvedere.warehouse.names import CurrentNames
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.result import Result

UNIVERSITIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "univ-A.salInfo": ("dept string, category string, salFloor int", [
        {"dept": "cs", "category": "Prof", "salFloor": 70}, {"dept": "cs", "category": "Assoc", "salFloor": 60},
        {"dept": "math", "category": "Prof", "salFloor": 65}, {"dept": "bio", "category": "Tech", "salFloor": 30},
    ]),
    "univ-B.salInfo": ("category string, cs int, math int", [
        {"category": "Prof", "cs": 55, "math": 66}, {"category": "Assoc", "cs": 50, "math": None},
    ]),
    "univ-C.cs": ("category string, salFloor int", [
        {"category": "Prof", "salFloor": 74}, {"category": "Assoc", "salFloor": 62},
    ]),
    "univ-C.math": ("category string, salFloor int", [
        {"category": "Prof", "salFloor": 44}, {"category": "Tech", "salFloor": 22},
    ]),
    "univ-D.salInfo": ("dept string, Prof int, Assoc int", [{"dept": "cs", "Prof": 75, "Assoc": 60}]),
}  # fmt: skip
AIRLINES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "BA": ("Destination string, Business int, Economy int", [
        {"Destination": "PARIS", "Business": 1200, "Economy": 600}, {"Destination": "LONDON", "Business": 1100, "Economy": 475},
    ]),
    "LH": ("Destination string, Business int, Economy int", [
        {"Destination": "PARIS", "Business": 1220, "Economy": 700}, {"Destination": "LONDON", "Business": 1050, "Economy": 500},
    ]),
}  # fmt: skip
#: relations that do not fit together, and names that are no identifiers
ODD: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "odd.a": ("k int, v int, f double", [{"k": 1, "v": None, "f": 0.5}, {"k": 1, "v": None, "f": 1.5}]),
    "odd.b": ("k bigint, w date, s struct<x:int>", [{"k": 2, "w": None, "s": {"x": 7}}]),
    "odd.a b": ("k int, `x y` int, `x-y` int", [{"k": 3, "x y": 4, "x-y": 5}]),
}  # fmt: skip


def fill(wh: Any, tables: dict[str, tuple[str, list[dict[str, Any]]]]) -> None:
    for name, (schema, rows) in tables.items():
        wh.create_table(name, schema)
        if rows:
            with wh.transaction() as tx:
                tx.insert(name, rows)


class TableNames(CurrentNames):
    """The tables of a warehouse as relations of databases, with their ids; `idless` are shown as views would be."""

    idless: frozenset[str] = frozenset()

    def databases(self) -> list[str]:
        return sorted({n.rpartition(".")[0] for n in self.registry.tables()} - {""})

    def relations_of(self, database: str | None) -> list[Member]:
        exact = [m for n in self.registry.tables() if (m := self._of(self.registry.collection(n))).database == database]
        if exact or database is None:
            return exact
        every = [self._of(self.registry.collection(n)) for n in self.registry.tables()]
        return [m for m in every if (m.database or "").lower() == database.lower()]

    def was_relation(self, name: str) -> bool:
        return False

    def relation_in(self, database: str | None, name: str) -> Member | None:
        members = self.relations_of(database)
        exact = [m for m in members if m.name == name]
        return next(iter(exact or [m for m in members if m.name.lower() == name.lower()]), None)

    def _of(self, c: Collection) -> Member:
        database, _, name = c.name.rpartition(".")
        ids = c.name not in self.idless
        attributes = tuple(Attribute(x.name, x.type, x.id if ids else None) for x in c.schema)

        def attribute(asked: str) -> Attribute | None:
            exact = [a for a in attributes if a.name == asked]
            return next(iter(exact or [a for a in attributes if a.name.lower() == asked.lower()]), None)

        plan = Get(c.name, c.schema, c.schema.names)
        return Member(database or None, name, c.id if ids else None, f"table:{c.id}", attributes, lambda: plan, attribute)


def bound(wh: Any, text: str, *, idless: frozenset[str] = frozenset(), **options: Any) -> SchemaBound:
    names = TableNames(wh.registry)
    names.idless = idless
    return bind(text, names, **options)


def fragments(wh: Any, b: SchemaBound) -> list[dict[str, Any]]:
    """The fragments under their columns in the algebra, ids replaced by names."""
    node = b.node
    result = Result(wh.core, node, Resolver(wh.core.store, until=wh.epoch), node.schema.names, (), "duckdb", None)
    rows = []
    for row in result.rows():
        named = dict(row)
        for column, entries in b.dictionaries.items():
            if named[column] is not None and named[column] not in dict(entries):
                break
            named[column] = dict(entries).get(named[column])
        else:
            rows.append(named)
    return rows


def relations(wh: Any, text: str, **options: Any) -> dict[str, list[dict[str, Any]]]:
    """The view's relations, rows sorted by their text."""
    b = bound(wh, text, **options)
    layout, rows = b.layout, fragments(wh, b)
    pivots = sorted({r[layout.pivot] for r in rows} - {None}) if layout.pivot is not None else []
    found: dict[str, list[dict[str, Any]]] = {} if layout.relation is not None else {layout.relation_name or "": []}
    for row in rows:
        home = found.setdefault(row[layout.relation] if layout.relation is not None else layout.relation_name or "", [])
        fixed = {name: row[column] for column, name in layout.fixed}
        if layout.pivot is None:
            home.append(fixed)
            continue
        wide = next((r for r in home if all(r[n] == v for n, v in fixed.items())), None)
        if wide is None:
            before = dict(list(fixed.items())[: layout.pivot_at])
            wide = {**before, **dict.fromkeys(pivots), **fixed}
            home.append(wide)
        if row[layout.pivot] is not None:
            wide[row[layout.pivot]] = row[layout.data]
    return {name: sorted(content, key=repr) for name, content in sorted(found.items())}


def rows(wh: Any, text: str, **options: Any) -> list[tuple[Any, ...]]:
    """The rows of the view's only relation."""
    (content,) = relations(wh, text, **options).values()
    return sorted((tuple(r.values()) for r in content), key=repr)


def opened(folder: Any, tables: dict[str, tuple[str, list[dict[str, Any]]]]) -> Any:
    wh = bv.open(str(folder), engine="duckdb")
    fill(wh, tables)
    return wh
