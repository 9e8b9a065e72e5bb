"""Objects in plain Python, with every update of ODMG and its effect on inverses: loops over all objects, no cleverness.

Two sides of a relationship are kept as two plain values. `_link` and `_unlink` change both; everything else is said with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.oqlfuzz.data import Bunch, Obj, Rec, Table, bunch, mentions, rank
from tests.oqlfuzz.kinds import Coll, Dictionary, Ref, Struct, Type
from tests.oqlfuzz.schema import Prop, Schema


@dataclass
class Thing:
    """One object: its class, and a value for each of its properties."""

    cls: str
    values: dict[str, Any] = field(default_factory=dict)


class World:
    """All objects of a schema, by number."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.things: dict[int, Thing] = {}
        self.tables: dict[str, list[Rec]] = {t: [] for t in schema.tables}

    def copy(self) -> World:
        other = World(self.schema)
        other.things = {n: Thing(t.cls, dict(t.values)) for n, t in self.things.items()}
        other.tables = {t: list(rows) for t, rows in self.tables.items()}
        return other

    # reading

    def extent(self, cls: str) -> list[Obj]:
        """The objects of a class and of the classes below it."""
        below = self.schema.below(cls)
        return [Obj(n) for n, t in self.things.items() if t.cls in below]

    def get(self, o: Obj, name: str) -> Any:
        return self.things[o.n].values[name]

    def prop(self, o: Obj, name: str) -> Prop:
        return self.schema.props(self.things[o.n].cls)[name]

    # updates

    def new(self, n: int, cls: str, attrs: dict[str, Any]) -> None:
        assert n not in self.things
        thing = self.things[n] = Thing(cls)
        for p in self.schema.props(cls).values():
            thing.values[p.name] = empty(p.type)
        self.modify(n, attrs)

    def modify(self, n: int, attrs: dict[str, Any]) -> None:
        """Set properties: values, references, nil, whole collections."""
        for name, value in attrs.items():
            p = self.prop(Obj(n), name)
            if not p.inverse:
                self._set(n, name, value)
            elif not p.many:
                old = self.things[n].values[name]
                if value != old:
                    if old is not None:
                        self._unlink(n, p, old.n)
                    if value is not None:
                        self._link(n, p, value.n)
            else:
                self._replace(n, p, value)

    def delete(self, n: int) -> None:
        """Take the object out of every property of every object, then away."""
        for m, t in self.things.items():
            for p in self.schema.props(t.cls).values():
                if n in mentions(t.values[p.name]):
                    self._set(m, p.name, without(t.values[p.name], Obj(n)))
        del self.things[n]

    def insert_element(self, n: int, name: str, value: Any, position: int | None = None) -> None:
        p = self.prop(Obj(n), name)
        if p.inverse:
            self._link(n, p, value.n, position)
        else:
            self._set(n, name, inserted(self.things[n].values[name], value, position))

    def remove_element(self, n: int, name: str, value: Any = None, position: int | None = None) -> None:
        """Take out the first occurrence of a value, or what is at a position."""
        p = self.prop(Obj(n), name)
        items = self.things[n].values[name].items
        at = position if position is not None else [rank(v) for v in items].index(rank(value))
        if p.inverse:
            self._unlink(n, p, items[at].n)
        else:
            self._set(n, name, bunch(self.things[n].values[name].kind, items[:at] + items[at + 1 :]))

    def set_element(self, n: int, name: str, position: int, value: Any) -> None:
        """What is at a position of a list or array becomes another."""
        p = self.prop(Obj(n), name)
        if p.inverse:
            old = self.things[n].values[name].items[position]
            if old != value:
                self._unlink(n, p, old.n)
                self._link(n, p, value.n, position)
        else:
            items = list(self.things[n].values[name].items)
            items[position] = value
            self._set(n, name, bunch(self.things[n].values[name].kind, items))

    # inside

    def _set(self, n: int, name: str, value: Any) -> None:
        p = self.prop(Obj(n), name)
        self.things[n].values[name] = shaped(value, p.type)

    def _replace(self, n: int, p: Prop, wanted: Bunch) -> None:
        """A whole collection of a relationship: who is not in it any more loses its other side; the order is the given one."""
        for m in mentions(self.things[n].values[p.name]) - mentions(wanted):
            self._unlink(n, p, m)
        for o in wanted.items:
            if o.n not in mentions(self.things[n].values[p.name]):
                self._link(n, p, o.n)
        self._set(n, p.name, wanted)

    def _link(self, n: int, p: Prop, m: int, position: int | None = None) -> None:
        """Make n.p lead to m, and m's other side to n. A single side that was taken is freed first."""
        assert p.inverse
        back = self.schema.props(p.inverse[0])[p.inverse[1]]
        if not p.many and (old := self.things[n].values[p.name]) is not None:
            self._unlink(n, p, old.n)
        if not back.many and (old := self.things[m].values[back.name]) is not None:
            if old == Obj(n) and p.many:
                return  # already there: a relationship holds a pair once
            self._unlink(m, back, old.n)
        if p.many and m in mentions(self.things[n].values[p.name]):
            return
        self._put(n, p, m, position)
        self._put(m, back, n, None)

    def _put(self, n: int, p: Prop, m: int, position: int | None) -> None:
        value = inserted(self.things[n].values[p.name], Obj(m), position) if p.many else Obj(m)
        self._set(n, p.name, value)

    def _unlink(self, n: int, p: Prop, m: int) -> None:
        assert p.inverse
        self._set(n, p.name, without(self.things[n].values[p.name], Obj(m)))
        self._set(m, p.inverse[1], without(self.things[m].values[p.inverse[1]], Obj(n)))

    def faults(self) -> Iterator[str]:
        """What is wrong with the two sides of relationships; nothing, if the updates above are right."""
        for n, t in self.things.items():
            for p in self.schema.props(t.cls).values():
                for m in mentions(t.values[p.name]):
                    if m not in self.things:
                        yield f"#{n}.{p.name} leads to #{m}, which is gone"
                    elif p.inverse and n not in mentions(self.things[m].values[p.inverse[1]]):
                        yield f"#{n}.{p.name} leads to #{m}, and #{m}.{p.inverse[1]} not back"


def empty(t: Type) -> Any:
    """What a property is before it is set."""
    if isinstance(t, Coll):
        return Bunch(t.kind, ())
    return Table(()) if isinstance(t, Dictionary) else None


def inserted(value: Bunch, item: Any, position: int | None) -> Bunch:
    items = list(value.items)
    items.insert(len(items) if position is None else position, item)
    return bunch(value.kind, items)


def without(value: Any, o: Obj) -> Any:
    """The value with an object taken out: single references become nil, members of collections go, all of them."""
    match value:
        case Obj():
            return None if value == o else value
        case Rec(fields=fields):
            return Rec(tuple((n, without(v, o)) for n, v in fields))
        case Bunch(kind=k, items=items):
            return bunch(k, [without(v, o) for v in items if v != o])
        case Table(pairs=pairs):
            return Table(tuple((k, without(v, o)) for k, v in pairs if v != o))
    return value


def shaped(value: Any, t: Type) -> Any:
    """A value as a property of that type holds it: collections of the right kind, sets without duplicates."""
    match t:
        case Coll(kind=k, element=e):
            return bunch(k, [shaped(v, e) for v in value.items])
        case Struct(fields=fields) if value is not None:
            return Rec(tuple((n, shaped(value.get(n), ft)) for n, ft in fields))
        case Ref():
            assert value is None or isinstance(value, Obj)
    return value
