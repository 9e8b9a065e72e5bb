"""Random transactions: tuples, relations and attributes, several at once, and back again."""

from __future__ import annotations

import random
from typing import Any

from tests.schemafuzz.blocks import kind_of
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
    Unfit,
    Update,
)
from tests.schemafuzz.random_world import (
    FLAGS,
    NUMBERS,
    RELATIONS,
    WORDS,
    random_columns,
    random_key,
    random_row,
    random_value,
    type_for,
)
from tests.schemafuzz.world import Table, World

SHAPES = (
    "insert",
    "delete",
    "update",
    "add relation",
    "drop relation",
    "rename relation",
    "add attribute",
    "drop attribute",
    "rename attribute",
)
WEIGHTS = (6, 4, 5, 1.5, 1, 1.2, 1.6, 1, 1.4)


def random_transaction(rng: random.Random, world: World, read: frozenset[str]) -> tuple[tuple[Change, ...], World]:
    """Changes that fit, one after the other, mostly of what views read; and the world after them."""
    changes: list[Change] = []
    if rng.random() < 0.04:
        changes += _exchange(rng, world, read)
        for c in changes:
            world = c.apply(world)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        try:
            change = random_change(rng, world, read)
            world = change.apply(world)
        except Unfit:
            continue
        changes.append(change)
    return tuple(changes), world


def random_change(rng: random.Random, world: World, read: frozenset[str]) -> Change:
    near = [t for t in world.tables if t.full_name in read] if rng.random() < 0.85 else []
    shape = rng.choices(SHAPES, WEIGHTS)[0]
    if not world.tables or shape == "add relation":
        return _new_relation(rng, world, near)
    t = rng.choice(near or world.tables)
    match shape:
        case "insert":
            if t.rows and rng.random() < 0.4:
                return Insert(t.full_name, (_near(rng, t),))
            return Insert(t.full_name, tuple(random_row(rng, t) for _ in range(rng.choice((1, 1, 2, 3)))))
        case "delete":
            rows = rng.sample(t.rows, min(len(t.rows), rng.choice((1, 1, 2, 3))))
            if not rows:
                raise Unfit("nothing to delete")
            return Delete(t.full_name, tuple(tuple(t.as_dict(r).items()) for r in rows))
        case "update":
            return _update(rng, t)
        case "drop relation":
            return DropRelation(t.full_name)
        case "rename relation":
            db = t.db if rng.random() < 0.85 else rng.choice([x.db for x in world.tables])
            name = rng.choice(RELATIONS)
            return RenameRelation(t.full_name, f"{db}.{name}" if db else name)
        case "add attribute":
            name = rng.choice((*WORDS, *NUMBERS, *NUMBERS, *FLAGS))
            return AddAttribute(t.full_name, name, type_for(rng, name))
        case "drop attribute":
            return DropAttribute(t.full_name, rng.choice(t.names))
    name = rng.choice(t.names)
    pool = {"word": WORDS, "number": NUMBERS, "flag": FLAGS}[kind_of(name)]
    return RenameAttribute(t.full_name, name, rng.choice(pool))


def _near(rng: random.Random, t: Table) -> tuple[tuple[str, Any], ...]:
    """A row that is there, but for one value: what makes cells have two values, and names NULL."""
    row = t.as_dict(rng.choice(t.rows))
    c = rng.choice(t.columns)
    row[c.name] = None if rng.random() < 0.15 else random_value(rng, c.type)
    return tuple(row.items())


def _exchange(rng: random.Random, world: World, read: frozenset[str]) -> list[Change]:
    """Two columns of one kind exchange their names."""
    for t in rng.sample(world.tables, len(world.tables)):
        kind = rng.choice(("word", "number"))
        names = [n for n in t.names if kind_of(n) == kind]
        if t.full_name in read and len(names) > 1:
            a, b = rng.sample(names, 2)
            steps = ((a, "between"), (b, a), ("between", b))
            return [RenameAttribute(t.full_name, old, new) for old, new in steps]
    return []


def _new_relation(rng: random.Random, world: World, near: list[Table]) -> AddRelation:
    """Often like one that is there, beside it."""
    like = rng.choice(near) if near and rng.random() < 0.8 else None
    db = like.db if like else rng.choice(("u-a", "u-b", "uc", ""))
    columns = tuple((c.name, c.type) for c in like.columns) if like else random_columns(rng)
    columns = tuple(rng.sample(columns, len(columns))) if rng.random() < 0.3 else columns
    name = rng.choice(RELATIONS)
    return AddRelation(f"{db}.{name}" if db else name, columns, random_key(rng, columns))


def _update(rng: random.Random, t: Table) -> Update:
    some = rng.sample(t.columns, min(len(t.columns), rng.choice((1, 1, 2))))
    where = None
    if rng.random() < 0.9:
        c = rng.choice(t.columns)
        where = (c.name, rng.choice(t.rows)[t.at(c.number)] if t.rows else random_value(rng, c.type))
    return Update(t.full_name, tuple((c.name, random_value(rng, c.type)) for c in some), where)


def undone(world: World, changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """What takes the changes back. A dropped attribute comes back as another one, with its values."""
    back: list[Change] = []
    for c in changes:
        back = [*_inverse(world, c), *back]
        world = c.apply(world)
    return tuple(back)


def _inverse(before: World, c: Change) -> list[Change]:
    match c:
        case Insert(table=t, rows=rows):
            return [Delete(t, rows)]
        case Delete(table=t, rows=rows):
            return [Insert(t, rows)]
        case Update(table=t):
            return _restored(c.apply(before).named(t), before.named(t))
        case AddRelation(table=t):
            return [DropRelation(t)]
        case DropRelation(table=t):
            old = before.named(t)
            key = tuple(x.name for k in old.key for x in old.columns if x.number == k)
            return [AddRelation(t, tuple((x.name, x.type) for x in old.columns), key), *_filled(old)]
        case RenameRelation(table=t, new=new):
            return [RenameRelation(new, t)]
        case AddAttribute(table=t, name=n):
            return [DropAttribute(t, n)]
        case RenameAttribute(table=t, name=n, new=new):
            return [RenameAttribute(t, new, n)]
        case DropAttribute(table=t, name=n):
            old = before.named(t)
            add = AddAttribute(t, n, next(x.type for x in old.columns if x.name == n))
            return [add, *_restored(add.apply(c.apply(before)).named(t), old)]


def _restored(now: Table, old: Table) -> list[Change]:
    gone = tuple(tuple(now.as_dict(r).items()) for r in now.rows)
    return [*([Delete(now.full_name, gone)] if gone else []), *_filled(old)]


def _filled(t: Table) -> list[Change]:
    return [Insert(t.full_name, tuple(tuple(t.as_dict(r).items()) for r in t.rows))] if t.rows else []
