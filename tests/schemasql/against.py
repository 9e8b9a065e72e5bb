"""Put a view over a small world, change the world, and compare with the reference interpreter after every step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.schemafuzz.case import Case, Transaction, ViewSpec
from tests.schemafuzz.changes import Change, Delete
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.random_changes import undone
from tests.schemafuzz.ranges import Invalid
from tests.schemafuzz.session import Session
from tests.schemafuzz.tree import Query
from tests.schemafuzz.world import World


def database(tables: dict[str, tuple[str, list[tuple[Any, ...]]]]) -> World:
    """A world from {name: ("column type, …", rows)}."""
    world = World()
    for name, (ddl, _) in tables.items():
        world = world.added(name, [(c.split()[0], c.split()[1]) for c in ddl.split(",")])
    return replace(world, tables=tuple(replace(t, rows=tuple(tables[t.full_name][1])) for t in world.tables))


def delete(world: World, table: str, *rows: tuple[Any, ...]) -> Delete:
    """Rows of a table by their values."""
    t = world.named(table)
    return Delete(table, tuple(tuple(t.as_dict(r).items()) for r in rows))


def after(world: World, query: Query, changes: tuple[Change, ...]) -> dict[str, tuple[str, ...]] | str:
    """What the reference makes of a change: the columns of each relation, or the kind of its invalidity."""
    reference = Reference(query, "q")
    reference.state(world)
    for c in changes:
        world = c.apply(world)
    state = reference.state(world)
    return state.kind if isinstance(state, Invalid) else {n: r.columns for n, r in state.items()}


def agree(session: Session, world: World, query: Query, changes: tuple[Change, ...], name: str = "q") -> None:
    """The view agrees with the reference when made, after the changes, and after they were taken back."""
    back = undone(world, changes)
    case = Case(name, world, (ViewSpec(name, query, verify=True),), (Transaction(changes), Transaction(back)))
    failure = session.run(case)
    if failure is not None:
        pytest.fail(str(failure), pytrace=False)
