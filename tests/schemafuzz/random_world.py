"""Random databases. A name says what kind of values it holds, so that an expression over a name keeps its type whatever is added,
dropped or renamed; and the names are among the values."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from tests.schemafuzz.changes import Insert, Unfit
from tests.schemafuzz.world import Table, World

WORDS = ("category", "dept", "Prof", "s t")
NUMBERS = ("cs", "math", "ee", "a", "b", "sal", "x-y")
FLAGS = ("ok", "yes")
RELATIONS = ("cs", "math", "ee", "sal", "a", "info", "o p")
DATABASES = ("u-a", "u-b", "uc", "")
TEXTS = ("a", "b", "cs", "math", "", "category", "Prof", "it's\n a", "A", None)
VALUES: dict[str, tuple[Any, ...]] = {
    "string": TEXTS,
    "int": (0, 1, 2, 3, 4, None),
    "bigint": (0, 1, 2, 3, 4, None),
    "double": (0.0, 0.5, 1.0, 2.5, None),
    "boolean": (True, False, None),
}


def type_for(rng: random.Random, name: str) -> str:
    """A type that fits the name."""
    if name in WORDS:
        return "string"
    if name in FLAGS:
        return "boolean"
    return rng.choices(("int", "bigint", "double"), (12, 2, 1))[0]


def random_columns(rng: random.Random) -> tuple[tuple[str, str], ...]:
    words = rng.sample(WORDS, rng.choice((1, 1, 2)))
    numbers = rng.sample(NUMBERS, rng.choice((1, 2, 2, 3)))
    flags = FLAGS[:1] if rng.random() < 0.08 else ()
    return tuple((n, type_for(rng, n)) for n in (*words, *numbers, *flags))


def random_key(rng: random.Random, columns: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Often all the words: then what is folded or unfolded by them is determined."""
    words = [n for n, t in columns if t == "string"]
    match rng.randrange(5):
        case 0 | 1:
            return tuple(words)
        case 2:
            return tuple(words[:1])
    return ()


def random_world(rng: random.Random) -> World:
    world = World()
    for db in DATABASES[: rng.choice((2, 3, 3, 4))] if rng.random() < 0.8 else DATABASES[2:]:
        shared = random_columns(rng) if rng.random() < 0.65 else None
        for name in rng.sample(RELATIONS, rng.choice((1, 2, 2, 3))):
            columns = shared or random_columns(rng)
            if shared and rng.random() < 0.2:
                columns = tuple(dict([*columns, *random_columns(rng)]).items())
            world = world.added(f"{db}.{name}" if db else name, columns, random_key(rng, columns))
    return replace(world, tables=tuple(filled(rng, t) for t in world.tables))


def filled(rng: random.Random, table: Table) -> Table:
    world = World((table,))
    for _ in range(rng.choice((0, 2, 3, 4, 5))):
        try:
            world = Insert(table.full_name, (random_row(rng, table),)).apply(world)
        except Unfit:
            continue
    return world.tables[0]


def random_row(rng: random.Random, t: Table) -> tuple[tuple[str, Any], ...]:
    """A row like those there are in some columns, often."""
    like = rng.choice(t.rows) if t.rows and rng.random() < 0.5 else None
    row = []
    for n, c in enumerate(t.columns):
        v = like[n] if like is not None and rng.random() < 0.6 else random_value(rng, c.type)
        if c.number in t.key and v is None:
            v = VALUES[c.type][rng.randrange(3)]
        row.append((c.name, v))
    return tuple(row)


def random_value(rng: random.Random, type: str) -> Any:
    values = VALUES[type]
    return rng.choice(values[:5]) if rng.random() < 0.6 else rng.choice(values)
