"""A warehouse that answers from the reference itself, and can be told to make a certain mistake: does the kit notice?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from tests.schemafuzz.case import Case, ViewSpec
from tests.schemafuzz.changes import (
    AddAttribute,
    AddRelation,
    Change,
    Delete,
    DropAttribute,
    DropRelation,
    Insert,
    RenameAttribute,
    RenameRelation,
    Update,
)
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.layout import Content, Relation
from tests.schemafuzz.ranges import Invalid
from tests.schemafuzz.world import Row, World

MISTAKES = ("lost row", "lost relation", "stale", "always valid", "sequence", "unordered")


class FakeTransaction:
    """Takes the calls of a transaction. An update is told to the fake beforehand, since it comes as SQL text."""

    def __init__(self, warehouse: FakeWarehouse) -> None:
        self.warehouse = warehouse

    def _apply(self, change: Change) -> None:
        self.warehouse.world = change.apply(self.warehouse.world)

    def insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        self._apply(Insert(table, tuple(tuple(r.items()) for r in rows)))

    def delete(self, table: str, rows: list[dict[str, Any]]) -> None:
        self._apply(Delete(table, tuple(tuple(r.items()) for r in rows)))

    def update(self, table: str, values: dict[str, Any], where: str | None) -> None:
        self._apply(self.warehouse.updates[table, tuple(values.items()), where])

    def add_relation(self, name: str, schema: str, key: list[str] | None) -> None:
        columns = [part.rsplit(" ", 1) for part in schema.split(", ")]
        self._apply(AddRelation(name, tuple((n.strip("`"), t) for n, t in columns), tuple(key or ())))

    def drop_relation(self, name: str) -> None:
        self._apply(DropRelation(name))

    def rename_relation(self, name: str, new: str) -> None:
        self._apply(RenameRelation(name, new))

    def add_attribute(self, table: str, name: str, type: str) -> None:
        self._apply(AddAttribute(table, name, type))

    def drop_attribute(self, table: str, name: str) -> None:
        self._apply(DropAttribute(table, name))

    def rename_attribute(self, table: str, name: str, new: str) -> None:
        self._apply(RenameAttribute(table, name, new))


class FakeView:
    def __init__(self, warehouse: FakeWarehouse, reference: Reference) -> None:
        self.warehouse = warehouse
        self.reference = reference
        self.history: dict[int, Content] = {}
        self.state: Content | Invalid = {}
        self.follow()

    @property
    def fixed(self) -> tuple[str, ...]:
        return ViewSpec("", self.reference.query).fixed

    def follow(self) -> None:
        self.state = self.reference.state(self.warehouse.world)
        if isinstance(self.state, dict):
            self.history[self.warehouse.epoch] = self.state

    @property
    def content(self) -> Content:
        """What it is, with the mistake."""
        state = self.state if isinstance(self.state, dict) else {}
        mistake = self.warehouse.mistake
        if mistake == "lost relation" and len(state) > 1:
            return dict(list(state.items())[1:])
        if mistake == "lost row":
            return {n: Relation(r.columns, _less(r.rows)) for n, r in state.items()}
        return dict(reversed(state.items())) if mistake == "unordered" else state

    @property
    def status(self) -> str:
        return "invalid" if isinstance(self.state, Invalid) and self.warehouse.mistake != "always valid" else "fresh"

    @property
    def reason(self) -> str:
        return str(self.state) if isinstance(self.state, Invalid) else ""

    def relations(self) -> list[str]:
        return list(self.content)

    def relation(self, name: str) -> Any:
        r = self.content[name]
        rows = list(r.rows.elements())
        columns = [pa.array([row[n] for row in rows]) for n in range(len(r.columns))]
        return SimpleNamespace(arrow=lambda: pa.table(columns, names=list(r.columns)))

    def changes(self, since: int) -> list[dict[str, Any]]:
        """Everything goes, and everything comes."""
        assert isinstance(self.state, dict)
        old, new = self.history[max(e for e in self.history if e <= since)], self.state
        gone, come = ({*self.fixed, *(c for r in side.values() for c in r.columns)} for side in (old, new))
        found = [{"change": "delete-relation", "name": n} for n in old]
        found += [{"change": "delete-attribute", "name": c} for c in gone] if self.warehouse.mistake != "sequence" else []
        found += [{"change": "add-attribute", "name": c} for c in come]
        found += [{"change": "add-relation", "name": n} for n in new]
        for n, r in new.items():
            for row, k in r.rows.items():
                found.append({"change": "tuple", "relation": n, "row": dict(zip(r.columns, row, strict=True)), "_w": k})
        return found

    def verify(self) -> Any:
        return SimpleNamespace(ok=True)


class FakeWarehouse:
    """`case` gives the meaning of the texts it will be handed."""

    def __init__(self, case: Case, mistake: str = "") -> None:
        self.world = World()
        self.mistake = mistake
        self.epoch = 0
        self.queries = {v.text: v.query for v in case.views}
        self.made: dict[str, FakeView] = {}
        self.modes: dict[str, str] = {}
        every = [c for t in case.transactions for c in t.changes if isinstance(c, Update)]
        self.updates = {(c.table, tuple(c.settings().items()), c.condition()): c for c in every}

    @contextmanager
    def transaction(self) -> Iterator[FakeTransaction]:
        yield FakeTransaction(self)
        self.epoch += 1
        self._follow("immediate")

    def create_view(self, name: str, text: str, language: str, mode: str) -> None:
        self.made[name] = FakeView(self, Reference(self.queries[text], name))
        self.modes[name] = mode

    def view(self, name: str) -> FakeView:
        return self.made[name]

    def refresh(self) -> list[Any]:
        self.epoch += 1
        if self.mistake != "stale":
            self._follow("deferred")
        return []

    def _follow(self, mode: str) -> None:
        for name, view in self.made.items():
            if self.modes[name] == mode:
                view.follow()


def _less(rows: Counter[Row]) -> Counter[Row]:
    left = Counter(rows)
    if len(left) > 2:
        left[next(iter(left))] -= 1
    return +left
