"""Random objects and random updates: small domains, nil, duplicates, empty collections, deletes of what is referred to."""

from __future__ import annotations

import datetime
import random
from typing import Any

from tests.oqlfuzz.data import Bunch, Rec, Table, bunch
from tests.oqlfuzz.kinds import Coll, Dictionary, Enum, Prim, Ref, Struct, Type
from tests.oqlfuzz.schema import Prop, Schema
from tests.oqlfuzz.updates import (
    Delete,
    DeleteRow,
    InsertElement,
    InsertRow,
    Modify,
    New,
    RemoveElement,
    SetElement,
    Step,
    Transaction,
    fitting,
)
from tests.oqlfuzz.world import World

UNSET = 0.15
MOST = 14
DOMAINS: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 1, 2, 3, 4),
    "double": (0.0, 0.5, 1.5, 2.0, 2.0),
    "string": ("", "a", "b", "b", "ab"),
    "boolean": (True, False),
    "date": (datetime.date(1999, 12, 31), datetime.date(2020, 2, 29), datetime.date(2020, 3, 1)),
    "timestamp": (datetime.datetime(2020, 2, 29, 12, 30), datetime.datetime(2020, 3, 1), datetime.datetime(1999, 12, 31, 23, 59)),
}


class Changer:
    """Draws updates that fit the world as it is, and does them to it."""

    def __init__(self, rng: random.Random, schema: Schema) -> None:
        self.rng = rng
        self.world = World(schema)
        self.next = 1
        self.keys = 0

    def population(self) -> Transaction:
        steps: list[Step] = []
        for _ in range(self.rng.choice([0, 4, 6, 8, 9])):
            self._do(steps, self.new())
        for _ in range(self.rng.choice([0, 4, 8, 12])):
            self._do(steps, self.element())
        for _ in range(self.rng.choice([0, 3, 5]) if self.world.tables else 0):
            self._do(steps, self.row())
        return Transaction(tuple(steps))

    def transactions(self, sequences: int) -> tuple[Transaction, ...]:
        """Several sequences of one to three transactions."""
        result = []
        for _ in range(sequences):
            length = self.rng.choice([1, 1, 1, 2, 3])
            for n in range(length):
                steps: list[Step] = []
                for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3, 5])):
                    self._do(steps, self.step())
                ends = n == length - 1
                result.append(Transaction(tuple(steps), ends or self.rng.random() < 0.4, ends))
        return tuple(result)

    def _do(self, steps: list[Step], step: Step | None) -> None:
        if step is not None and fitting(self.world, Transaction((step,))):
            steps.append(step)

    def step(self) -> Step | None:
        if self.world.tables and self.rng.random() < 0.15:
            return self.row()
        things = self.world.things
        full = len(things) >= MOST
        kind = self.rng.choices(["new", "delete", "modify", "element"], [0 if full else 3, 4 if full else 2, 5, 5])[0]
        if kind == "new" or not things:
            return self.new()
        if kind == "delete":
            return Delete(self.rng.choice(list(things)))
        return self.modify() if kind == "modify" else self.element()

    def row(self) -> Step:
        """A row more, or one less, of a plain table."""
        table = self.rng.choice(list(self.world.tables))
        held = self.world.tables[table]
        if held and self.rng.random() < (0.8 if len(held) >= MOST else 0.4):
            return DeleteRow(0, table, self.rng.choice(held))
        row = self.value(self.world.schema.tables[table], False)
        return InsertRow(0, table, row)

    def new(self) -> Step:
        cls = self.rng.choice(list(self.world.schema.classes))
        attrs: list[tuple[str, Any]] = []
        keys = {k for _, k in self.world.schema.keys(cls)}
        for p in self.world.schema.props(cls).values():
            if p.name in keys:
                attrs.append((p.name, self.key()))
            elif self.rng.random() > (0.5 if p.inverse else UNSET):
                attrs.append((p.name, self.value(p.type, p.inverse is not None)))
        self.rng.shuffle(attrs)
        n, self.next = self.next, self.next + 1
        return New(n, cls, tuple(attrs))

    def key(self) -> int:
        self.keys += 1
        return self.keys

    def modify(self) -> Step | None:
        n = self.rng.choice(list(self.world.things))
        cls = self.world.things[n].cls
        keys = {k for _, k in self.world.schema.keys(cls)}
        props = list(self.world.schema.props(cls).values())
        attrs: list[tuple[str, Any]] = []
        for p in self.rng.sample(props, min(len(props), self.rng.choice([1, 1, 1, 2, 3]))):
            if p.name in keys:
                attrs.append((p.name, self.key()))
            elif isinstance(p.type, (Coll, Dictionary)) or self.rng.random() > UNSET:
                attrs.append((p.name, self.value(p.type, p.inverse is not None)))
            else:
                attrs.append((p.name, None))
        return Modify(n, tuple(attrs))

    def element(self) -> Step | None:
        """An update of one member of a collection, if some object has a collection."""
        places = [(n, p) for n, t in self.world.things.items() for p in self.world.schema.props(t.cls).values() if p.many]
        if not places:
            return None
        n, p = self.rng.choice(places)
        assert isinstance(p.type, Coll)
        held: Bunch = self.world.things[n].values[p.name]
        kind = self.rng.choice(["insert", "insert", "insert", "remove", "remove", "set"])
        if kind == "insert" or not held.items:
            return self.insert(n, p, held)
        at = self.rng.randrange(len(held.items))
        if kind == "set" and p.type.ordered:
            return SetElement(n, p.name, at, self.value(p.type.element, False))
        if p.type.ordered and self.rng.random() < 0.4:
            return RemoveElement(n, p.name, position=at)
        return RemoveElement(n, p.name, held.items[at])

    def insert(self, n: int, p: Prop, held: Bunch) -> Step | None:
        assert isinstance(p.type, Coll)
        value = self.value(p.type.element, False)
        if value is None or (p.inverse and p.type.kind != "set" and value in held.items):
            return None  # nil is no member; a pair of a relationship is there once
        position = self.rng.randint(0, len(held.items)) if p.type.ordered and self.rng.random() < 0.4 else None
        return InsertElement(n, p.name, value, position)

    def value(self, t: Type, once: bool) -> Any:
        """A random value of a type; `once`: without duplicates. None where a reference finds no object."""
        rng = self.rng
        match t:
            case Prim(kind=k):
                return rng.choice(DOMAINS[k])
            case Enum(members=members):
                return rng.choice(members)
            case Ref(cls=cls):
                found = self.world.extent(cls)
                return rng.choice(found) if found else None
            case Struct(fields=fields):
                return Rec(tuple((n, self.part(ft)) for n, ft in fields))
            case Coll(kind=k, element=e):
                items = [v for v in (self.value(e, False) for _ in range(rng.choice([0, 1, 2, 2, 3]))) if v is not None]
                return bunch(k, dict.fromkeys(items) if once else items)
            case Dictionary():
                keys = sorted(rng.sample(["a", "b", "c"], rng.choice([0, 1, 2])))
                return Table(tuple((k, rng.choice(DOMAINS["int"])) for k in keys))
        raise AssertionError(f"no values of {t}")

    def part(self, t: Type) -> Any:
        return None if not isinstance(t, Coll) and self.rng.random() < UNSET else self.value(t, False)
