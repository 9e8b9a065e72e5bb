"""Random changes that fit the state: keys stay unique, tables stay small, and things often cancel."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.fuzz.model import (
    Change,
    Compare,
    Delete,
    DeleteKeys,
    DeleteRows,
    Insert,
    Merge,
    Row,
    Setter,
    State,
    TableSpec,
    Truncate,
    Update,
    Where,
)
from tests.fuzz.values import KINDS, draw, kind_of

KEYS = range(9)
ROOM = 10


def random_row(rng: random.Random, spec: TableSpec, key_value: int | None = None) -> Row:
    row = {n: draw(rng, kind_of(ddl)) for n, ddl in spec.columns}
    if spec.key:
        row[spec.key] = key_value if key_value is not None else rng.choice(KEYS)
    return row


@dataclass(frozen=True)
class Statements:
    """The deletes and updates by condition that a seed uses on a table: a few, so that their plans are made once."""

    deletes: tuple[Delete, ...]
    updates: tuple[Update, ...]


def random_statements(rng: random.Random, spec: TableSpec) -> Statements:
    deletes = tuple(Delete(spec.name, where(rng, spec, "and")) for _ in range(2))
    return Statements(deletes, tuple(Update(spec.name, setters(rng, spec), where(rng, spec)) for _ in range(3)))


def random_changes(
    rng: random.Random, tables: tuple[TableSpec, ...], statements: dict[str, Statements], state: State
) -> Iterator[Change]:
    """The changes of one transaction; now and then none at all, or of a single row: what is known of such a run is exact."""
    now = {name: list(rows) for name, rows in state.items()}
    shape = rng.random()
    spec = rng.choice(tables)
    if shape < 0.2:
        yield from _single(rng, spec, now[spec.name])
        return
    if shape < 0.35 and now[spec.name]:
        yield from _then_update(rng, spec, statements[spec.name], now[spec.name])
        return
    for _ in range(rng.choice([0, 1, 2, 2, 3, 4])):
        spec = rng.choice(tables)
        for change in _one(rng, spec, statements[spec.name], now[spec.name]):
            now[spec.name] = change.apply(now[spec.name], spec.key)
            yield change


def _single(rng: random.Random, spec: TableSpec, rows: list[Row]) -> list[Change]:
    """One row comes, or goes."""
    free = [k for k in KEYS if k not in {r.get(spec.key or "") for r in rows}]
    if rows and (rng.random() < 0.3 or not free or len(rows) >= ROOM):
        return [DeleteRows(spec.name, (rng.choice(rows),))]
    return [Insert(spec.name, (random_row(rng, spec, rng.choice(free) if spec.key else None),))]


def _then_update(rng: random.Random, spec: TableSpec, statements: Statements, rows: list[Row]) -> list[Change]:
    """An update after something else: which columns the whole transaction set is more than the update says."""
    first = [rng.choice(statements.updates)] if rng.random() < 0.5 else _gone_and_back(rng, spec, rows)
    return [*first, rng.choice(statements.updates)]


def _one(rng: random.Random, spec: TableSpec, statements: Statements, rows: list[Row]) -> list[Change]:
    makers: list[Callable[[], list[Change]]] = [
        lambda: [rng.choice(statements.deletes)],
        lambda: [rng.choice(statements.updates)],
        lambda: [rng.choice(statements.updates)],
    ]
    if len(rows) < ROOM:
        makers += [lambda: _insert(rng, spec, rows), lambda: _insert(rng, spec, rows), lambda: _there_and_back(rng, spec, rows)]
    if rows:
        makers += [lambda: [DeleteRows(spec.name, tuple(rng.sample(rows, 1)))], lambda: _gone_and_back(rng, spec, rows)]
    if spec.key:
        makers += [lambda: [Merge(spec.name, _merged(rng, spec))], lambda: [DeleteKeys(spec.name, tuple(rng.sample(KEYS, 2)))]]
        makers += [lambda: _update_key(rng, spec, rows)]
    if rng.random() < 0.07 or len(rows) >= ROOM:
        return [Truncate(spec.name)]
    return rng.choice(makers)()


def _insert(rng: random.Random, spec: TableSpec, rows: list[Row]) -> list[Change]:
    if not spec.key:
        new = [random_row(rng, spec) for _ in range(rng.randint(1, 3))]
        if rows and rng.random() < 0.4:
            new.append(dict(rng.choice(rows)))
        return [Insert(spec.name, tuple(new))]
    taken = {r[spec.key] for r in rows}
    free = [k for k in KEYS if k not in taken]
    chosen = rng.sample(free, min(len(free), rng.randint(1, 3)))
    return [Insert(spec.name, tuple(random_row(rng, spec, k) for k in chosen))] if chosen else []


def _there_and_back(rng: random.Random, spec: TableSpec, rows: list[Row]) -> list[Change]:
    """Rows that come and go within the transaction."""
    inserted = _insert(rng, spec, rows)
    return [*inserted, *(DeleteRows(spec.name, c.rows) for c in inserted if isinstance(c, Insert))]


def _gone_and_back(rng: random.Random, spec: TableSpec, rows: list[Row]) -> list[Change]:
    """A row that goes and comes back, as it was or altered."""
    row = rng.choice(rows)
    again = dict(row)
    if rng.random() < 0.5:
        name, ddl = rng.choice(spec.columns)
        if name != spec.key:
            again[name] = draw(rng, kind_of(ddl))
    return [DeleteRows(spec.name, (row,)), Insert(spec.name, (again,))]


def _merged(rng: random.Random, spec: TableSpec) -> tuple[Row, ...]:
    return tuple(random_row(rng, spec, k) for k in rng.sample(KEYS, rng.randint(1, 2)))


def _update_key(rng: random.Random, spec: TableSpec, rows: list[Row]) -> list[Change]:
    """One row gets another key, one that is free."""
    assert spec.key is not None
    taken = {r[spec.key] for r in rows}
    free = [k for k in KEYS if k not in taken]
    if not rows or not free:
        return []
    old, new = rng.choice(rows)[spec.key], rng.choice(free)
    return [Update(spec.name, (Setter(spec.key, "bigint", "value", new),), Where((Compare(spec.key, "bigint", "=", old),)))]


def where(rng: random.Random, spec: TableSpec, join: str = "") -> Where:
    tests = tuple(_test(rng, spec) for _ in range(rng.choice([1, 1, 2])))
    return Where(tests, join or rng.choice(["and", "or"]))


def _test(rng: random.Random, spec: TableSpec) -> Compare:
    plain = [(n, ddl) for n, ddl in spec.columns if kind_of(ddl) in ("int", "bigint", "double", "decimal", "string", "date")]
    name, ddl = rng.choice(plain)
    if rng.random() < 0.05:
        return Compare(name, ddl, "true")
    if rng.random() < 0.15:
        return Compare(name, ddl, rng.choice(["is null", "is not null"]))
    return Compare(name, ddl, rng.choice(["=", "=", "<", ">", "<>"]), rng.choice(KINDS[kind_of(ddl)].domain))


def setters(rng: random.Random, spec: TableSpec) -> tuple[Setter, ...]:
    """New values for one or two columns that are not the key."""
    columns = [(n, ddl) for n, ddl in spec.columns if n != spec.key]
    chosen = rng.sample(columns, min(len(columns), rng.choice([1, 1, 2])))
    return tuple(_setter(rng, n, ddl, columns) for n, ddl in chosen)


def _setter(rng: random.Random, name: str, ddl: str, columns: list[tuple[str, str]]) -> Setter:
    same = [n for n, t in columns if t == ddl and n != name]
    if same and rng.random() < 0.3:
        return Setter(name, ddl, "copy", rng.choice(same))
    if ddl in ("int", "double") and rng.random() < 0.3:
        return Setter(name, ddl, "add", 1)
    value: Any = draw(rng, kind_of(ddl))
    return Setter(name, ddl, "value", value)
