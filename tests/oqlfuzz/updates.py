"""Updates as data. Each can be done twice: to the plain world, and through the product's transaction.

An update that no longer fits, because a shrunk case left out what it needs, is passed over on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.oqlfuzz.data import Bunch, Obj, Rec, mentions, rank, to_python
from tests.oqlfuzz.world import World

Oids = dict[int, Any]


@dataclass(frozen=True)
class Step:
    """One update of the object `n`."""

    n: int

    def fits(self, world: World) -> bool:
        raise AssertionError

    def apply(self, world: World) -> None:
        raise AssertionError

    def do(self, tx: Any, oids: Oids) -> None:
        raise AssertionError

    def call(self) -> str:
        """As a line of a program, in which `o` maps numbers to objects."""
        raise AssertionError


def _alive(world: World, n: int, *values: Any) -> bool:
    return n in world.things and all(m in world.things for v in values for m in mentions(v))


def _shown(value: Any) -> str:
    return repr(to_python(value, _Names()))


class _Name:
    def __init__(self, n: int) -> None:
        self.n = n

    def __repr__(self) -> str:
        return f"o[{self.n}]"


class _Names(dict[int, Any]):
    def __missing__(self, n: int) -> _Name:
        return _Name(n)


Attrs = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class New(Step):
    cls: str
    attrs: Attrs

    def fits(self, world: World) -> bool:
        others = [m for _, v in self.attrs for m in mentions(v)]
        known = self.n not in world.things and all(m in world.things for m in others)
        return known and _free(world, self.cls, self.n, self.attrs)

    def apply(self, world: World) -> None:
        world.new(self.n, self.cls, dict(self.attrs))

    def do(self, tx: Any, oids: Oids) -> None:
        oids[self.n] = tx.new(self.cls, **{k: to_python(v, oids) for k, v in self.attrs})

    def call(self) -> str:
        return f"o[{self.n}] = tx.new({', '.join([repr(self.cls)] + [f'{k}={_shown(v)}' for k, v in self.attrs])})"


@dataclass(frozen=True)
class Modify(Step):
    attrs: Attrs

    def fits(self, world: World) -> bool:
        if not _alive(world, self.n, *(v for _, v in self.attrs)):
            return False
        return _free(world, world.things[self.n].cls, self.n, self.attrs)

    def apply(self, world: World) -> None:
        world.modify(self.n, dict(self.attrs))

    def do(self, tx: Any, oids: Oids) -> None:
        tx.modify(oids[self.n], **{k: to_python(v, oids) for k, v in self.attrs})

    def call(self) -> str:
        return f"tx.modify(o[{self.n}], {', '.join(f'{k}={_shown(v)}' for k, v in self.attrs)})"


@dataclass(frozen=True)
class Delete(Step):
    def fits(self, world: World) -> bool:
        return self.n in world.things

    def apply(self, world: World) -> None:
        world.delete(self.n)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.delete_object(oids[self.n])

    def call(self) -> str:
        return f"tx.delete_object(o[{self.n}])"


@dataclass(frozen=True)
class InsertElement(Step):
    prop: str
    value: Any
    position: int | None = None

    def fits(self, world: World) -> bool:
        if not _alive(world, self.n, self.value):
            return False
        return self.position is None or self.position <= len(_items(world, self.n, self.prop))

    def apply(self, world: World) -> None:
        world.insert_element(self.n, self.prop, self.value, self.position)

    def do(self, tx: Any, oids: Oids) -> None:
        more = {} if self.position is None else {"position": self.position}
        tx.insert_element(oids[self.n], self.prop, to_python(self.value, oids), **more)

    def call(self) -> str:
        more = "" if self.position is None else f", position={self.position}"
        return f"tx.insert_element(o[{self.n}], {self.prop!r}, {_shown(self.value)}{more})"


@dataclass(frozen=True)
class RemoveElement(Step):
    """By value, or with a position by position."""

    prop: str
    value: Any = None
    position: int | None = None

    def fits(self, world: World) -> bool:
        if not _alive(world, self.n, self.value):
            return False
        items = _items(world, self.n, self.prop)
        if self.position is not None:
            return self.position < len(items)
        return rank(self.value) in [rank(v) for v in items]

    def apply(self, world: World) -> None:
        world.remove_element(self.n, self.prop, self.value, self.position)

    def do(self, tx: Any, oids: Oids) -> None:
        if self.position is not None:
            tx.remove_element(oids[self.n], self.prop, position=self.position)
        else:
            tx.remove_element(oids[self.n], self.prop, to_python(self.value, oids))

    def call(self) -> str:
        what = _shown(self.value) if self.position is None else f"position={self.position}"
        return f"tx.remove_element(o[{self.n}], {self.prop!r}, {what})"


@dataclass(frozen=True)
class SetElement(Step):
    prop: str
    position: int
    value: Any

    def fits(self, world: World) -> bool:
        if not _alive(world, self.n, self.value):
            return False
        items = _items(world, self.n, self.prop)
        related = world.prop(Obj(self.n), self.prop).inverse is not None
        return self.position < len(items) and not (related and self.value in items)

    def apply(self, world: World) -> None:
        world.set_element(self.n, self.prop, self.position, self.value)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.set_element(oids[self.n], self.prop, self.position, to_python(self.value, oids))

    def call(self) -> str:
        return f"tx.set_element(o[{self.n}], {self.prop!r}, {self.position}, {_shown(self.value)})"


@dataclass(frozen=True)
class InsertRow(Step):
    """A row of a plain table; `n` is of no use here."""

    table: str
    row: Rec

    def fits(self, world: World) -> bool:
        return True

    def apply(self, world: World) -> None:
        world.tables[self.table].append(self.row)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.insert(self.table, [to_python(self.row, oids)])

    def call(self) -> str:
        return f"tx.insert({self.table!r}, [{_shown(self.row)}])"


@dataclass(frozen=True)
class DeleteRow(Step):
    """One of the rows that are equal to this one."""

    table: str
    row: Rec

    def fits(self, world: World) -> bool:
        return self.row in world.tables[self.table]

    def apply(self, world: World) -> None:
        world.tables[self.table].remove(self.row)

    def do(self, tx: Any, oids: Oids) -> None:
        tx.delete(self.table, rows=[to_python(self.row, oids)])

    def call(self) -> str:
        return f"tx.delete({self.table!r}, rows=[{_shown(self.row)}])"


def _items(world: World, n: int, prop: str) -> tuple[Any, ...]:
    value = world.things[n].values[prop]
    return value.items if isinstance(value, Bunch) else ()


def _free(world: World, cls: str, n: int, attrs: Attrs) -> bool:
    """Whether no other object has these keys."""
    given = dict(attrs)
    for owner, key in world.schema.keys(cls):
        if key in given and any(world.get(o, key) == given[key] for o in world.extent(owner) if o.n != n):
            return False
    return True


@dataclass(frozen=True)
class Transaction:
    """Updates that are committed together; `refresh`: the views are then brought up to date; `ends`: and compared."""

    steps: tuple[Step, ...]
    refresh: bool = True
    ends: bool = True


def fitting(world: World, transaction: Transaction) -> tuple[Step, ...]:
    """The steps that can be done, done to the world."""
    done = []
    for s in transaction.steps:
        if s.fits(world):
            s.apply(world)
            done.append(s)
    return tuple(done)
