"""Random updates of random schemas, against a plain Python model of objects that knows nothing of tables."""

from __future__ import annotations

import datetime
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.oqlfuzz.data import Obj, from_rows, rank
from tests.oqlfuzz.random_schema import random_schema
from tests.oqlfuzz.random_updates import Changer
from tests.oqlfuzz.updates import fitting
from tests.oqlfuzz.world import World

import belvedere as bv
from belvedere.objects.model import OID, Backwards, InColumn, Linked

CASES = 300
BATCH = 30


@pytest.mark.parametrize("start", range(0, CASES, BATCH))
def test_the_tables_hold_what_the_model_holds(place: Path, start: int) -> None:
    for seed in range(start, start + BATCH):
        _case(place / str(seed), seed)


def _case(place: Path, seed: int) -> None:
    rng = random.Random(f"objects {seed}")
    schema = replace(random_schema(rng), tables={})
    changer = Changer(rng, schema)
    transactions = [changer.population(), *changer.transactions(2)]
    world = World(schema)
    oids: dict[int, Any] = {}
    with bv.open(place, engine="duckdb") as wh:
        wh.odl(schema.odl())
        for t in transactions:
            with wh.transaction() as tx:
                for step in fitting(world, t):
                    step.do(tx, oids)
                if rng.random() < 0.2:
                    _compare_objects(tx, world, oids, seed)
        if seed % 3:
            with wh.transaction() as tx:
                _compare_objects(tx, world, oids, seed)
        else:
            _compare_tables(wh, world, oids, seed)


def _compare_objects(tx: bv.Transaction, world: World, oids: dict[int, Any], seed: int) -> None:
    numbers = {int(o): n for n, o in oids.items()}
    for n, thing in world.things.items():
        held = tx.object(oids[n])
        for p in world.schema.props(thing.cls).values():
            assert _rank(from_rows(held[p.name], p.type, numbers)) == _rank(thing.values[p.name]), (seed, n, p)


def _compare_tables(wh: bv.Warehouse, world: World, oids: dict[int, Any], seed: int) -> None:
    """Every extent and every copy of an inherited attribute; every side of every relationship from where it is kept."""
    model = wh.registry.objects()
    numbers = {int(o): n for n, o in oids.items()}
    rows = {t: wh.query(f"select * from `{t}`").rows() for t in wh.tables()}
    for cls, c in model.classes.items():
        extent = {r[OID]: r for r in rows[c.table]}
        assert len(extent) == len(rows[c.table]), (seed, cls)
        assert {numbers[o] for o in extent} == {o.n for o in world.extent(cls)}, (seed, cls)
        for p in model.properties(cls):
            for n in [o.n for o in world.extent(cls)]:
                oid = int(oids[n])
                match p.storage:
                    case InColumn(column=column):
                        found = extent[oid][column]
                    case Backwards(table=table, column=column):
                        found = [r[OID] for r in rows[table] if r[column] == oid]
                    case Linked(table=table, owner=owner, member=member, ordered=ordered):
                        mine = [r for r in rows[table] if r[owner] == oid]
                        if ordered:
                            mine.sort(key=lambda r: r["pos"])
                            assert [r["pos"] for r in mine] == list(range(len(mine))), (seed, p.name)
                        found = [r[member] for r in mine]
                prop = world.schema.props(cls)[p.name]
                assert _rank(from_rows(found, prop.type, numbers)) == _rank(world.get(Obj(n), p.name)), (seed, n, p.name)


def _rank(value: Any) -> Any:
    """A moment without a zone was meant in UTC."""
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=datetime.UTC)
    return rank(value)
