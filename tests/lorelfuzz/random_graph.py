"""A random graph: irregular, shared, with cycles; equal values as several types; labels that are like each other."""

from __future__ import annotations

import random
from datetime import date, datetime

from tests.lorel.oracle.graph import Graph, Value

LABELS = ("a", "b", "c", "ab", "abc", "Name", "Price")
WEIGHTS = (7, 6, 4, 3, 2, 2, 2)
NAMES = ("Guide", "Other", "Third")
#: what compares as a number, what nearly does, words, and the rest
VALUES: tuple[Value, ...] = (
    1, 2, 3, 5, 10, -1, 0, 2**53 + 1, 1.0, 2.0, 2.5, 0.0, 1e3, "1", "2", "2.5", "02", "1e1", "10", "9007199254740993",
    "", " 2", "5d", "nan", "0x10", "1_000", "x", "xy", "xyz", "X", "it's", 'a "b"', "50%", "x_y", "ü", True, False,
    date(2024, 1, 2), date(2024, 3, 1), datetime(2024, 1, 2, 3, 4, 5), datetime(2024, 1, 2),
)  # fmt: skip
COMMON: tuple[Value, ...] = (1, 2, 3, 5, "1", "2", "x", "xy", 2.0, 2.5)


def random_value(rng: random.Random) -> Value:
    return rng.choice(COMMON if rng.random() < 0.6 else VALUES)


def random_label(rng: random.Random) -> str:
    return rng.choices(LABELS, WEIGHTS)[0]


def random_graph(rng: random.Random) -> Graph:
    """Everything in it is reached by its first name."""
    inner = [f"&o{n}" for n in range(rng.randint(2, 10))]
    atoms = {f"&v{n}": random_value(rng) for n in range(rng.randint(2, 12))}
    usual = [random_label(rng) for _ in range(3)]  # at each depth one label is met again and again
    depth, edges = {inner[0]: 0}, set()
    for n, oid in enumerate([*inner[1:], *atoms], start=1):
        parents = inner[: min(n, len(inner))]
        near = [p for p in parents if depth[p] <= 1]
        parent = rng.choice(near if rng.random() < 0.7 else parents)
        depth[oid] = depth[parent] + 1
        label = usual[min(depth[parent], 2)] if rng.random() < 0.5 else random_label(rng)
        edges.add((parent, label, oid))
    for _ in range(rng.randint(0, 2 + len(inner))):  # sharing, cycles, edges to oneself, one object by two labels
        edges.add((rng.choice(inner), rng.choice((*usual, random_label(rng))), rng.choice([*inner, *inner, *atoms])))
    if rng.random() < 0.4:
        s, _, t = rng.choice(sorted(edges))
        edges.add((s, random_label(rng), t))
    names = {NAMES[0]: inner[0]}
    for name in NAMES[1 : rng.choice((1, 1, 2, 3))]:
        names[name] = rng.choice([*inner, *inner, *atoms])
    graph = Graph.of(names, edges, atoms)
    graph.objects |= set(inner)
    graph.collect()
    return graph
