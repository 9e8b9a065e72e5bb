"""Random transactions: edges that come, go and move, values that change, new objects, names; several at once, and back again."""

from __future__ import annotations

import random

from tests.lorel.oracle.graph import Graph, Unfit
from tests.lorelfuzz.changes import AddEdge, AddObject, Change, RemoveEdge, RemoveName, SetName, SetValue, applied
from tests.lorelfuzz.random_graph import NAMES, random_label, random_value

SHAPES = ("insert", "delete", "change", "new atom", "new tree", "move", "replace", "back", "name", "drop name", "nothing")
WEIGHTS = (6, 6, 6, 3, 2, 2, 1.5, 1.5, 0.7, 0.4, 0.3)


class Numbers:
    """Gives new objects their made-up oids."""

    def __init__(self, mark: str = "new") -> None:
        self.mark = mark
        self.used = 0

    def oid(self) -> str:
        self.used += 1
        return f"&{self.mark}{self.used}"


def random_transaction(rng: random.Random, graph: Graph, numbers: Numbers) -> tuple[tuple[Change, ...], Graph]:
    """Changes that fit one after the other, and the graph after them."""
    now, found = graph.copy(), []
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        for c in random_changes(rng, now, numbers):
            try:
                c.apply(now)
            except Unfit:
                break
            found.append(c)
    return tuple(found), applied(graph, tuple(found))


def random_changes(rng: random.Random, graph: Graph, numbers: Numbers) -> list[Change]:
    """One idea: mostly one change, sometimes some that belong together."""
    inner = sorted(o for o in graph.objects if graph.is_complex(o))
    atoms, edges, every = sorted(graph.values), sorted(graph.edges), sorted(graph.objects)
    shape = rng.choices(SHAPES, WEIGHTS)[0]
    if not inner:
        root = AddObject(numbers.oid())
        return [root, SetName(NAMES[0], root.oid)]
    source = rng.choice(inner)
    match shape:
        case "insert":
            return [AddEdge(source, _label(rng, graph), rng.choice(inner if rng.random() < 0.6 else every))]
        case "delete" if edges:
            return [RemoveEdge(*rng.choice(edges))]
        case "change" if atoms:
            return [SetValue(rng.choice(atoms), random_value(rng))]
        case "new atom":
            new = AddObject(numbers.oid(), random_value(rng))
            return [new, AddEdge(source, _label(rng, graph), new.oid)]
        case "new tree":
            return _tree(rng, graph, source, numbers)
        case "move" if edges:
            s, label, t = rng.choice(edges)
            to = AddEdge(s if rng.random() < 0.3 else source, _label(rng, graph), t)
            gone = RemoveEdge(s, label, t)
            return [gone, to] if rng.random() < 0.5 or to == AddEdge(s, label, t) else [to, gone]
        case "replace" if atoms:
            into = [e for e in edges if e[2] in graph.values]
            if into:
                s, label, t = rng.choice(into)
                new = AddObject(numbers.oid(), rng.choice((graph.values[t], random_value(rng))))
                return [RemoveEdge(s, label, t), new, AddEdge(s, label, new.oid)]
        case "back" if edges:
            e = rng.choice(edges)
            return [RemoveEdge(*e), AddEdge(*e)]
        case "name":
            return [SetName(rng.choice(NAMES), rng.choice(inner if rng.random() < 0.8 else every))]
        case "drop name" if len(graph.names) > 1:
            return [RemoveName(rng.choice(sorted(graph.names)))]
        case "nothing":
            return [AddObject(numbers.oid(), random_value(rng) if rng.random() < 0.5 else None)]
    return []


def _label(rng: random.Random, graph: Graph) -> str:
    """Mostly one that is there."""
    labels = sorted({label for _, label, _ in graph.edges})
    return rng.choice(labels) if labels and rng.random() < 0.6 else random_label(rng)


def _tree(rng: random.Random, graph: Graph, source: str, numbers: Numbers) -> list[Change]:
    """A new complex object with atoms under it, and perhaps an edge back into the graph."""
    root = AddObject(numbers.oid())
    found: list[Change] = [root]
    for _ in range(rng.randint(0, 3)):
        atom = AddObject(numbers.oid(), random_value(rng))
        found += [atom, AddEdge(root.oid, random_label(rng), atom.oid)]
    if rng.random() < 0.4:
        found.append(AddEdge(root.oid, _label(rng, graph), rng.choice(sorted(graph.objects))))
    found.append(AddEdge(source, _label(rng, graph), root.oid))
    return found


def undone(before: Graph, after: Graph, numbers: Numbers) -> tuple[Change, ...]:
    """What makes `before` of `after` again, as far as oids go: what was collected comes back as new objects."""
    again = {o: numbers.oid() for o in sorted(before.objects - after.objects)}
    found: list[Change] = [AddObject(n, before.values.get(o)) for o, n in again.items()]
    found += [RemoveEdge(*e) for e in sorted(after.edges - before.edges)]
    found += [AddEdge(again.get(s, s), label, again.get(t, t)) for s, label, t in sorted(before.edges - after.edges)]
    found += [SetValue(o, v) for o, v in sorted(before.values.items()) if o in after.values and differ(after.values[o], v)]
    found += [SetName(n, again.get(o, o)) for n, o in sorted(before.names.items()) if after.names.get(n) != again.get(o, o)]
    found += [RemoveName(n) for n in sorted(after.names.keys() - before.names.keys())]
    return tuple(found)


def differ(a: object, b: object) -> bool:
    """1, 1.0 and True are equal to Python."""
    return type(a) is not type(b) or a != b
