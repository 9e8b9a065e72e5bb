"""A case from a seed."""

from __future__ import annotations

import random

from tests.lorel.oracle.graph import Graph
from tests.lorel.oracle.view import view_of
from tests.lorelfuzz.case import Case, Transaction, ViewSpec
from tests.lorelfuzz.changes import Change, applied
from tests.lorelfuzz.random_changes import Numbers, random_transaction, undone
from tests.lorelfuzz.random_graph import random_graph
from tests.lorelfuzz.random_view import RandomView

#: changes with what a seed means
VERSION = 1
VIEWS = 4
STEPS = 30
TRIES = 60


def generate(seed: str, *, views: int = VIEWS, steps: int = STEPS) -> Case:
    rng = random.Random(f"{VERSION}:{seed}")
    graph = random_graph(rng)
    load = "text" if rng.random() < 0.7 else "calls"
    specs = tuple(random_view(rng, graph, n, oids=load == "text") for n in range(views))
    first = last = graph
    numbers = Numbers()
    transactions: list[Transaction] = []
    for n in range(steps):
        refresh = n == steps - 1 or rng.random() < 0.8
        before = transactions and rng.random() < 0.08
        changes: tuple[Change, ...] = undone(last, graph, numbers) if before else ()
        if changes:
            after = applied(graph, changes)
        else:
            changes, after = random_transaction(rng, graph, numbers)
        last, graph = graph, after
        transactions.append(Transaction(changes, refresh))
    return Case(seed, first, specs, tuple(transactions), load)


def random_view(rng: random.Random, graph: Graph, number: int, *, oids: bool) -> ViewSpec:
    """A view that mostly has something in it."""
    for _ in range(TRIES):
        view = RandomView(rng, graph, number, oids).make()
        if view_of(graph, view).primary or rng.random() < 0.05:
            break
    mode = rng.choices(("deferred", "immediate", "lazy"), (8, 1.5, 0.5))[0]
    return ViewSpec(f"v{number}", view, mode, rng.random() < 0.2, rng.random() < 0.3, rng.random() < 0.3)
