"""A random schema: two to four classes with inheritance, attributes of many types, references, relationships of every shape."""

from __future__ import annotations

import random

from tests.oqlfuzz.kinds import BOOLEAN, DATE, DOUBLE, INT, INTS, STRING, TIMESTAMP, Coll, Dictionary, Enum, Ref, Struct, Type
from tests.oqlfuzz.schema import Cls, Prop, Schema

PRIMITIVES = (*INTS, INT, DOUBLE, STRING, STRING, BOOLEAN, DATE, TIMESTAMP)
LETTERS = {"int": "n", "double": "w", "string": "s", "boolean": "b", "date": "d", "timestamp": "t"}


def random_schema(rng: random.Random) -> Schema:
    names = ["A", "B", "C", "D"][: rng.choice([2, 3, 3, 4])]
    enums = (Enum("Colour", ("red", "green", "blue")),) if rng.random() < 0.5 else ()
    structs = {"Place": Struct((("x", INT), ("y", STRING)))} if rng.random() < 0.6 else {}
    if structs and rng.random() < 0.5:
        structs["Spot"] = Struct((("at", structs["Place"]), ("marks", Coll(rng.choice(["set", "list", "bag"]), INT))))
    makers = _Maker(rng, enums, structs)
    parents = {n: _parents(rng, names[:i]) for i, n in enumerate(names)}
    own: dict[str, list[Prop]] = {n: makers.attributes(bool(parents[n])) for n in names}
    for n in names:
        if rng.random() < 0.6:
            t: Type = Ref(rng.choice(names))
            kind = rng.choice(["", "", "set", "bag", "list", "array"])
            own[n].append(Prop(makers.fresh("o" if kind else "r"), Coll(kind, t) if kind else t))
    for _ in range(rng.choice([1, 2, 2, 3])):
        _relate(rng, makers, own, rng.choice(names), rng.choice(names))
    keyed = {n for n in names if not parents[n] and rng.random() < 0.3}
    for n in keyed:
        own[n].insert(0, Prop("id" + n.lower(), INT))
    classes = {}
    for n in names:
        extent = n + "s" if not parents[n] or rng.random() < 0.8 else None
        classes[n] = Cls(n, parents[n], extent, "id" + n.lower() if n in keyed else None, tuple(own[n]))
    tables = {"T": Struct((("ta", INT), ("tb", STRING), ("tc", Coll("list", INT))))} if rng.random() < 0.3 else {}
    return Schema(classes, enums, structs, tables)


def _parents(rng: random.Random, before: list[str]) -> tuple[str, ...]:
    """Often one parent, seldom two; never two of which one is above the other, nor the same."""
    if not before or rng.random() < 0.5:
        return ()
    if len(before) == 2 and rng.random() < 0.15:
        return tuple(before)
    return (rng.choice(before),)


class _Maker:
    """Draws types and names; a name's first letter tells its kind, and the number makes it unique in the schema."""

    def __init__(self, rng: random.Random, enums: tuple[Enum, ...], structs: dict[str, Struct]) -> None:
        self.rng = rng
        self.enums = enums
        self.structs = structs
        self.count = 0

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def attributes(self, inherits: bool) -> list[Prop]:
        found = [Prop(self.fresh("n"), INT)] if not inherits or self.rng.random() < 0.5 else []
        return found + [self.attribute() for _ in range(self.rng.randint(1, 3))]

    def attribute(self) -> Prop:
        rng = self.rng
        p = rng.choice(PRIMITIVES)
        roll = rng.random()
        if roll < 0.5:
            return Prop(self.fresh(LETTERS[p.kind]), p)
        if roll < 0.6 and self.enums:
            return Prop(self.fresh("e"), rng.choice(self.enums))
        if roll < 0.72 and self.structs:
            return Prop(self.fresh("p"), rng.choice(list(self.structs.values())))
        if roll < 0.76:
            return Prop(self.fresh("m"), Dictionary(STRING, INT))
        element: Type = rng.choice([INT, INT, STRING, DOUBLE, DATE])
        if roll < 0.82 and "Place" in self.structs:
            element = self.structs["Place"]
        elif roll < 0.85:
            element = Coll(rng.choice(["set", "bag", "list"]), INT)
        return Prop(self.fresh("c"), Coll(rng.choice(["set", "bag", "list", "array"]), element))


def _relate(rng: random.Random, makers: _Maker, own: dict[str, list[Prop]], a: str, b: str) -> None:
    """A relationship between two classes (perhaps the same): 1:1, 1:n or n:m; a many side is a set, bag or list."""

    def one(c: str) -> Type:
        return Ref(c)

    def many(c: str) -> Type:
        return Coll(rng.choice(["set", "set", "bag", "list"]), Ref(c))

    left, right = rng.choice([(one, one), (one, many), (one, many), (many, many), (many, many)])
    x, y = makers.fresh("x"), makers.fresh("y")
    own[a].append(Prop(x, left(b), (b, y)))
    own[b].append(Prop(y, right(a), (a, x)))
