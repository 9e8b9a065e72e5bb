"""Random sequences of updates against a graph in plain Python."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.graphs.model import Graph, stored

import belvedere as bv

LABELS = ("a", "b", "c")
NAMES = ("X", "Y", "Z")
VALUES: tuple[Any, ...] = (1, 1.5, "1", "x", True, 0, "")


def one(tx: bv.Transaction, g: Graph, rng: random.Random) -> None:
    """One update, on both."""
    oids = sorted(g.objects)
    complexes = [o for o in oids if o not in g.values]
    kind = rng.choices(("object", "edge", "cut", "value", "name", "unname"), (3, 4, 4, 2, 1, 0.4))[0]
    if kind == "object" or not complexes:
        value = rng.choice(VALUES) if rng.random() < 0.4 else None
        new = tx.add_object(value)
        g.objects.add(new)
        if value is not None:
            g.values[new] = value
        if complexes and rng.random() < 0.8:
            edge = (rng.choice(complexes), rng.choice(LABELS), new)
            tx.add_edge(*edge)
            g.edges.add(edge)
        elif not complexes:
            name = rng.choice(NAMES)
            tx.set_name(name, new)
            g.names[name] = new
    elif kind == "edge":
        edge = (rng.choice(complexes), rng.choice(LABELS), rng.choice(oids))
        tx.add_edge(*edge)
        g.edges.add(edge)
    elif kind == "cut" and g.edges:
        edge = rng.choice(sorted(g.edges))
        tx.remove_edge(*edge)
        g.edges.discard(edge)
    elif kind == "value" and g.values:
        oid = rng.choice(sorted(g.values))
        g.values[oid] = rng.choice(VALUES)
        tx.set_value(oid, g.values[oid])
    elif kind == "name":
        name = rng.choice(NAMES)
        g.names[name] = rng.choice(oids)
        tx.set_name(name, g.names[name])
    elif kind == "unname" and len(g.names) > 1:
        name = rng.choice(sorted(g.names))
        tx.remove_name(name)
        del g.names[name]


@pytest.mark.parametrize("seed", range(4))
def test_found_anew_it_is_the_same(wh: bv.Warehouse, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way for changes that touch much, taken after a few steps of the other one."""
    monkeypatch.setattr("belvedere.warehouse.graphs.sweep.FEW", seed * 4)
    monkeypatch.setattr("belvedere.warehouse.graphs.sweep.ROUNDS", seed)
    test_random_updates(wh, seed + 100)


@pytest.mark.parametrize("seed", range(8))
def test_random_updates(wh: bv.Warehouse, seed: int) -> None:
    rng = random.Random(seed)
    g = Graph()
    for _ in range(25):
        trial = g.copy()
        rolled_back = rng.random() < 0.1
        try:
            with wh.transaction() as tx:
                for _ in range(rng.choice((1, 1, 2, 5, 12))):
                    one(tx, trial, rng)
                    if rng.random() < 0.1:
                        seen = tx.select("select source, label, target from oem.edges").drop_columns(["_w"]).to_pylist()
                        assert {(r["source"], r["label"], r["target"]) for r in seen} == trial.edges
                if rolled_back:
                    raise KeyError
        except KeyError:
            trial = g
        trial.collect()
        g = trial
        if "oem.edges" in wh.tables():
            found = stored(wh)
            assert found == g
            assert {o: type(v) for o, v in found.values.items()} == {o: type(v) for o, v in g.values.items()}
